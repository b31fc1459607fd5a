//! Where the time of an operation differs between the sides of a finding.
//!
//! A segment has one value for each traced trial: its time in the trial's mean operation. A side of several
//! configurations has one value for each repetition that traced all of them, the mean of theirs.
//!
//! Only segments that take a share of both sides' time together are compared, at one simultaneous level. This share
//! does not depend on how the time divides between the sides, so the choice raises no false alarm.

use super::families::{self, Place};
use crate::basis::Basis;
use crate::estimate;
use crate::finding::{Answer, Finding, Levels, SegmentDifference, TimeDifference};
use crate::mechanism::{self, Arm};
use crate::verdict::Cell;
use model::Value;
use model::plan::StudyPlan;
use model::traced::{Segment, TimeSpent, TracedTrial};
use stats::family::simultaneous_level;
use stats::sample;
use std::collections::BTreeSet;

/// Share of both sides' time below which a segment is not compared.
const COMPARED_MIN: f64 = 0.03;
/// Confidence of the intervals of all segments together.
const CONFIDENCE: f64 = 0.95;

/// `None` if the finding does not compare two sides, or if a side has no traced trial.
pub(super) fn between_sides(
    plan: &StudyPlan,
    cells: &[Cell],
    finding: &Finding,
    trials: &[&TracedTrial],
) -> Option<TimeDifference> {
    let Levels { factor, level, baseline } = finding.subject.compared(&finding.ask.factor)?;
    let [level, baseline] = [level, baseline].map(|level| arm(plan, &finding.rests_on, &factor, level));
    let phases = trials.iter().flat_map(|trial| trial.outcome.phases());
    let found = families::found(phases).into_iter();
    found.filter(|(_, family)| families::is_about(&finding.metric, family)).find_map(|place| {
        let sides = [&level, &baseline].map(|arm| Side::of(arm, trials, place));
        let measured = |arm: &Arm| mechanism::mean(cells, arm, &format!("{}_mean_us", place.1));
        let measured_us = measured(&level).zip(measured(&baseline)).map(|(level, baseline)| level - baseline);
        compared(place.1, &sides, measured_us)
    })
}

/// The configurations with this level among those that a finding rests on.
fn arm(plan: &StudyPlan, rests_on: &Basis, factor: &str, level: Value) -> Arm {
    let has_level = |index: &&usize| {
        plan.configurations.get(**index).and_then(|values| values.get(factor)) == Some(&level)
    };
    Arm { configurations: rests_on.configurations.iter().filter(has_level).copied().collect(), level }
}

/// The traced operations of one side: of each repetition, those of every configuration.
struct Side<'a>(Vec<Vec<&'a TimeSpent>>);

impl<'a> Side<'a> {
    fn of(arm: &Arm, trials: &[&'a TracedTrial], place: Place<'_>) -> Self {
        let spent = |configuration: usize, repetition: u32| {
            let is_it = |trial: &&&TracedTrial| {
                (trial.key.configuration, trial.key.repetition) == (configuration, repetition)
            };
            let trial = trials.iter().find(is_it)?;
            let family = families::at(trial.outcome.phases(), place).next()?;
            (family.all.operations > 0).then_some(&family.all)
        };
        let whole = |repetition: u32| {
            let spent = arm.configurations.iter().map(|index| spent(*index, repetition));
            spent.collect::<Option<Vec<_>>>().filter(|spent| !spent.is_empty())
        };
        let repetitions: BTreeSet<u32> = trials.iter().map(|trial| trial.key.repetition).collect();
        Self(repetitions.into_iter().filter_map(whole).collect())
    }

    /// Time of a segment in the mean operation, microseconds, for each repetition.
    fn values_us(&self, segment: Segment) -> Vec<f64> {
        let in_operation = |spent: &&TimeSpent| spent.segment_ns(segment) / spent.operations as f64 / 1e3;
        let mean = |spent: &Vec<&TimeSpent>| spent.iter().map(in_operation).sum::<f64>() / spent.len() as f64;
        self.0.iter().map(mean).collect()
    }

    fn mean_us(&self, segment: Segment) -> f64 {
        sample::mean(&self.values_us(segment)).unwrap_or(0.0)
    }
}

fn compared(family: &str, sides: &[Side<'_>; 2], measured_us: Option<f64>) -> Option<TimeDifference> {
    let [level, baseline] = sides;
    if level.0.is_empty() || baseline.0.is_empty() {
        return None;
    }
    let of_both_us = |segment: Segment| level.mean_us(segment) + baseline.mean_us(segment);
    let whole_us: f64 = Segment::all().map(of_both_us).sum();
    if whole_us <= 0.0 {
        return None;
    }
    let (long, short): (Vec<Segment>, Vec<Segment>) =
        Segment::all().partition(|segment| of_both_us(*segment) >= COMPARED_MIN * whole_us);
    let confidence = simultaneous_level(CONFIDENCE, long.len());
    let mut segments: Vec<SegmentDifference> =
        long.into_iter().map(|segment| of_segment(segment, level, baseline, confidence)).collect();
    segments.sort_by(|one, other| other.us().abs().total_cmp(&one.us().abs()));
    Some(TimeDifference {
        family: family.to_owned(),
        level_trials: level.0.len(),
        baseline_trials: baseline.0.len(),
        confidence: CONFIDENCE,
        measured_us,
        segments,
        others_us: short.into_iter().map(|segment| level.mean_us(segment) - baseline.mean_us(segment)).sum(),
    })
}

fn of_segment(segment: Segment, level: &Side<'_>, baseline: &Side<'_>, confidence: f64) -> SegmentDifference {
    let difference =
        estimate::difference(&baseline.values_us(segment), &level.values_us(segment), confidence);
    let answer = match difference.interval {
        None => Answer::NotAssessable,
        // The interval of equal values may have a lower level, and proves nothing then.
        Some((low, high)) if (low > 0.0 || high < 0.0) && difference.level >= Some(confidence) => {
            Answer::Different
        }
        Some(_) => Answer::Undecided,
    };
    let (level_us, baseline_us) = (level.mean_us(segment), baseline.mean_us(segment));
    SegmentDifference { segment, level_us, baseline_us, difference_us: difference, answer }
}
