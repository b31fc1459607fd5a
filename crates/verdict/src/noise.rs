//! The A/A noise floor of every metric of an ask: the baseline ran twice in each round, and the difference between its
//! two arms is what the study would call a difference when there is none. What turns could shift a comparison by is
//! part of it.

use crate::control::compared;
use crate::dependence::{Assessed, Dependences};
use crate::estimate;
use crate::finding::{NOISE_FLOOR_LEVEL, NoFloor, Noise, Remark};
use crate::observations::Observations;
use model::metric::{self, Source};
use stats::contrast::log_ratios;
use stats::noise::noise_floor;
use stats::{Confidence, NoInterval, NoiseFloor};
use std::collections::BTreeMap;

/// Noise floors by full metric name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Floors(BTreeMap<String, Floor>);

/// One metric's floor, or the reason why it is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    found: Result<NoiseFloor, NoFloor>,
    /// Level of the interval whose outer bound it is.
    level: f64,
    /// By how much turns could shift a comparison, as a ratio of at least 1.
    shift: f64,
    /// The pairs behind it and the correlation that it allows for, if rounds are suspected to depend on each other.
    suspected: Option<(Vec<(f64, f64)>, Confidence)>,
}

impl Floors {
    /// The floors of these metrics.
    pub(crate) fn for_metrics(
        observations: &Observations<'_>,
        metrics: &[String],
        dependences: &Dependences,
    ) -> Self {
        let are_suspected = dependences.are_suspected();
        let floor = |metric: &String| {
            let dependence = dependences.of_metric(metric);
            (metric.clone(), Floor::for_metric(observations, metric, dependence, are_suspected))
        };
        Self(metrics.iter().map(floor).collect())
    }

    /// The same, at least as high as turns could shift a comparison by: a ratio of at least 1. The program's own counts
    /// depend on no rate.
    pub(crate) fn raised_to(mut self, shift: f64) -> Self {
        let is_timed =
            |metric: &str| metric::find(metric).is_none_or(|metric| metric.family.source != Source::Program);
        for (_, floor) in self.0.iter_mut().filter(|(metric, _)| is_timed(metric)) {
            floor.shift = shift;
        }
        self
    }

    pub(crate) fn of_metric(&self, metric: &str) -> Floor {
        self.0.get(metric).cloned().unwrap_or(Floor {
            found: Err(NoFloor::NotAsked),
            level: NOISE_FLOOR_LEVEL,
            shift: 1.0,
            suspected: None,
        })
    }

    /// Every floor as a ratio of at least 1, or the reason why it is unknown.
    pub(crate) fn by_metric(&self) -> BTreeMap<String, Noise> {
        self.0.iter().map(|(metric, floor)| (metric.clone(), floor.noise())).collect()
    }
}

impl Floor {
    fn for_metric(
        observations: &Observations<'_>,
        metric: &str,
        dependence: Assessed,
        are_suspected: bool,
    ) -> Self {
        let baseline = observations.plan.duplicate;
        let first = compared(observations, baseline, false, metric);
        let second = compared(observations, baseline, true, metric);
        let pairs: Vec<(f64, f64)> =
            first.iter().filter_map(|(round, value)| Some((*value, *second.get(round)?))).collect();
        let rounds: Vec<u32> = first.keys().filter(|round| second.contains_key(round)).copied().collect();
        let logs = log_ratios(&pairs).unwrap_or_default();
        let dependence = dependence.over(rounds.len()).or_of_series(&rounds, &logs);
        let confidence = dependence.confidence(NOISE_FLOOR_LEVEL);
        let found = noise_floor(&pairs, confidence).map_err(reason);
        Self {
            found,
            level: NOISE_FLOOR_LEVEL,
            shift: 1.0,
            suspected: are_suspected.then_some((pairs, confidence)),
        }
    }

    /// The floor for a finding whose interval has this level. If rounds are suspected to depend on each other, the
    /// floor takes that level too: one baseline against itself then says as much as every comparison of a family is
    /// asked to.
    pub(crate) fn for_finding(self, level: f64) -> Self {
        let at_level = self.suspected.as_ref().filter(|_| self.found.is_ok() && level > NOISE_FLOOR_LEVEL);
        let wider =
            at_level.map(|(pairs, confidence)| noise_floor(pairs, confidence.at(level)).map_err(reason));
        match wider {
            Some(found) => Self { found, level, ..self },
            None => self,
        }
    }

    /// Level of the interval whose outer bound it is.
    pub(crate) const fn level(&self) -> f64 {
        self.level
    }

    /// The floor as a ratio; 1 if it is unknown.
    pub(crate) fn ratio(&self) -> f64 {
        self.known().unwrap_or(self.shift)
    }

    /// Whether a ratio lies inside the floor, so that no difference may be claimed from it; never if the floor is
    /// unknown.
    pub(crate) fn contains(&self, ratio: f64) -> bool {
        let is_shifted = ratio.ln().abs() <= self.shift.ln() && self.shift > 1.0;
        is_shifted || self.found.as_ref().is_ok_and(|floor| floor.contains_effect(ratio))
    }

    /// The floor as a ratio, if it is known.
    pub(crate) fn known(&self) -> Option<f64> {
        self.found.as_ref().ok().map(|floor| floor.ratio.max(self.shift))
    }

    fn noise(&self) -> Noise {
        match (self.known(), &self.found) {
            (_, Err(why)) => Noise::Unknown(*why),
            (ratio, Ok(floor)) => Noise::Floor(ratio.unwrap_or(floor.ratio)),
        }
    }

    /// A remark if there is no floor, or if the two arms of the baseline differ.
    pub(crate) fn remark(&self) -> Option<Remark> {
        match &self.found {
            Err(why) => Some(Remark::NoNoiseFloor { why: *why }),
            Ok(NoiseFloor { interval, .. }) => (!interval.contains(1.0))
                .then(|| Remark::BaselineDiffersFromItself(estimate::of_interval(interval))),
        }
    }
}

/// Why there is no floor, as the study sees it.
fn reason(why: NoInterval) -> NoFloor {
    match why {
        NoInterval::TooFew { n: 0, .. } => NoFloor::NoRound,
        NoInterval::TooFew { n, needed } => NoFloor::FewRounds { rounds: n, needed },
        NoInterval::NotPositive => NoFloor::Zero,
        other => NoFloor::NoInterval(other),
    }
}
