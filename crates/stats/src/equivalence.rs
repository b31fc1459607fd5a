//! Different, equivalent, or undecided: the three answers to "does it matter?".

use crate::confidence::{Confidence, widening};
use crate::contrast::{Ratio, ratio_of_logs};
use crate::distribution::{normal_cdf, student_upper, student_upper_p};
use crate::family::simultaneous_level;
use crate::interval::{Interval, NoInterval, level_of_equal};
use crate::rounds::{POWER, fewest, reaches};

/// Ratios within 1/1.05 … 1.05 count as no effect.
pub const EQUIVALENCE_MARGIN: f64 = 1.05;

/// Two one-sided tests on log ratios.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalence {
    /// The larger of the two one-sided p-values: chance of data like these if the ratio were at (or beyond) the margin.
    pub p: f64,
    /// Interval of the ratio at level 1 − 2α: equivalence is exactly that it lies inside the margin.
    pub interval: Interval,
    /// The margin as a ratio above 1.
    pub margin: f64,
    /// `p <= alpha`.
    pub equivalent: bool,
}

/// TOST: is the ratio proven to lie within `1/margin … margin`?
///
/// Source: Schuirmann, *A comparison of the two one-sided tests procedure*, J. Pharmacokinet. Biopharm. 1987.
///
/// # Errors
/// [`NoInterval`] for fewer than six rounds, values that are not finite, `alpha` outside (0, ½) or `margin` not above
/// 1.
pub fn equivalence(log_ratios: &[f64], margin: f64, alpha: f64) -> Result<Equivalence, NoInterval> {
    of_dependent(log_ratios, margin, alpha, 0.0)
}

/// The same of rounds whose neighbours correlate.
fn of_dependent(
    log_ratios: &[f64],
    margin: f64,
    alpha: f64,
    correlation: f64,
) -> Result<Equivalence, NoInterval> {
    if !(margin > 1.0 && margin.is_finite() && alpha > 0.0 && alpha < 0.5) {
        return Err(NoInterval::OutOfRange);
    }
    let ratio = ratio_of_logs(log_ratios, Confidence { level: 1.0 - 2.0 * alpha, correlation })?;
    let n = ratio.n() as f64;
    let room = margin.ln() - ratio.log_mean.abs();
    // For ratios that are equal in every round the sign test against the nearer margin.
    let p = match ratio.is_equal_in_all() {
        true if room > 0.0 => 0.5_f64.powf(n),
        true => 1.0,
        false => student_upper_p(room / ratio.log_error(), n - 1.0),
    };
    Ok(Equivalence { p, interval: ratio.interval, margin, equivalent: p <= alpha })
}

/// The answer to a contrast or a trend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The interval leaves out 1 and the effect is beyond the noise floor.
    Different,
    /// Proven to lie within the margin.
    Equivalent,
    /// Neither.
    Undecided {
        /// Total rounds that would decide with power 0.8 at the observed effect and spread; `None`: no realistic number
        /// (the effect sits on the margin or inside the noise floor, or more than [`crate::rounds::ROUNDS_MAX`] are
        /// needed).
        rounds_needed: Option<usize>,
    },
}

/// What counts as different and as equivalent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Confidence level of the interval that has to leave out 1 (the simultaneous one, in a study of several asks).
    pub level: f64,
    /// α of each one-sided equivalence test.
    pub alpha: f64,
    /// Equivalence margin as a ratio above 1.
    pub margin: f64,
    /// Noise floor as a ratio of at least 1 (1: none known).
    pub noise_floor: f64,
    /// Correlation of neighbouring rounds that intervals and tests allow for; 0 for independent rounds.
    pub correlation: f64,
}

impl Rule {
    /// The study's rule for one of `asks` asks: 5 % error over all asks together. For any true ratio only one of the
    /// two claims can be wrong, so intervals and equivalence tests each get the whole 5 %, divided by `asks`
    /// (Bonferroni).
    pub fn for_asks(asks: usize, noise_floor: f64) -> Self {
        Self::at(0.95, asks, noise_floor)
    }

    /// The same with `level` for all asks together, as a look of [`crate::sequential`] needs it.
    pub fn at(level: f64, asks: usize, noise_floor: f64) -> Self {
        let level = simultaneous_level(level, asks);
        Self { level, alpha: 1.0 - level, margin: EQUIVALENCE_MARGIN, noise_floor, correlation: 0.0 }
    }

