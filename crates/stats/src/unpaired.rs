//! Contrasts between two runs: trials of two samples that share no round, no day and perhaps no machine.
//!
//! Nothing pairs them, so nothing cancels: the spread of both sides counts, and they may differ (a new kernel can be
//! steadier than the old one), which is what Welch's test is for. What changes from run to run is not in the scatter of
//! one run's trials: [`crate::run_spread`] adds it.
//!
//! What is compared is positive, so contrasts are ratios. Parts of a whole may be zero, and their differences sum to
//! that of the whole: [`difference`] compares them.

use crate::blocks;
use crate::distribution::{student_p, student_two_sided, student_upper_p};
use crate::equivalence::{Answer, Rule, would_decide};
use crate::interval::{Interval, NoInterval, TRIALS_MIN, are_equal_logs};
use crate::rounds::fewest;
use crate::sample;

/// How many times the second sample's geometric mean is the first's, decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnpairedDecision {
    /// The answer; `rounds_needed` are rounds of each run.
    pub answer: Answer,
    /// Ratio second ÷ first at the rule's level; `n` counts the trials of both.
    pub interval: Interval,
    /// Two-sided p-value that the ratio is 1.
    pub p: f64,
    /// Whether equivalence within the margin is proven; true beside [`Answer::Different`] for a small real difference.
    pub equivalent: bool,
    /// Whether the estimate lies inside the noise floor.
    pub inside_noise: bool,
}

/// The difference of two samples' means: of logarithms, or of values relative to the largest.
#[derive(Clone, Copy)]
struct Welch {
    difference: f64,
    error: f64,
    freedom: f64,
    variances: (f64, f64),
    /// Variance of `difference` that is known beforehand and that no sample shows.
    known_variance: f64,
    n: (usize, usize),
}

impl Welch {
    fn compare(first: &[f64], second: &[f64], model: &Model) -> Result<Self, NoInterval> {
        Self::of(&logs(first, model.n_min)?, &logs(second, model.n_min)?, model.known_variance)
    }

    fn of(first: &[f64], second: &[f64], known_variance: f64) -> Result<Self, NoInterval> {
        let mean = |values: &[f64]| sample::mean(values).ok_or(NoInterval::NotFinite);
        let variance = |values: &[f64]| {
            sample::standard_deviation(values).map(|deviation| deviation.powi(2)).ok_or(NoInterval::NotFinite)
        };
        let difference = mean(second)? - mean(first)?;
        let variances = (variance(first)?, variance(second)?);
        let n = (first.len(), second.len());
        if !(known_variance >= 0.0 && known_variance.is_finite()) {
            return Err(NoInterval::OutOfRange);
        }
        let (error, freedom) = standard_error(variances, known_variance, n);
        Ok(Self { difference, error, freedom, variances, known_variance, n })
    }

    /// Whether neither sample scatters and nothing else is known to: nothing is left that t could go by.
    fn are_both_equal(&self) -> bool {
        self.known_variance <= 0.0
            && are_equal_logs(self.variances.0.sqrt())
            && are_equal_logs(self.variances.1.sqrt())
    }

    /// Chance that two samples of one distribution, none of whose values are alike, part as these do: all of one above
    /// all of the other, either way (Wilcoxon's rank-sum test at its extreme).
    fn parted_by_chance(&self) -> f64 {
        let (n, more) = (self.n.0.min(self.n.1), self.n.0.max(self.n.1));
        (1..=n).fold(2.0, |chance, k| chance * k as f64 / (more + k) as f64)
    }

    /// The p-value that the ratio is 1.
    fn p(&self) -> f64 {
        if !self.are_both_equal() {
            student_p(self.difference / self.error, self.freedom)
        } else if are_equal_logs(self.difference.abs()) {
            1.0
        } else {
            self.parted_by_chance()
        }
    }

    fn interval(&self, level: f64) -> Result<Interval, NoInterval> {
        if self.are_both_equal() {
            let (estimate, n) = (self.difference, self.n.0 + self.n.1);
            let level = level.min(1.0 - self.parted_by_chance());
            return Ok(Interval { estimate, low: estimate, high: estimate, level, n });
        }
        let half = student_two_sided(level, self.freedom).ok_or(NoInterval::OutOfRange)? * self.error;
        let (estimate, n) = (self.difference, self.n.0 + self.n.1);
        Ok(Interval { estimate, low: estimate - half, high: estimate + half, level, n })
    }

