//! Dependence between rounds: whether the rounds next to each other resemble each other more than chance explains.
//!
//! What a round does to all arms cancels in paired ratios. What an arm has for itself in a round may last: a cache
//! below the disk that favours one arm for some minutes, credits that run out. One series of a few rounds hardly shows
//! this: if nine rounds correlate by 0.7, a test at 5 % finds it in 44 % of series. A study has more than one series,
//! though: each arm is one, the A/A arm included. So the first estimate is that of all arms together. If only the two
//! arms of a comparison depend on their past, it misses them, and the ratios of that comparison ([`of_series`]) may
//! show it; two estimates have two chances to be wrong, so this one needs more proof.

use crate::permutation::path_deviation;
use crate::{TRIALS_MIN, sample};

/// Fewest arms: with the round's mean removed from a single arm, nothing is left.
pub const ARMS_MIN: usize = 2;
/// A residual sum of squares of logarithms below this is the rounding of equal values.
const NEGLIGIBLE: f64 = 1e-24;
/// Largest correlation that is reckoned with; at 1 there would be a single round.
const LARGEST: f64 = 0.98;
/// Standard errors above zero from which on a correlation of all arms counts at all (one-sided significance of 5 %),
/// and in full (2 %). Between them it counts in part, so that no interval jumps when the last digit of a figure
/// changes.
const TOGETHER: (f64, f64) = (1.645, 2.054);
/// The same for the ratios of one comparison (2 % and 0.5 %). With these limits the interval of independent rounds
/// grows by less than 5 % on average, whichever estimate is the larger one (`tests/simulation/dependence.rs`).
const ALONE: (f64, f64) = (2.054, 2.576);
/// Mean standard errors above zero of the estimates of a study's metrics, above which dependence is suspected.
const SUSPECTED: f64 = 0.5;
/// Standard errors above the limits at which four in five correlations are found: the normal quantile of 0.8.
const POWER: f64 = 0.842;

/// Correlation of neighbouring rounds, in what each arm has for itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dependence {
    /// Estimate, corrected for its bias: 0 on average if rounds are independent. It may leave −1 … 1.
    pub lag1: f64,
    /// Its standard error if rounds are independent.
    pub error: f64,
    pub rounds: usize,
    /// Arms behind it; 1 for the ratios of one comparison.
    pub arms: usize,
}

/// Why the dependence between rounds is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEstimate {
    /// Fewer complete rounds than an interval needs.
    #[error("{rounds} complete rounds, the correlation of neighbouring rounds needs {needed}")]
    FewRounds { rounds: usize, needed: usize },
    /// Fewer arms that scatter than [`ARMS_MIN`].
    #[error("{arms} of the {ARMS_MIN} arms that the correlation of neighbouring rounds needs")]
    FewArms { arms: usize },
    /// No round is left beside another, because too many are missing.
    #[error("no round is left beside another")]
    NoNeighbours,
    /// Rounds of different length, or round numbers that do not increase or do not match.
    #[error("the rounds are not complete: every round needs its number and one value for every arm")]
    Ragged,
    /// A value is NaN or infinite.
    #[error("a value is not a finite number")]
    NotFinite,
}

impl Dependence {
    /// The correlation that intervals allow for: none unless it is significant ([`crate::Confidence`]).
    pub fn counted(&self) -> f64 {
        let (from, full) = self.limits();
        let share = ((self.lag1 / self.error - from) / (full - from)).clamp(0.0, 1.0);
        let counted = self.lag1.min(LARGEST) * share;
        if counted > 0.0 { counted } else { 0.0 }
    }

    /// The smallest true correlation that this many rounds and arms find four times in five. It is above 1 if they find
    /// none.
    pub fn detectable(&self) -> f64 {
        (self.limits().0 + POWER) * self.error
    }

    fn limits(&self) -> (f64, f64) {
        if self.arms == 1 { ALONE } else { TOGETHER }
    }
}

/// Whether the rounds of a study are suspected to depend on each other, by the estimates for all of its metrics: they
/// lie more than half a standard error above zero on average. No interval grows by that. But a noise floor, which rests
/// on one pair of arms, then takes the level of the findings that it bounds, because every one of a family of them may
/// be the one that lasted by chance (`tests/simulation/dependent_families.rs`).
pub fn are_suspected(found: impl IntoIterator<Item = Dependence>) -> bool {
    let (mut sum, mut metrics) = (0.0, 0_u32);
    for dependence in found {
        sum += dependence.lag1 / dependence.error;
        metrics += 1;
    }
    sum > SUSPECTED * f64::from(metrics)
}