    /// The same for rounds whose neighbours correlate by this.
    #[must_use]
    pub fn allowing_for(self, correlation: f64) -> Self {
        Self { correlation, ..self }
    }

    /// What its interval has to hold.
    pub fn confidence(&self) -> Confidence {
        Confidence { level: self.level, correlation: self.correlation }
    }

    /// Standard error of a mean over `n` rounds that scatter by `deviation`.
    fn error(&self, deviation: f64, n: usize) -> f64 {
        deviation * widening(self.correlation, n) / (n as f64).sqrt()
    }
}

/// An answer with everything it was decided from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decided {
    pub answer: Answer,
    /// Ratio at the rule's level.
    pub ratio: Ratio,
    /// Equivalence test. A ratio can be `Different` *and* within the margin: real, reproducible and small.
    pub equivalence: Equivalence,
    /// Whether the estimate lies inside the noise floor.
    pub inside_noise: bool,
}

/// Decides from log ratios, one per round. `Different` comes first: a difference that is proven is reported, and
/// [`Decided::equivalence`] adds that it is small if it is.
///
/// # Errors
/// As [`equivalence`], and for a `noise_floor` below 1.
pub fn decide(log_ratios: &[f64], rule: &Rule) -> Result<Decided, NoInterval> {
    if rule.noise_floor.is_nan() || rule.noise_floor < 1.0 {
        return Err(NoInterval::OutOfRange);
    }
    let ratio = ratio_of_logs(log_ratios, rule.confidence())?;
    let equivalence = of_dependent(log_ratios, rule.margin, rule.alpha, rule.correlation)?;
    let inside_noise = ratio.log_mean.abs() <= rule.noise_floor.ln();
    let answer = if ratio.excludes_one() && ratio.interval.reaches(rule.level) && !inside_noise {
        Answer::Different
    } else if equivalence.equivalent {
        Answer::Equivalent
    } else {
        Answer::Undecided { rounds_needed: rounds_needed(&ratio, rule) }
    };
    Ok(Decided { answer, ratio, equivalence, inside_noise })
}

/// Fewest rounds (more than there are) that would decide either way, effect and spread staying as observed.
fn rounds_needed(ratio: &Ratio, rule: &Rule) -> Option<usize> {
    if ratio.is_equal_in_all() {
        let differs = ratio.log_mean.abs() > rule.noise_floor.ln();
        let is_equivalent = ratio.log_mean.abs() < rule.margin.ln();
        return fewest(ratio.n(), |n| {
            differs && level_of_equal(n) >= rule.level
                || is_equivalent && 0.5_f64.powf(n as f64) <= rule.alpha
        });
    }
    fewest(ratio.n(), |n| would_decide(ratio.log_mean, rule.error(ratio.log_sd, n), n as f64 - 1.0, rule))
}

/// Fewest rounds (more than there are) that would prove a difference, if equality would not do.
pub fn rounds_to_differ(ratio: &Ratio, rule: &Rule) -> Option<usize> {
    let freedom = |n: usize| n as f64 - 1.0;
    fewest(ratio.n(), |n| would_differ(ratio.log_mean, rule.error(ratio.log_sd, n), freedom(n), rule))
}

/// Whether a comparison with this standard error would prove a difference or equivalence with power 0.8.
pub(crate) fn would_decide(log_mean: f64, error: f64, freedom: f64, rule: &Rule) -> bool {
    let (effect, margin) = (log_mean.abs(), rule.margin.ln());
    let proves_equivalence = effect < margin
        && student_upper(rule.alpha, freedom).is_some_and(|t| {
            normal_cdf((margin - effect) / error - t) + normal_cdf((margin + effect) / error - t) - 1.0
                >= POWER
        });
    would_differ(log_mean, error, freedom, rule) || proves_equivalence
}

