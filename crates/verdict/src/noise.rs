//! The A/A noise floor of every metric of an ask: the baseline ran twice in each round, and the difference between its two
//! arms is what the study would call a difference when there is none.

use crate::estimate;
use crate::finding::Remark;
use crate::observations::Observations;
use crate::phrase::count;
use model::mechanism::Measured;
use stats::noise::noise_floor;
use stats::{NoInterval, NoiseFloor};
use std::collections::BTreeMap;

/// Level of the A/A interval whose outer bound is the floor.
const LEVEL: f64 = 0.95;

/// Noise floors by full metric name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Floors(BTreeMap<String, Floor>);

/// One metric's floor, or the reason why it is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    found: Result<NoiseFloor, String>,
}

impl Floors {
    /// The floors of these metrics.
    pub(crate) fn for_metrics(observations: &Observations<'_>, metrics: &[String]) -> Self {
        Self(metrics.iter().map(|metric| (metric.clone(), Floor::for_metric(observations, metric))).collect())
    }

    /// One metric's floor.
    pub(crate) fn of_metric(&self, metric: &str) -> Floor {
        self.0.get(metric).cloned().unwrap_or_else(|| Floor { found: Err("no ask uses it".to_owned()) })
    }

    /// Every floor as a ratio of at least 1, or the reason why it is unknown.
    pub(crate) fn by_metric(&self) -> BTreeMap<String, Measured<f64>> {
        self.0.iter().map(|(metric, floor)| (metric.clone(), floor.measured())).collect()
    }
}

impl Floor {
    fn for_metric(observations: &Observations<'_>, metric: &str) -> Self {
        let baseline = observations.plan.duplicate;
        let first = observations.series(baseline, false, metric);
        let second = observations.series(baseline, true, metric);
        let pairs: Vec<(f64, f64)> =
            first.iter().filter_map(|(round, value)| Some((*value, *second.get(round)?))).collect();
        Self { found: noise_floor(&pairs, LEVEL).map_err(|why| reason(&why)) }
    }

    /// The floor as a ratio; 1 if it is unknown.
    pub(crate) fn ratio(&self) -> f64 {
        self.known().unwrap_or(1.0)
    }

    /// Whether a ratio lies inside the floor, so that no difference may be claimed from it; never if the floor is unknown.
    pub(crate) fn contains(&self, ratio: f64) -> bool {
        self.found.as_ref().is_ok_and(|floor| floor.contains_effect(ratio))
    }

    /// The floor as a ratio, if it is known.
    pub(crate) fn known(&self) -> Option<f64> {
        self.found.as_ref().ok().map(|floor| floor.ratio)
    }

    fn measured(&self) -> Measured<f64> {
        match &self.found {
            Ok(floor) => Measured::Value(floor.ratio),
            Err(why) => Measured::unsupported(why),
        }
    }

    /// A remark if there is no floor, or if the two arms of the baseline differ.
    pub(crate) fn remark(&self) -> Option<Remark> {
        match &self.found {
            Err(why) => Some(Remark::NoNoiseFloor { why: why.clone() }),
            Ok(NoiseFloor { interval, .. }) => (!interval.contains(1.0))
                .then(|| Remark::BaselineDiffersFromItself(estimate::of_interval(interval))),
        }
    }
}

/// Why there is no floor, in terms of the study.
fn reason(why: &NoInterval) -> String {
    match why {
        NoInterval::TooFew { n: 0, .. } => "no round has the baseline twice".to_owned(),
        NoInterval::TooFew { n, needed } => {
            format!("{} of the {needed} needed have the baseline twice", count(*n, "round"))
        }
        NoInterval::NotPositive => "the baseline is zero in some trial, and zero has no ratio".to_owned(),
        other => other.to_string(),
    }
}