/// The dependence of `logs[round][arm]`, natural logarithms of a response in the rounds numbered `rounds`, which
/// increase.
///
/// From every value the mean of its round and that of its arm are taken, and what is left of each arm is brought to the
/// same spread. The mean product of neighbours, relative to the mean square, is the lag-1 correlation r of all arms
/// together. Only rounds with consecutive numbers are neighbours, so a missing round leaves out two products.
/// Independent rounds could have come in any order, so r has mean −1/n, and its spread over all orders is known for any
/// distribution of the values and for arms that resemble each other.
///
/// Dependent rounds lower r by about (1 + 4ρ)/n, so the estimate is (n·r + 1)/(n − 4).
///
/// Sources: bias: Marriott & Pope, *Bias in the estimation of autocorrelations*, Biometrika 1954, and Kendall's note
/// beside it; permutation: Wald & Wolfowitz, *An exact test for randomness in the non-parametric case based on serial
/// correlation*, Ann. Math. Stat. 1943, here of several series.
///
/// # Errors
/// [`NoEstimate`] for fewer than six rounds or two arms that scatter, incomplete rounds, or values that are not finite.
pub fn dependence(rounds: &[u32], logs: &[Vec<f64>]) -> Result<Dependence, NoEstimate> {
    let width = logs.first().map_or(0, Vec::len);
    if logs.iter().any(|row| row.len() != width) {
        return Err(NoEstimate::Ragged);
    }
    check(rounds, logs.len())?;
    let own = own(logs)?;
    if own.len() < ARMS_MIN {
        return Err(NoEstimate::FewArms { arms: own.len() });
    }
    estimate(rounds, &own)
}

/// The same of one series: the log ratios of a comparison, one per round.
///
/// # Errors
/// [`NoEstimate`] for fewer than six rounds, a series that does not scatter, or values that are not finite.
pub fn of_series(rounds: &[u32], logs: &[f64]) -> Result<Dependence, NoEstimate> {
    check(rounds, logs.len())?;
    let own = standardised(logs)?.ok_or(NoEstimate::FewArms { arms: 0 })?;
    estimate(rounds, &[own])
}

fn check(rounds: &[u32], n: usize) -> Result<(), NoEstimate> {
    if n < TRIALS_MIN {
        Err(NoEstimate::FewRounds { rounds: n, needed: TRIALS_MIN })
    } else if rounds.len() != n || rounds.windows(2).any(|pair| pair[0] >= pair[1]) {
        Err(NoEstimate::Ragged)
    } else {
        Ok(())
    }
}

/// From `own[arm][round]`, whose squares sum to 1 in each arm.
fn estimate(rounds: &[u32], own: &[Vec<f64>]) -> Result<Dependence, NoEstimate> {
    let n = rounds.len();
    let are_neighbours: Vec<bool> = rounds.windows(2).map(|pair| pair[1] - pair[0] == 1).collect();
    let pairs = are_neighbours.iter().filter(|beside| **beside).count();
    if pairs == 0 {
        return Err(NoEstimate::NoNeighbours);
    }
    let products = |a: usize, b: usize| own.iter().map(|arm| arm[a] * arm[b]).sum::<f64>();
    let alike: f64 =
        (1..n).filter(|next| are_neighbours[next - 1]).map(|next| products(next - 1, next)).sum();
    let scale = (n - 1) as f64 / pairs as f64 / own.len() as f64;
    let deviation = path_deviation(n, products, &are_neighbours);
    let correct = 1.0 / (n as f64 - 4.0);
    let found = Dependence {
        lag1: (n as f64 * alike * scale + 1.0) * correct,
        error: n as f64 * deviation * scale * correct,
        rounds: n,
        arms: own.len(),
    };
    if found.lag1.is_finite() && found.error.is_finite() && found.error > 0.0 {
        Ok(found)
    } else {
        Err(NoEstimate::NotFinite)
    }
}