fn would_differ(log_mean: f64, error: f64, freedom: f64, rule: &Rule) -> bool {
    let effect = log_mean.abs();
    effect > rule.noise_floor.ln() && reaches(effect, error, freedom, rule.level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    fn spread(centre: f64, sd: f64) -> Vec<f64> {
        [-1.2, -0.7, -0.1, 0.1, 0.7, 1.2].iter().map(|offset| centre + sd * offset).collect()
    }

    /// Expected figures: scipy 1.17.1, the larger p of `ttest_1samp(x, ±log(1.05), alternative=...)`.
    #[test]
    fn tost_matches_scipy() {
        let outcome = equivalence(&[0.01, -0.02, 0.015, 0.0, -0.005, 0.012], 1.05, 0.05).unwrap();
        assert_close(outcome.p, 1.670_144_211e-4, 1e-6);
        assert!(outcome.equivalent);
        assert!(outcome.interval.high < 1.05 && outcome.interval.low > 1.0 / 1.05);
    }

    #[test]
    fn the_three_answers() {
        let rule = Rule::for_asks(1, 1.01);
        let answer = |values: &[f64]| decide(values, &rule).unwrap().answer;
        assert_eq!(answer(&spread(0.3, 0.02)), Answer::Different);
        assert_eq!(answer(&spread(0.001, 0.01)), Answer::Equivalent);
        assert!(matches!(answer(&spread(0.03, 0.1)), Answer::Undecided { rounds_needed: Some(7..) }));
    }

    /// Six equal ratios gave an interval of no width at any level, and were "proven" whatever else was compared.
    #[test]
    fn equal_ratios_prove_no_more_than_their_rounds() {
        let answer = |value: f64, n: usize, asks: usize| {
            decide(&vec![value; n], &Rule::for_asks(asks, 1.0)).unwrap().answer
        };
        assert_eq!(answer(0.3, 6, 1), Answer::Different, "all six on one side: p = 0.031");
        assert_eq!(answer(0.0, 6, 1), Answer::Equivalent);
        assert_eq!(answer(0.3, 6, 10), Answer::Undecided { rounds_needed: Some(9) });
        assert_eq!(answer(0.0, 6, 10), Answer::Undecided { rounds_needed: Some(8) });
        assert_eq!(answer(0.3, 9, 10), Answer::Different);
        assert_eq!(answer(0.0, 8, 10), Answer::Equivalent);
    }

    #[test]
    fn a_difference_inside_the_noise_floor_is_not_claimed() {
        let decision = decide(&spread(0.1, 0.01), &Rule::for_asks(1, 1.2)).unwrap();
        assert!(decision.ratio.excludes_one() && decision.inside_noise);
        assert_eq!(decision.answer, Answer::Undecided { rounds_needed: None });
    }

    #[test]
    fn small_and_real_is_different_and_within_the_margin() {
        let decision = decide(&spread(0.02, 0.003), &Rule::for_asks(1, 1.0)).unwrap();
        assert_eq!(decision.answer, Answer::Different);
        assert!(decision.equivalence.equivalent);
    }

    /// Exact power by the non-central t (scipy 1.17.1, `scipy.stats.nct`): n = 9 gives 0.748, n = 10 gives 0.803.
    #[test]
    fn rounds_needed_agree_with_power_t_test() {
        let six = spread(0.1, 0.1);
        let ratio = ratio_of_logs(&six, 0.95).unwrap();
        let exact = Ratio { log_sd: 0.1, ..ratio };
        let rounds = rounds_needed(&exact, &Rule::for_asks(1, 1.0)).unwrap();
        assert!((10..=11).contains(&rounds), "{rounds}");
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for (margin, alpha) in [(1.0, 0.05), (f64::NAN, 0.05), (1.05, 0.0), (1.05, 0.5), (1.05, f64::NAN)] {
            assert_eq!(equivalence(&spread(0.0, 0.1), margin, alpha), Err(NoInterval::OutOfRange));
        }
        assert_eq!(decide(&spread(0.0, 0.1), &Rule::for_asks(1, 0.9)), Err(NoInterval::OutOfRange));
    }

    proptest! {
        #[test]
        fn equivalent_means_the_interval_is_inside(values in proptest::collection::vec(-0.1..0.1f64, 6..20)) {
            let outcome = equivalence(&values, 1.05, 0.05).unwrap();
            let inside = outcome.interval.high < 1.05 && outcome.interval.low > 1.0 / 1.05;
            prop_assert_eq!(outcome.equivalent, inside);
        }

        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..20), floor in any::<f64>()) {
            let _ = decide(&values, &Rule::for_asks(3, floor));
        }
    }
}
