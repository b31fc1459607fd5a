//! The dependence between rounds, for every metric of an ask: estimated over all arms of the study, because one
//! comparison of a few rounds hardly shows it. Every paired comparison of the study takes it from here. A comparison of
//! two arms, a trend and the noise floor also look at their own series.

use crate::control::compared;
use crate::finding::{Dependence, NoDependence, Remark};
use crate::observations::Observations;
use stats::dependence::{are_suspected, dependence, of_series};
use stats::{Confidence, confidence};
use std::collections::{BTreeMap, BTreeSet};

/// A strong dependence. Where it would often go unnoticed, "not found" would say nothing.
const STRONG: f64 = 0.7;
/// An arm with fewer rounds than this share of those of the best arm is left out, so that it does not remove every
/// round.
const ROUNDS_SHARE_MIN: f64 = 0.5;

/// Estimates by full metric name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependences(BTreeMap<String, Assessed>);

/// One metric's estimate, or the reason why there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assessed(Result<stats::Dependence, NoDependence>);

impl Dependences {
    /// The estimates for these metrics.
    pub(crate) fn for_metrics(observations: &Observations<'_>, metrics: &[String]) -> Self {
        let assessed = |metric: &String| (metric.clone(), Assessed::for_metric(observations, metric));
        Self(metrics.iter().map(assessed).collect())
    }

    pub(crate) fn of_metric(&self, metric: &str) -> Assessed {
        self.0.get(metric).copied().unwrap_or(Assessed(Err(NoDependence::NotAsked)))
    }

    /// Whether all metrics together make dependent rounds likely enough for cautious noise floors.
    pub(crate) fn are_suspected(&self) -> bool {
        are_suspected(self.0.values().filter_map(|assessed| assessed.0.ok()))
    }

    /// All of them, over the rounds of each estimate.
    pub(crate) fn by_metric(&self) -> BTreeMap<String, Dependence> {
        let over_its_rounds = |assessed: &Assessed| {
            let rounds = assessed.0.map_or(0, |found| found.rounds);
            assessed.over(rounds)
        };
        self.0.iter().map(|(metric, assessed)| (metric.clone(), over_its_rounds(assessed))).collect()
    }
}

impl Assessed {
    fn for_metric(observations: &Observations<'_>, metric: &str) -> Self {
        let (rounds, logs) = complete(arms(observations, metric));
        Self(dependence(&rounds, &logs).map_err(NoDependence::NoEstimate))
    }

    /// The correlation that intervals allow for.
    pub(crate) fn correlation(self) -> f64 {
        self.0.map_or(0.0, |found| found.counted())
    }

    /// What is known, with the effect on an interval over this number of rounds.
    pub(crate) fn over(self, rounds: usize) -> Dependence {
        let found = match self.0 {
            Ok(found) => found,
            Err(why) => return Dependence::NotAssessable(why),
        };
        let (lag1, counted, detectable) = (found.lag1.clamp(-1.0, 1.0), found.counted(), found.detectable());
        if counted > 0.0 {
            Dependence::Found { lag1, counted, widened_by: confidence::widening(counted, rounds) }
        } else if detectable <= STRONG {
            Dependence::NotFound { lag1, detectable }
        } else {
            let stats::Dependence { rounds, arms, .. } = found;
            Dependence::NotAssessable(NoDependence::Undetectable { rounds, arms, detectable })
        }
    }
}

impl Dependence {
    /// The same with the effect on an interval over this number of rounds.
    pub(crate) fn over(self, rounds: usize) -> Self {
        match self {
            Self::Found { lag1, counted, .. } => {
                Self::Found { lag1, counted, widened_by: confidence::widening(counted, rounds) }
            }
            Self::NotFound { .. } | Self::NotAssessable(_) => self,
        }
    }

    /// This, or the dependence of a comparison's own log ratios in these rounds if intervals have to allow for more of
    /// it: the arms of one comparison may depend on their past more than the others.
    pub(crate) fn or_of_series(self, rounds: &[u32], logs: &[f64]) -> Self {
        let own = Assessed(of_series(rounds, logs).map_err(NoDependence::NoEstimate)).over(rounds.len());
        if own.correlation() > self.correlation() { own } else { self.over(rounds.len()) }
    }

    /// What an interval of a ratio at this level has to hold.
    pub(crate) fn confidence(self, level: f64) -> Confidence {
        Confidence { level, correlation: self.correlation() }
    }

    /// A remark if intervals are notably wider than those of independent rounds.
    pub(crate) fn remark(self) -> Option<Remark> {
        let (correlation, widened_by) = self.notable()?;
        Some(Remark::DependentRounds { correlation, widened_by })
    }
}

/// Natural logarithms by round.
type Series = BTreeMap<u32, f64>;

/// Every configuration, and the baseline again, if the metric is positive in all of its trials.
fn arms(observations: &Observations<'_>, metric: &str) -> Vec<Series> {
    let plan = observations.plan;
    let once = (0..plan.configurations.len()).map(|configuration| (configuration, false));
    once.chain([(plan.duplicate, true)])
        .map(|(configuration, duplicate)| compared(observations, configuration, duplicate, metric))
        .filter(|series| !series.is_empty() && series.values().all(|value| *value > 0.0))
        .map(|series| series.into_iter().map(|(round, value)| (round, value.ln())).collect())
        .collect()
}

/// The rounds in which every arm has a value, and `logs[round][arm]` in them.
fn complete(mut arms: Vec<Series>) -> (Vec<u32>, Vec<Vec<f64>>) {
    let most = arms.iter().map(BTreeMap::len).max().unwrap_or(0);
    arms.retain(|arm| arm.len() as f64 >= ROUNDS_SHARE_MIN * most as f64);
    let rounds_of = |arm: &Series| arm.keys().copied().collect::<BTreeSet<u32>>();
    let shared = arms.iter().map(rounds_of).reduce(|shared, rounds| &shared & &rounds).unwrap_or_default();
    let at = |round: &u32| arms.iter().filter_map(|arm| arm.get(round).copied()).collect();
    (shared.iter().copied().collect(), shared.iter().map(at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(rounds: impl IntoIterator<Item = u32>) -> Series {
        rounds.into_iter().map(|round| (round, f64::from(round))).collect()
    }

    #[test]
    fn an_arm_that_keeps_failing_does_not_remove_every_round() {
        let (rounds, logs) = complete(vec![series(0..8), series(1..8), series([2, 5])]);
        assert_eq!(rounds, [1, 2, 3, 4, 5, 6, 7]);
        assert!(logs.iter().all(|round| round.len() == 2));
        assert_eq!(complete(Vec::new()), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_so_few_rounds_would_miss_is_not_called_absent() {
        let of = |lag1, error| Assessed(Ok(stats::Dependence { lag1, error, rounds: 6, arms: 3 })).over(6);
        assert_eq!(
            of(0.2, 0.6),
            Dependence::NotAssessable(NoDependence::Undetectable {
                rounds: 6,
                arms: 3,
                detectable: 2.487 * 0.6
            })
        );
        assert_eq!(of(0.2, 0.2), Dependence::NotFound { lag1: 0.2, detectable: 2.487 * 0.2 });
        let Dependence::Found { lag1, counted, widened_by } = of(1.2, 0.2) else { panic!() };
        assert!(lag1 <= 1.0 && counted > 0.9 && widened_by > 1.9);
        assert!(Assessed(Err(NoDependence::NotAsked)).correlation() < f64::EPSILON);
    }
}