    /// Two one-sided tests: the p-value that the ratio is at the nearer margin or beyond.
    fn equivalence_p(&self, margin: f64) -> f64 {
        let room = margin.ln() - self.difference.abs();
        match self.are_both_equal() {
            true if room > 0.0 => self.parted_by_chance() / 2.0,
            true => 1.0,
            false => student_upper_p(room / self.error, self.freedom),
        }
    }

    fn rounds_needed(&self, rule: &Rule) -> Option<usize> {
        if self.are_both_equal() {
            let differs = self.difference.abs() > rule.noise_floor.ln();
            let is_equivalent = self.difference.abs() < rule.margin.ln();
            let chance = |n| Self { n: (n, n), ..*self }.parted_by_chance();
            return fewest(self.n.0.max(self.n.1), |n| {
                differs && 1.0 - chance(n) >= rule.level || is_equivalent && chance(n) / 2.0 <= rule.alpha
            });
        }
        fewest(self.n.0.max(self.n.1), |n| {
            let (error, freedom) = standard_error(self.variances, self.known_variance, (n, n));
            would_decide(self.difference, error, freedom, rule)
        })
    }
}

/// What is known about two samples beside their values.
pub(crate) struct Model {
    /// Variance of the difference of their mean logarithms that their scatter does not show.
    pub(crate) known_variance: f64,
    /// The fewest values of each.
    pub(crate) n_min: usize,
}

/// Two samples that show everything themselves.
const PLAIN: Model = Model { known_variance: 0.0, n_min: TRIALS_MIN };

/// The fewest values of a side that show its scatter: with two, one degree of freedom is left, and the interval says
/// nothing.
pub(crate) const SCATTER_MIN: usize = 3;

/// More degrees of freedom than this are as good as infinite: the quantiles of Student and of the normal distribution
/// agree to three digits.
const FREEDOM_MAX: f64 = 1e4;

fn logs(values: &[f64], n_min: usize) -> Result<Vec<f64>, NoInterval> {
    if values.len() < n_min {
        return Err(NoInterval::TooFew { n: values.len(), needed: n_min });
    }
    values.iter().map(|value| blocks::log(*value)).collect()
}

/// Welch's standard error with the degrees of freedom of Welch and Satterthwaite. A variance that is known beforehand
/// has infinitely many.
fn standard_error(variances: (f64, f64), known: f64, n: (usize, usize)) -> (f64, f64) {
    let (first, second) = (variances.0 / n.0 as f64, variances.1 / n.1 as f64);
    let (free_first, free_second) = (n.0 as f64 - 1.0, n.1 as f64 - 1.0);
    let total = first + second + known;
    let freedom = total.powi(2) / (first.powi(2) / free_first + second.powi(2) / free_second);
    // Two samples without spread leave 0/0; their error is zero, whatever the freedom.
    let without_spread = if known > 0.0 { FREEDOM_MAX } else { free_first + free_second };
    (total.sqrt(), if freedom.is_finite() { freedom.min(FREEDOM_MAX) } else { without_spread })
}

/// The p-value of a ratio of 1 alone: what a family is adjusted from before its intervals are known.
///
/// # Errors
/// As [`decide`].
pub fn p_value(first: &[f64], second: &[f64]) -> Result<f64, NoInterval> {
    p_value_of(first, second, &PLAIN)
}

/// The same under a model.
pub(crate) fn p_value_of(first: &[f64], second: &[f64], model: &Model) -> Result<f64, NoInterval> {
    Ok(Welch::compare(first, second, model)?.p())
}

/// Decides from the values of two independent samples, each of at least [`TRIALS_MIN`] positive values.
///
/// Source: Welch, *The generalization of "Student's" problem when several different population variances are involved*,
/// Biometrika 1947, on logarithms; equivalence as in [`crate::equivalence`].
///
/// # Errors
/// [`NoInterval`] for fewer values, values that are not positive and finite, or a rule out of range.
pub fn decide(first: &[f64], second: &[f64], rule: &Rule) -> Result<UnpairedDecision, NoInterval> {
    decide_by(first, second, rule, &PLAIN)
}

