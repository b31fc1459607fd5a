//! The open loop: operations arrive at their own times, whether or not the device keeps up.

use model::Nanos;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// A Poisson process. Arrivals are a generated sequence, so a backlog of any length needs no memory: only the earliest
/// arrival that has not started is kept, and the next one follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    random: Xoshiro256PlusPlus,
    gap_mean_ns: f64,
    /// A fraction, because whole nanoseconds would distort a high rate.
    next_ns: f64,
}

impl Arrivals {
    /// Arrivals at this rate per second, from time zero.
    pub(crate) fn new(rate_per_s: f64, random: Xoshiro256PlusPlus) -> Self {
        let mut arrivals = Self { random, gap_mean_ns: 1e9 / rate_per_s, next_ns: 0.0 };
        arrivals.next_ns = arrivals.gap();
        arrivals
    }

    /// The same arrivals, from this time on.
    #[must_use]
    pub(crate) fn from(self, begin: Nanos) -> Self {
        Self { next_ns: self.next_ns + begin.0 as f64, ..self }
    }

    /// The same stream of gaps at this rate per second, from time zero.
    pub(super) fn begin_anew(self, rate_per_s: f64) -> Self {
        Self::new(rate_per_s, self.random)
    }

    /// The earliest arrival that has not been taken.
    #[inline]
    pub(crate) fn next(&self) -> Nanos {
        Nanos(self.next_ns as u64)
    }

    /// Takes the earliest arrival.
    #[inline]
    pub(crate) fn take(&mut self) -> Nanos {
        let arrival = self.next();
        self.next_ns += self.gap();
        arrival
    }

    /// An exponential gap by inverse transform: −ln u, for u in (0, 1].
    #[inline]
    fn gap(&mut self) -> f64 {
        let uniform = ((self.random.next_u64() >> 11) + 1) as f64 * (1.0 / (1_u64 << 53) as f64);
        -uniform.ln() * self.gap_mean_ns
    }

    /// For an open loop, the number of operations that were due when the runtime ended and had not started, at most
    /// `left_max`. 0 for a closed loop, and without a runtime.
    pub(crate) fn unserved(arrivals: Option<&Self>, runtime: Nanos, left_max: u64) -> u64 {
        arrivals.map_or(0, |arrivals| arrivals.waiting_at(runtime).min(left_max))
    }

    /// Number of arrivals before `end` that have not been taken: the first is known, the others are expected.
    pub(crate) fn waiting_at(&self, end: Nanos) -> u64 {
        if self.next() >= end {
            return 0;
        }
        1 + ((end.0 as f64 - self.next_ns) / self.gap_mean_ns).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn gaps_are_exponential_around_the_rate() {
        for rate in [50_u64, 10_000, 3_000_000] {
            let mut arrivals = Arrivals::new(rate as f64, Xoshiro256PlusPlus::seed_from_u64(rate));
            let count = 200_000;
            let (mut before, mut short) = (0.0, 0);
            for _ in 0..count {
                arrivals.take();
                short += u64::from(arrivals.next_ns - before < arrivals.gap_mean_ns);
                before = arrivals.next_ns;
            }
            let realised = f64::from(count) / (before / 1e9);
            assert!((realised / rate as f64 - 1.0).abs() < 0.01, "{realised} per second of {rate}");
            // A share of 1 − 1/e of exponential gaps is shorter than the mean.
            let share = short as f64 / f64::from(count);
            assert!((share - 0.632).abs() < 0.005, "{share}");
        }
    }

    #[test]
    fn what_waits_is_counted_without_being_generated() {
        let arrivals = Arrivals::new(1000.0, Xoshiro256PlusPlus::seed_from_u64(1));
        let end = Nanos::from_millis(2000);
        let estimate = arrivals.waiting_at(end);
        let mut generated = arrivals.clone();
        let mut count = 0;
        while generated.take() < end {
            count += 1;
        }
        assert!(estimate.abs_diff(count) < 150, "{estimate} expected, {count} came");
        assert_eq!(arrivals.waiting_at(Nanos(1)), 0);
    }
}
