//! Quantiles and tails of the distributions the crate rests on, total over their arguments.
//!
//! `statrs` supplies the special functions; its own quantiles panic (or never return) outside their domain, so the
//! domain is checked here once.

use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};
use statrs::function::{beta::checked_beta_reg, erf::erfc, erf::erfc_inv};

/// Smallest tail of a quantile that is computed: beyond it no simulation or assumption about trials holds anyway.
const TAIL_MIN: f64 = 1e-12;
/// Degrees of freedom above which Student's t is the normal to eight digits.
const FREEDOM_MAX: f64 = 1e5;

/// The point that Student's t exceeds with probability `tail`; `None` unless `1e-12 <= tail <= 0.5` and `freedom >= 1`.
pub(crate) fn student_upper(tail: f64, freedom: f64) -> Option<f64> {
    if !(TAIL_MIN..=0.5).contains(&tail) || freedom.is_nan() || freedom < 1.0 {
        return None;
    }
    if freedom > FREEDOM_MAX {
        return normal_quantile(1.0 - tail);
    }
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    // statrs 0.19 is off by more than half in far tails (tail 5e-9, 1000 degrees of freedom), where Newton's method on
    // the logarithm of the tail, convex there, still converges from its answer.
    let mut t = -student.inverse_cdf(tail);
    for _ in 0..50 {
        let reached = student_upper_p(t, freedom);
        let step = (reached / tail).ln() * reached / student.pdf(t);
        if !step.is_finite() || step.abs() <= 1e-12 * t.abs() {
            break;
        }
        t += step;
    }
    Some(t)
}

/// Half-width multiplier of a two-sided interval at `level` with `freedom` degrees of freedom.
pub(crate) fn student_two_sided(level: f64, freedom: f64) -> Option<f64> {
    if level > 0.0 { student_upper((1.0 - level) / 2.0, freedom) } else { None }
}

/// Two-sided p-value of a t statistic. An infinite t (an effect without any spread) gives 0, 0/0 gives 1.
pub(crate) fn student_p(t: f64, freedom: f64) -> f64 {
    if t.is_nan() {
        return 1.0;
    }
    let share = freedom / (freedom + t * t);
    checked_beta_reg(freedom / 2.0, 0.5, share).map_or(1.0, |p| p.clamp(0.0, 1.0))
}

/// One-sided upper tail of a t statistic: P(T > t).
pub(crate) fn student_upper_p(t: f64, freedom: f64) -> f64 {
    let half = student_p(t, freedom) / 2.0;
    if t >= 0.0 { half } else { 1.0 - half }
}

/// Upper tail of Fisher's F. 0/0 gives 1, an infinite F gives 0.
pub(crate) fn fisher_upper_p(f: f64, freedom_1: f64, freedom_2: f64) -> f64 {
    if f.is_nan() || f <= 0.0 {
        return 1.0;
    }
    let share = freedom_2 / (freedom_2 + freedom_1 * f);
    checked_beta_reg(freedom_2 / 2.0, freedom_1 / 2.0, share).map_or(1.0, |p| p.clamp(0.0, 1.0))
}

/// The point below which the beta distribution of `a` and `b` has probability `p`; `None` unless `a`, `b` > 0 and `0 <
/// p < 1`.
///
/// By bisection of the regularised incomplete beta function, which rises: 60 halvings are all the digits there are.
pub(crate) fn beta_quantile(a: f64, b: f64, p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if checked_beta_reg(a, b, middle).ok()? < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}

/// Standard normal distribution function.
pub(crate) fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z / std::f64::consts::SQRT_2)
}

/// Standard normal quantile; `None` unless `0 < p < 1`.
pub(crate) fn normal_quantile(p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then(|| -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p))
}

#[cfg(test)]
pub(crate) fn assert_close(actual: f64, expected: f64, relative: f64) {
    let scale = expected.abs().max(1e-300);
    assert!((actual - expected).abs() <= relative * scale, "{actual} is not {expected} (within {relative})");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected figures: scipy 1.17.1, `scipy.stats.t.isf(tail, df)`.
    #[test]
    fn student_quantiles_match_scipy() {
        for (tail, freedom, expected) in [
            (0.025, 5.0, 2.570_581_835_636_315_5),
            (0.025, 9.0, 2.262_157_162_798_205_3),
            (0.05, 5.0, 2.015_048_373_333_024),
            (0.0025, 5.0, 4.773_340_604_855_522),
            (0.025, 1.0, 12.706_204_736_174_705),
            (1e-9, 5.0, 98.937_224_648_369_96),
            (0.025, 1000.0, 1.962_339_080_826_408_5),
        ] {
            assert_close(student_upper(tail, freedom).unwrap(), expected, 1e-9);
        }
    }

    #[test]
    fn quantiles_refuse_what_they_cannot_answer() {
        for (tail, freedom) in [(f64::NAN, 5.0), (0.0, 5.0), (0.6, 5.0), (0.025, 0.0), (0.025, f64::NAN)] {
            assert_eq!(student_upper(tail, freedom), None);
        }
        for p in [f64::NAN, 0.0, 1.0, -1.0] {
            assert_eq!(normal_quantile(p), None);
        }
    }

    #[test]
    fn every_tail_has_a_quantile_that_gives_the_tail_back() {
        for freedom in [1.0, 2.0, 5.0, 9.0, 30.0, 999.0, 50_000.0] {
            for exponent in 1..=11 {
                let tail = 0.5 * 10f64.powi(-exponent);
                let t = student_upper(tail, freedom).unwrap();
                assert_close(student_upper_p(t, freedom), tail, 1e-8);
            }
        }
    }

    /// Expected figures: scipy 1.17.1, `scipy.stats.f.sf` and `scipy.stats.norm`.
    #[test]
    fn fisher_and_normal_match_scipy() {
        assert_close(fisher_upper_p(3.5, 3.0, 15.0), 0.041_941_659_992_835_62, 1e-8);
        assert_close(normal_cdf(-1.959_963_984_540_054), 0.025, 1e-9);
        assert_close(normal_quantile(0.975).unwrap(), 1.959_963_984_540_054, 1e-9);
    }

    #[test]
    fn degenerate_statistics_have_p_values() {
        assert_close(student_p(f64::NAN, 5.0), 1.0, 0.0);
        assert!(student_p(f64::INFINITY, 5.0).abs() < 1e-12);
        assert_close(fisher_upper_p(f64::NAN, 2.0, 5.0), 1.0, 0.0);
        assert!(fisher_upper_p(f64::INFINITY, 2.0, 5.0).abs() < 1e-12);
    }
}
