//! Sizes of objects as a function of their number.

use super::levels::SizeDistribution;
use crate::kv::keys::mix;
use model::Sizes;
use model::object::OBJECT_BYTES_MAX;
use rand_distr::{Distribution as _, LogNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::sync::Arc;

/// Largest object of a log-normal distribution as a multiple of the mean: without a bound one object could be larger
/// than all others together.
const TAIL_MAX: u64 = 16;

/// The sizes of all objects of a trial, also of those that it writes.
#[derive(Clone, Debug)]
pub enum ObjectSizes {
    Fixed(u64),
    Uniform {
        mean: u64,
    },
    LogNormal {
        sizes: LogNormal<f64>,
        max: u64,
    },
    /// Each with the largest draw that chooses it; the last one's is above every draw.
    Table(Box<[(u64, u64)]>),
    /// Those of a log, by number.
    Each(Arc<[u32]>),
}

impl ObjectSizes {
    /// Sizes of a table, or without one of a distribution with this mean.
    ///
    /// # Panics
    /// `sigma` is not finite: the schema keeps it in bounds.
    pub(super) fn new(table: &Sizes, distribution: SizeDistribution, mean: u64, sigma: f64) -> Self {
        if !table.is_empty() {
            let mut percent = 0;
            let bounds = table.iter().map(|size| {
                percent += u64::from(size.percent);
                (if percent < 100 { u64::MAX / 100 * percent } else { u64::MAX }, size.bytes)
            });
            return Self::Table(bounds.collect());
        }
        match distribution {
            SizeDistribution::Fixed => Self::Fixed(mean),
            SizeDistribution::Uniform => Self::Uniform { mean },
            SizeDistribution::LogNormal => {
                // The mean of a log-normal distribution is e^(µ + σ²/2).
                let mu = (mean as f64).ln() - sigma * sigma / 2.0;
                let sizes = LogNormal::new(mu, sigma).expect("the schema keeps sigma finite and above 0");
                Self::LogNormal { sizes, max: mean.saturating_mul(TAIL_MAX).min(OBJECT_BYTES_MAX) }
            }
        }
    }

    /// The size of the object with this content, in bytes; at least 1.
    #[inline]
    pub fn of(&self, content: u64) -> u64 {
        let drawn = || mix(content.wrapping_add(0x5157));
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Uniform { mean } => 1 + ((u128::from(drawn()) * u128::from(2 * mean - 1)) >> 64) as u64,
            Self::LogNormal { sizes, max } => {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(drawn());
                (sizes.sample(&mut random).round() as u64).clamp(1, *max)
            }
            Self::Table(bounds) => {
                let draw = drawn();
                bounds.iter().find(|(bound, _)| draw <= *bound).map_or(1, |(_, bytes)| *bytes)
            }
            Self::Each(sizes) => sizes.get(content as usize).copied().map_or(1, u64::from),
        }
    }

    /// No object is smaller.
    pub(super) fn min(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Uniform { .. } | Self::LogNormal { .. } => 1,
            Self::Table(bounds) => bounds.iter().map(|(_, bytes)| *bytes).min().unwrap_or(1),
            Self::Each(sizes) => sizes.iter().copied().min().map_or(1, u64::from),
        }
    }

    /// The largest size.
    pub fn max(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Uniform { mean } => 2 * mean - 1,
            Self::LogNormal { max, .. } => *max,
            Self::Table(bounds) => bounds.iter().map(|(_, bytes)| *bytes).max().unwrap_or(1),
            Self::Each(sizes) => sizes.iter().copied().max().map_or(1, u64::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEAN: u64 = 100_000;

    fn sizes(distribution: SizeDistribution) -> ObjectSizes {
        ObjectSizes::new(&Sizes::default(), distribution, MEAN, 0.5)
    }

    #[test]
    fn sizes_have_their_mean_and_their_bounds() {
        for distribution in [SizeDistribution::Fixed, SizeDistribution::Uniform, SizeDistribution::LogNormal]
        {
            let sizes = sizes(distribution);
            let of: Vec<u64> = (0..100_000).map(|content| sizes.of(content)).collect();
            let mean = of.iter().sum::<u64>() as f64 / of.len() as f64;
            assert!((mean / MEAN as f64 - 1.0).abs() < 0.02, "{distribution}: {mean}");
            assert!(of.iter().all(|bytes| (1..=sizes.max()).contains(bytes)), "{distribution}");
            let smaller = of.iter().filter(|bytes| **bytes < MEAN).count() as f64 / of.len() as f64;
            let expected = match distribution {
                SizeDistribution::Fixed => 0.0,
                SizeDistribution::Uniform => 0.5,
                // Φ(σ ÷ 2) for σ = 0.5.
                SizeDistribution::LogNormal => 0.599,
            };
            assert!((smaller - expected).abs() < 0.01, "{distribution}: {smaller}");
        }
    }

    #[test]
    fn a_table_has_its_shares() {
        let table = Sizes::parse("4KiB/70:1MiB/30").unwrap();
        let sizes = ObjectSizes::new(&table, SizeDistribution::Fixed, 1, 1.0);
        let small = (0..10_000).filter(|content| sizes.of(*content) == 4096).count();
        assert!(small.abs_diff(7000) < 300 && sizes.max() == 1 << 20, "{small}");
        assert_eq!(sizes.min(), 4096);
    }
}
