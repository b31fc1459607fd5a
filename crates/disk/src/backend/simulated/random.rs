//! The one source of chance of a simulated device.

use super::ServiceTime;
use model::Nanos;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::f64::consts::TAU;

#[derive(Debug)]
pub(super) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// From 0 inclusive to 1 exclusive, in steps of 2⁻⁵³.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Standard normal (Box & Muller 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }

    /// At least one nanosecond, so that virtual time always moves on.
    pub(super) fn service(&mut self, time: ServiceTime) -> Nanos {
        let nanos = match time {
            ServiceTime::Fixed(nanos) => nanos.0,
            ServiceTime::Uniform(from, to) => from.0 + (self.unit() * (to.since(from).0 as f64 + 1.0)) as u64,
            ServiceTime::LogNormal { median, sigma } => {
                (median.0 as f64 * (sigma * self.normal()).exp()).round() as u64
            }
        };
        Nanos(nanos.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(time: ServiceTime) -> Vec<u64> {
        let mut random = Random::new(3);
        let mut values: Vec<_> = (0..20_001).map(|_| random.service(time).0).collect();
        values.sort_unstable();
        values
    }

    #[test]
    fn service_times_follow_their_distribution() {
        assert_eq!(sorted(ServiceTime::Fixed(Nanos(5))).first(), Some(&5));
        let uniform = sorted(ServiceTime::Uniform(Nanos(100), Nanos(200)));
        assert_eq!((uniform[0], uniform[20_000]), (100, 200));
        assert!((145..=155).contains(&uniform[10_000]));
        let skewed = sorted(ServiceTime::LogNormal { median: Nanos(10_000), sigma: 0.5 });
        assert!((9_800..10_200).contains(&skewed[10_000]), "median {}", skewed[10_000]);
        // The 84.13 % quantile lies one sigma up: 10 000 × e^0.5.
        assert!((16_000..17_000).contains(&skewed[16_827]), "{}", skewed[16_827]);
    }
}
