//! The distributions trials are drawn from.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

pub(crate) struct Source(Xoshiro256PlusPlus);

impl Source {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform on (0, 1): 53 bits, centred in their cell, so never 0 or 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal (Box & Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }
}

/// A response of one trial.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Distribution {
    /// Mean 10, standard deviation 1.
    Normal,
    /// Mean 1.
    Exponential,
    /// exp of a normal with standard deviation σ.
    LogNormal(f64),
    /// Around 1, or (with this probability) around 5, each with standard deviation 0.05.
    Bimodal(f64),
}

impl Distribution {
    pub(crate) const ALL: [(&'static str, Self); 6] = [
        ("normal", Self::Normal),
        ("exponential", Self::Exponential),
        ("log-normal, σ = 0.3", Self::LogNormal(0.3)),
        ("log-normal, σ = 1", Self::LogNormal(1.0)),
        ("bimodal, half slow", Self::Bimodal(0.5)),
        ("bimodal, one in ten slow", Self::Bimodal(0.1)),
    ];

    pub(crate) fn draw(self, source: &mut Source) -> f64 {
        match self {
            Self::Normal => 10.0 + source.normal(),
            Self::Exponential => -source.uniform().ln(),
            Self::LogNormal(sigma) => (sigma * source.normal()).exp(),
            Self::Bimodal(slow) => {
                let centre = if source.uniform() < slow { 5.0 } else { 1.0 };
                centre + 0.05 * source.normal()
            }
        }
    }

    pub(crate) fn sample(self, source: &mut Source, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.draw(source)).collect()
    }

    pub(crate) fn mean(self) -> f64 {
        match self {
            Self::Normal => 10.0,
            Self::Exponential => 1.0,
            Self::LogNormal(sigma) => (sigma * sigma / 2.0).exp(),
            Self::Bimodal(slow) => 1.0 + 4.0 * slow,
        }
    }

    pub(crate) fn median(self) -> f64 {
        match self {
            Self::Normal => 10.0,
            Self::Exponential => std::f64::consts::LN_2,
            Self::LogNormal(_) => 1.0,
            // Half of all trials is 5/9 of the fast ones: Φ⁻¹(5/9) = 0.13971. With half slow, anything in the gap is a
            // median.
            Self::Bimodal(slow) if slow < 0.5 => 1.0 + 0.05 * 0.139_710_3,
            Self::Bimodal(_) => 3.0,
        }
    }
}
