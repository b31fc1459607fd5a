//! Outcomes that are yes or no: a trial lost something or did not, kept a limit or did not.
//!
//! Such outcomes have no scatter to make a t interval of. Six trials that all end alike give one of zero width, at any
//! level, while a failure that comes up one time in ten shows six of six in 53 % of studies. What holds for every true
//! share is the exact binomial bound: the largest (or smallest) share under which the count seen is still likely
//! enough.

use crate::distribution::beta_quantile;

/// How many of a number of trials had the outcome that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Trials that had it.
    pub of: usize,
    pub n: usize,
}

impl Count {
    /// The share that the true one does not exceed, at confidence `level`: of none in six at 95 %, 39 %.
    ///
    /// Source: Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the case of the binomial*,
    /// Biometrika 1934, one-sided; as a quantile of the beta distribution: Brown, Cai and DasGupta, *Interval
    /// estimation for a binomial proportion*, Statistical Science 2001, section 4.2.1. 1 without a trial or if the
    /// level is not inside (0, 1): nothing is then known.
    pub fn share_at_most(self, level: f64) -> f64 {
        if self.of >= self.n {
            return 1.0;
        }
        beta_quantile((self.of + 1) as f64, (self.n - self.of) as f64, level).unwrap_or(1.0)
    }

    /// The share that the true one does not fall below, at confidence `level`: of six in six at 95 %, 61 %.
    ///
    /// Source: as [`Count::share_at_most`]. 0 without a trial or if the level is not inside (0, 1).
    pub fn share_at_least(self, level: f64) -> f64 {
        if self.of == 0 || self.of > self.n {
            return 0.0;
        }
        beta_quantile(self.of as f64, (self.n - self.of + 1) as f64, 1.0 - level).unwrap_or(0.0)
    }
}

/// Confidence of each of two one-sided bounds that hold together at confidence `level`.
pub fn one_sided(level: f64) -> f64 {
    f64::midpoint(1.0, level)
}

/// The fewest trials that prove a majority at confidence `level` if all end alike; `None` if the level is not inside
/// (0, 1).
pub fn fewest_for_majority(level: f64) -> Option<usize> {
    let error = 1.0 - one_sided(level);
    (level > 0.0 && level < 1.0).then(|| (error.ln() / 0.5_f64.ln()).floor() as usize + 1)
}

/// What more than half of all trials would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Majority {
    /// More than half would have the outcome.
    Have,
    /// More than half would not.
    HaveNot,
    /// Neither is proven.
    Open,
}

impl Count {
    /// Whether more than half of all trials would have the outcome, or would not, at confidence `level` for both
    /// together.
    ///
    /// For trials that are above or below a limit this says on which side of it their median lies, whatever their
    /// distribution: an order-statistic interval (David & Nagaraja, *Order Statistics*, section 7.1). Source of the
    /// bounds: as [`Count::share_at_most`], with half of the error on either side.
    pub fn majority(self, level: f64) -> Majority {
        let one_sided = one_sided(level);
        if self.share_at_least(one_sided) > 0.5 {
            Majority::Have
        } else if self.share_at_most(one_sided) < 0.5 {
            Majority::HaveNot
        } else {
            Majority::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    /// Expected figures: the share at which the sum of the binomial tail is 5 %, found by bisection in Python 3.
    #[test]
    fn bounds_are_where_the_binomial_tail_says() {
        let count = |of, n| Count { of, n };
        assert_close(count(0, 6).share_at_most(0.95), 1.0 - 0.05f64.powf(1.0 / 6.0), 1e-9);
        assert_close(count(6, 6).share_at_least(0.95), 0.05f64.powf(1.0 / 6.0), 1e-9);
        assert_close(count(3, 6).share_at_least(0.95), 0.153_161_117_975, 1e-9);
        assert_close(count(3, 6).share_at_most(0.95), 0.846_838_882_025, 1e-9);
        assert_close(count(2, 10).share_at_most(0.95), 0.506_901_301_063, 1e-9);
        assert_close(count(1, 1000).share_at_least(0.95), 5.129_197_890_907e-5, 1e-9);
    }

    /// 2⁻⁵ is more than half of 5 %, and 2⁻⁶ is not.
    #[test]
    fn six_trials_that_all_end_alike_are_a_majority() {
        let of = |of, n| Count { of, n }.majority(0.95);
        assert_eq!((of(6, 6), of(0, 6)), (Majority::Have, Majority::HaveNot));
        assert_eq!((of(5, 5), of(5, 6), of(0, 0)), (Majority::Open, Majority::Open, Majority::Open));
        assert_eq!(Count { of: 6, n: 6 }.majority(0.97), Majority::Open);
    }

    /// Six of six were run at 97.96 %, where they prove nothing whatever they measure: 2⁻⁶ is more than 1.02 %.
    #[test]
    fn the_fewest_trials_that_prove_a_majority_do_and_fewer_do_not() {
        for (level, fewest) in [(0.9, 5), (0.95, 6), (0.979_6, 7), (0.999, 11)] {
            assert_eq!(fewest_for_majority(level), Some(fewest), "{level}");
            let alike = |n| Count { of: n, n }.majority(level);
            assert_eq!((alike(fewest), alike(fewest - 1)), (Majority::Have, Majority::Open), "{level}");
        }
        assert_eq!((fewest_for_majority(1.0), fewest_for_majority(f64::NAN)), (None, None));
    }

    #[test]
    fn what_is_not_known_bounds_nothing() {
        for count in [Count { of: 0, n: 0 }, Count { of: 3, n: 2 }] {
            assert_close(count.share_at_most(0.95), 1.0, 0.0);
            assert!(count.share_at_least(0.95).abs() < 1e-300);
        }
        let half = Count { of: 3, n: 6 };
        for level in [0.0, 1.0, f64::NAN, -1.0, 2.0] {
            assert_close(half.share_at_most(level), 1.0, 0.0);
            assert!(half.share_at_least(level).abs() < 1e-300);
        }
    }

    proptest! {
        #[test]
        fn bounds_hold_the_share_seen_and_mirror_each_other(n in 1usize..400, part in 0.0..1.0f64, level in 0.5..0.9999f64) {
            let of = (part * (n + 1) as f64) as usize;
            let (seen, other) = (Count { of, n }, Count { of: n - of, n });
            let share = of as f64 / n as f64;
            prop_assert!(seen.share_at_least(level) <= share && share <= seen.share_at_most(level));
            prop_assert!((seen.share_at_least(level) + other.share_at_most(level) - 1.0).abs() < 1e-9);
        }
    }
}