/// The same under a model.
pub(crate) fn decide_by(
    first: &[f64],
    second: &[f64],
    rule: &Rule,
    model: &Model,
) -> Result<UnpairedDecision, NoInterval> {
    let sound = rule.noise_floor >= 1.0
        && rule.margin > 1.0
        && rule.margin.is_finite()
        && rule.alpha > 0.0
        && rule.alpha < 0.5;
    if !sound {
        return Err(NoInterval::OutOfRange);
    }
    let welch = Welch::compare(first, second, model)?;
    let interval = welch.interval(rule.level)?.exp()?;
    let p = welch.p();
    let equivalent = welch.equivalence_p(rule.margin) <= rule.alpha;
    let inside_noise = welch.difference.abs() <= rule.noise_floor.ln();
    let answer = if !interval.contains(1.0) && interval.reaches(rule.level) && !inside_noise {
        Answer::Different
    } else if equivalent {
        Answer::Equivalent
    } else {
        Answer::Undecided { rounds_needed: welch.rounds_needed(rule) }
    };
    Ok(UnpairedDecision { answer, interval, p, equivalent, inside_noise })
}

/// How much greater the second sample's mean is than the first's, in the unit of the values, by Welch's test. Each has
/// at least three values, of which none has to be positive.
///
/// # Errors
/// [`NoInterval`] for fewer values, values that are not finite, or a `level` outside (0, 1).
pub fn difference(first: &[f64], second: &[f64], level: f64) -> Result<Interval, NoInterval> {
    let n = first.len().min(second.len());
    if n < SCATTER_MIN {
        return Err(NoInterval::TooFew { n, needed: SCATTER_MIN });
    }
    // Relative to the largest: what rounding leaves of equal values is then known as such.
    let largest =
        first.iter().chain(second).fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    let relative = |values: &[f64]| values.iter().map(|value| value / largest).collect::<Vec<_>>();
    let Interval { estimate, low, high, level, n } =
        Welch::of(&relative(first), &relative(second), 0.0)?.interval(level)?;
    Interval { estimate: estimate * largest, low: low * largest, high: high * largest, level, n }.finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    const FIRST: [f64; 6] = [100.0, 103.0, 98.0, 110.0, 105.0, 99.0];
    const SECOND: [f64; 7] = [121.0, 118.0, 119.0, 125.0, 131.0, 113.0, 160.0];

    fn rule(asks: usize) -> Rule {
        Rule::for_asks(asks, 1.0)
    }

    /// Expected figures: scipy 1.17.1, `ttest_ind(log(second), log(first), equal_var=False)` and `np.exp` of its
    /// interval.
    #[test]
    fn welch_matches_scipy() {
        let decision = decide(&FIRST, &SECOND, &rule(1)).unwrap();
        assert_close(decision.interval.estimate, 1.229_837_255_374_957, 1e-9);
        assert_close(decision.interval.low, 1.103_144_135_402_187, 1e-8);
        assert_close(decision.interval.high, 1.371_080_737_474_778, 1e-8);
        assert_close(decision.p, 2.368_089_425e-3, 1e-6);
        assert_close(p_value(&FIRST, &SECOND).unwrap(), decision.p, 0.0);
        assert_eq!((decision.answer, decision.interval.n), (Answer::Different, 13));
    }

    /// Expected figures: Welch's formulas in Python, the quantile of t with 2.867 degrees of freedom by bisection of
    /// the incomplete beta function's continued fraction (Abramowitz & Stegun 26.5.8).
    #[test]
    fn differences_have_welchs_interval() {
        let interval = difference(&[10.0, 12.0, 11.5], &[0.0, 0.5, 4.0], 0.99).unwrap();
        assert_close(interval.estimate, -9.666_666_666_667, 1e-9);
        assert_close(interval.low, -18.197_001_709, 1e-8);
        assert_close(interval.high, -1.136_331_624, 1e-8);
        assert_eq!((interval.level, interval.n), (0.99, 6));
    }

    #[test]
    fn a_difference_of_samples_without_spread_has_the_confidence_of_ranks() {
        // All three above the other three, either way: 2 of 20 ways.
        let apart = difference(&[0.0; 3], &[0.1; 3], 0.99).unwrap();
        assert_close(apart.level, 0.9, 1e-12);
        assert_close(apart.estimate, 0.1, 1e-12);
        assert!(!apart.reaches(0.99));
        assert!(difference(&[0.0; 3], &[0.0; 3], 0.99).unwrap().contains(0.0));
        assert_eq!(difference(&[1.0; 2], &[2.0; 6], 0.95), Err(NoInterval::TooFew { n: 2, needed: 3 }));
        assert_eq!(difference(&[f64::NAN; 3], &[2.0; 3], 0.95), Err(NoInterval::NotFinite));
        assert_eq!(difference(&[1.0, 2.0, 3.0], &[2.0; 3], 1.0), Err(NoInterval::OutOfRange));
    }

    #[test]
    fn the_three_answers() {
        let around = |centre: f64, spread: f64| -> Vec<f64> {
            [-1.2, -0.7, -0.1, 0.1, 0.7, 1.2].iter().map(|step| centre * (spread * step).exp()).collect()
        };
        let answer =
            |centre: f64, spread: f64| decide(&around(100.0, spread), &around(centre, spread), &rule(1));
        assert_eq!(answer(130.0, 0.02).unwrap().answer, Answer::Different);
        assert_eq!(answer(100.5, 0.01).unwrap().answer, Answer::Equivalent);
        let Answer::Undecided { rounds_needed: Some(rounds) } = answer(106.0, 0.1).unwrap().answer else {
            panic!("{:?}", answer(106.0, 0.1));
        };
        assert!((7..200).contains(&rounds), "{rounds}");
        let noisy = Rule { noise_floor: 1.5, ..rule(1) };
        let inside = decide(&around(100.0, 0.02), &around(130.0, 0.02), &noisy).unwrap();
        assert!(inside.inside_noise && inside.answer != Answer::Different);
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        assert_eq!(p_value(&FIRST[..5], &SECOND), Err(NoInterval::TooFew { n: 5, needed: 6 }));
        assert_eq!(decide(&FIRST, &[0.0; 6], &rule(1)), Err(NoInterval::NotPositive));
        assert_eq!(decide(&FIRST, &[f64::NAN; 6], &rule(1)), Err(NoInterval::NotFinite));
        let broken = Rule { noise_floor: f64::NAN, ..rule(1) };
        assert_eq!(decide(&FIRST, &SECOND, &broken), Err(NoInterval::OutOfRange));
    }

    #[test]
    fn samples_without_spread_prove_what_their_ranks_do() {
        let same = decide(&[2.0; 6], &[2.0; 8], &rule(1)).unwrap();
        assert_eq!((same.answer, same.p), (Answer::Equivalent, 1.0));
        let twice = decide(&[2.0; 6], &[4.0; 8], &rule(1)).unwrap();
        assert_eq!(twice.answer, Answer::Different);
        assert_close(twice.interval.low, 2.0, 1e-12);
        // All eight above all six: 2 of 3003 ways.
        assert_close(twice.p, 2.0 / 3003.0, 1e-9);
        let strict = decide(&[2.0; 6], &[4.0; 8], &rule(100)).unwrap();
        assert!(matches!(strict.answer, Answer::Undecided { .. }), "one of a hundred asks: {strict:?}");
    }

    proptest! {
        #[test]
        fn swapping_runs_inverts_the_ratio(
            first in proptest::collection::vec(0.1..100.0f64, 6..20),
            second in proptest::collection::vec(0.1..100.0f64, 6..20),
        ) {
            let forward = decide(&first, &second, &rule(3)).unwrap();
            let backward = decide(&second, &first, &rule(3)).unwrap();
            prop_assert!((forward.interval.low * backward.interval.high - 1.0).abs() < 1e-9);
            prop_assert!((forward.p - backward.p).abs() < 1e-9);
            prop_assert_eq!(forward.answer, backward.answer);
        }

        #[test]
        fn never_panics(
            first in proptest::collection::vec(any::<f64>(), 0..20),
            second in proptest::collection::vec(any::<f64>(), 0..20),
            floor in any::<f64>(),
        ) {
            if let Ok(interval) = difference(&first, &second, floor) {
                prop_assert!(interval.contains(interval.estimate));
            }
            let rule = Rule { noise_floor: floor, ..rule(2) };
            if let Ok(decision) = decide(&first, &second, &rule) {
                prop_assert!(decision.interval.contains(decision.interval.estimate));
                prop_assert!((0.0..=1.0).contains(&decision.p));
            }
        }
    }
}
