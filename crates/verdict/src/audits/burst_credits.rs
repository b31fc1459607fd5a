//! Whether the rate lasts. A cloud volume may serve from credits that outlive trials of a second and a whole session of
//! minutes; then the study measures the burst. There are two signs: the rate of all configurations together falls over
//! the session, as a trend or as a step; or the volume is of a family that is known to have credits.
//!
//! Comparisons pair within rounds and remain valid if each round was of one kind; single figures do not.

mod volume;

use super::{Bearing, Check, Context, Judgement, Use};
use crate::phrase::{better, ratio, title};
use crate::verdict::{Cell, Status};
use model::metric::Better;
use model::trial::Phase;
use stats::drift::drift_over_configurations;
use stats::step::step;
use volume::Family;

/// A fall beyond this factor is neither warming up nor scatter between rounds.
const FALL_MIN: f64 = 1.20;
/// The audit tests for a trend and for a step, so each has half of the 5 %.
const SIGNIFICANCE: f64 = 0.025;
/// A session that measured for this multiple of the time that full credits last, at an unchanged rate, has outlived
/// them.
const OUTLIVED: f64 = 2.0;
const SECONDS_PER_MINUTE: f64 = 60.0;

const ADVICE: &str = "Measure until it is steady (the profile sustained of the study device or commit; it takes \
                      hours), or take the figures as valid for the burst only.";

/// A fall of a rate over the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fall {
    /// At once: from this round, to this ratio.
    Step { from_round: u32, ratio: f64 },
    /// Steadily: from the first round to the last.
    Trend { ratio: f64 },
}

pub(super) const CHECK: Check =
    Check { name: "burst-credits", bearing, moot: "No figure is read from the clock.", judge: check };

/// A burst affects every time, and also a ratio if only one of its arms was throttled.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_timed().then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let rounds = context.asked.iter().find_map(|metric| Some((metric, rounds(context.cells, metric)?)));
    let fallen = rounds.as_ref().and_then(|(metric, rounds)| Some((*metric, fall(rounds)?)));
    let family = family(context);
    let evidence = family.map(|family| format!("{}: {} ({}).", family.name, family.which, family.source));
    let judgement = match (fallen, family) {
        (Some((metric, fall)), _) => Judgement::new(Status::Warn, words(metric, fall), ADVICE),
        (None, Some(family)) if rounds.is_some() && has_outlived(context, family) => {
            Judgement::pass(format!(
                "The rate did not fall over {} of measuring, longer than credits of this volume last.",
                minutes(measured_s(context))
            ))
        }
        (None, Some(family)) => Judgement::new(
            Status::Warn,
            format!(
                "The files are on a volume that may have burst credits ({}): they last for {}, and this study measured \
                 for {}.",
                family.name,
                minutes(family.lasts_s),
                minutes(measured_s(context))
            ),
            ADVICE,
        ),
        (None, None) if rounds.is_some() => Judgement::pass(
            "The rate did not fall from round to round, and the volume is not of a family known to have burst credits.",
        ),
        (None, None) => {
            Judgement::not_assessable("Too few complete rounds to see a rate fall over the session.")
        }
    };
    judgement.with(evidence)
}

fn words(metric: &str, fall: Fall) -> String {
    let title = title(metric);
    match fall {
        Fall::Step { from_round, ratio: by } => format!(
            "{title} fell at once, in all configurations together: from round {from_round} on it is {} its earlier \
             value.",
            ratio(by)
        ),
        Fall::Trend { ratio: by } => format!(
            "{title} fell from round to round, in all configurations together: the last round gave {} the value of the \
             first.",
            ratio(by)
        ),
    }
}

/// Values of the rounds that every configuration completed, greater being better, with the round's number.
fn rounds(cells: &[Cell], metric: &str) -> Option<Vec<(u32, Vec<f64>)>> {
    let sign = match better(metric) {
        Better::Higher => 1.0,
        Better::Lower => -1.0,
        Better::Neither => return None,
    };
    let values = |cell: &Cell| cell.figures.get(metric).map(|figure| figure.values.clone());
    let cells: Vec<Vec<(u32, Option<f64>)>> = cells.iter().filter_map(values).collect();
    let of_round = |round: u32| -> Option<Vec<f64>> {
        let of_cell = |cell: &Vec<(u32, Option<f64>)>| {
            let value = cell.iter().find(|(of, _)| *of == round)?.1?;
            Some(value.powf(sign)).filter(|value| value.is_finite() && *value > 0.0)
        };
        cells.iter().map(of_cell).collect()
    };
    let first = cells.first()?;
    let mut rounds: Vec<(u32, Vec<f64>)> =
        first.iter().filter_map(|(round, _)| Some((*round, of_round(*round)?))).collect();
    rounds.sort_by_key(|(round, _)| *round);
    (rounds.len() >= stats::TRIALS_MIN).then_some(rounds)
}

fn fall(rounds: &[(u32, Vec<f64>)]) -> Option<Fall> {
    let values: Vec<Vec<f64>> = rounds.iter().map(|(_, values)| values.clone()).collect();
    let means: Vec<f64> = values.iter().filter_map(|values| stats::sample::geometric_mean(values)).collect();
    let is_fall = |ratio: f64, p: f64| p < SIGNIFICANCE && ratio < 1.0 / FALL_MIN;
    let stepped = step(&means).ok().filter(|found| is_fall(found.ratio, found.p));
    let drifted = drift_over_configurations(&values, 1.0 - SIGNIFICANCE).ok();
    let drifted = drifted.filter(|found| is_fall(found.total.estimate, found.p));
    match (stepped, drifted) {
        // The audit reports the model that fits better.
        (Some(stepped), Some(drifted)) if drifted.p < stepped.p => {
            Some(Fall::Trend { ratio: drifted.total.estimate })
        }
        (Some(stepped), _) => {
            Some(Fall::Step { from_round: rounds.get(stepped.at)?.0, ratio: stepped.ratio })
        }
        (None, Some(drifted)) => Some(Fall::Trend { ratio: drifted.total.estimate }),
        (None, None) => None,
    }
}

/// The family of the first trial whose volume has one.
fn family(context: &Context<'_>) -> Option<&'static Family> {
    let trials = context.trials.iter().flatten();
    trials
        .filter_map(|trial| trial.record.measurement.as_ref())
        .find_map(|measurement| volume::family(context.host, &measurement.placement))
}

/// Seconds that the study kept its volume at work, over all its trials.
fn measured_s(context: &Context<'_>) -> f64 {
    let trials = context.trials.iter().flatten().filter_map(|trial| trial.record.measurement.as_ref());
    trials.flat_map(|measurement| &measurement.phases).map(Phase::counted_s).sum()
}

fn has_outlived(context: &Context<'_>, family: &Family) -> bool {
    measured_s(context) > OUTLIVED * family.lasts_s
}

/// `30 min`, `1.7 min`.
fn minutes(seconds: f64) -> String {
    let minutes = seconds / SECONDS_PER_MINUTE;
    if minutes < 10.0 { format!("{minutes:.1} min") } else { format!("{minutes:.0} min") }
}