/// What each arm has for itself, `own[arm][round]`, with squares that sum to 1; without arms that do not scatter.
fn own(logs: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, NoEstimate> {
    let width = logs.first().map_or(0, Vec::len);
    let of_round = |row: &Vec<f64>| row.iter().sum::<f64>() / width as f64;
    let of_rounds: Vec<f64> = logs.iter().map(of_round).collect();
    let of_arm = |arm: usize| {
        let values: Vec<f64> = logs.iter().zip(&of_rounds).map(|(row, round)| row[arm] - round).collect();
        standardised(&values).transpose()
    };
    (0..width).filter_map(of_arm).collect()
}

/// Values around their mean, with squares that sum to 1; `None` if they do not scatter.
fn standardised(values: &[f64]) -> Result<Option<Vec<f64>>, NoEstimate> {
    let centre = sample::mean(values).ok_or(NoEstimate::NotFinite)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    if !squares.is_finite() {
        return Err(NoEstimate::NotFinite);
    }
    let scaled = || values.iter().map(|value| (value - centre) / squares.sqrt()).collect();
    Ok((squares > NEGLIGIBLE).then(scaled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    const SLOW: [f64; 9] = [0.3, 0.2, 0.3, 0.1, -0.1, -0.2, -0.1, -0.2, -0.3];
    const QUICK: [f64; 9] = [0.1, -0.2, 0.3, -0.1, 0.2, -0.3, 0.1, -0.2, 0.1];

    /// Two arms: what one gains on the mean of its round, the other loses, so both are the same series.
    fn table(own: &[f64]) -> Vec<Vec<f64>> {
        own.iter().enumerate().map(|(round, own)| vec![round as f64 + own, round as f64 - own]).collect()
    }

    fn numbers(n: u32) -> Vec<u32> {
        (0..n).collect()
    }

    /// Expected figures: numpy 2.4.6, the lag-1 sum of products over the sum of squares, and the bias taken out by
    /// hand.
    #[test]
    fn two_arms_are_one_series_without_what_the_round_does() {
        let found = dependence(&numbers(9), &table(&SLOW)).unwrap();
        let squares: f64 = SLOW.iter().map(|value| value * value).sum();
        let products: f64 = SLOW.windows(2).map(|pair| pair[0] * pair[1]).sum();
        assert_close(found.lag1, (9.0 * products / squares + 1.0) / 5.0, 1e-9);
        assert_eq!((found.rounds, found.arms), (9, 2));
        assert!(found.counted() > 0.9, "{found:?}");
        assert_close(dependence(&numbers(9), &table(&QUICK)).unwrap().counted(), 0.0, 0.0);
        // The ratio of the two arms is that series too, and alone it needs more proof.
        let ratio = of_series(&numbers(9), &SLOW).unwrap();
        assert_close(ratio.lag1, found.lag1, 1e-9);
        assert_close(ratio.error, found.error, 1e-9);
        assert_eq!(ratio.arms, 1);
    }

    #[test]
    fn a_missing_round_leaves_no_neighbours_across_it() {
        let whole = dependence(&numbers(9), &table(&SLOW)).unwrap();
        let gap = dependence(&[0, 1, 2, 3, 5, 6, 7, 8, 9], &table(&SLOW)).unwrap();
        // The product across the gap was the negative one.
        assert!(gap.lag1 > whole.lag1 && gap.error > whole.error, "{gap:?} {whole:?}");
        let apart: Vec<u32> = (0..9).map(|round| 2 * round).collect();
        assert_eq!(dependence(&apart, &table(&SLOW)), Err(NoEstimate::NoNeighbours));
    }

    #[test]
    fn a_correlation_counts_only_beyond_chance_and_then_by_degrees() {
        let of = |arms: usize, z: f64| Dependence { lag1: 0.6, error: 0.6 / z, rounds: 12, arms }.counted();
        let at = |z: f64| of(4, z);
        assert_close(of(1, 2.0), 0.0, 0.0);
        assert_close(of(1, 2.6), 0.6, 1e-12);
        assert_close(at(1.6), 0.0, 0.0);
        assert!(at(1.8) > 0.1 && at(1.8) < 0.5, "{}", at(1.8));
        assert_close(at(2.1), 0.6, 1e-12);
        assert_close(Dependence { lag1: -0.6, error: 0.1, rounds: 12, arms: 4 }.counted(), 0.0, 0.0);
    }

    #[test]
    fn what_no_metric_proves_all_together_may_show() {
        let at = |z: f64| Dependence { lag1: 0.3, error: 0.3 / z, rounds: 6, arms: 3 };
        assert!(at(0.9).counted() <= 0.0 && are_suspected([at(0.9), at(0.4)]));
        assert!(!are_suspected([at(0.6), at(0.3)]) && !are_suspected([]));
    }

    #[test]
    fn more_arms_detect_smaller_correlations() {
        let detectable = |arms: usize| {
            let rounds: Vec<Vec<f64>> = (0..9)
                .map(|round| {
                    (0..arms)
                        .map(|arm| {
                            (1.0 + (7 * round * round + 3 * arm * round * round + 5 * arm) as f64).sin()
                        })
                        .collect()
                })
                .collect();
            dependence(&numbers(9), &rounds).unwrap().detectable()
        };
        assert!(detectable(2) > detectable(4) && detectable(4) > detectable(12));
    }

    #[test]
    fn what_cannot_be_assessed_has_a_reason() {
        assert_eq!(
            dependence(&numbers(5), &table(&SLOW[..5])),
            Err(NoEstimate::FewRounds { rounds: 5, needed: 6 })
        );
        assert_eq!(dependence(&numbers(6), &vec![vec![1.0]; 6]), Err(NoEstimate::FewArms { arms: 0 }));
        assert_eq!(dependence(&numbers(6), &vec![vec![0.1, 0.7]; 6]), Err(NoEstimate::FewArms { arms: 0 }));
        assert_eq!(dependence(&numbers(5), &table(&SLOW[..6])), Err(NoEstimate::Ragged));
        assert_eq!(dependence(&[0, 1, 2, 2, 3, 4], &table(&SLOW[..6])), Err(NoEstimate::Ragged));
        assert_eq!(dependence(&numbers(6), &vec![vec![f64::NAN, 0.7]; 6]), Err(NoEstimate::NotFinite));
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..60), width in 1..5usize) {
            let table: Vec<Vec<f64>> = values.chunks(width).map(<[f64]>::to_vec).collect();
            let series = of_series(&numbers(values.len() as u32), &values);
            for found in [dependence(&numbers(table.len() as u32), &table), series].into_iter().flatten() {
                prop_assert!((0.0..1.0).contains(&found.counted()) && found.detectable() > 0.0);
            }
        }
    }
}
