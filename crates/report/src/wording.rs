//! The words about a run that the terminal, the page and Markdown share, so that all have the same text. Findings come here
//! as data and leave as sentences; no text is taken apart again.

mod activity;
mod advice;
mod answer;
mod comparison;
mod conditions;
mod crossing;
mod dependence;
mod durability;
mod effect;
mod finding;
mod in_numbers;
mod levels;
mod noise;
mod promise;
mod rating;
mod remark;
mod subject;
mod told;
mod turns;

pub use activity::Activity;
pub(crate) use activity::time_parts;
pub(crate) use advice::{
    candidates, caveat, default, gain, loss, lost, needed, now, proving, reason, takes_effect, with_versions,
};
pub use advice::{cause, changed, measured, versions};
pub(crate) use answer::answer;
pub(crate) use conditions::{CONDITIONS, conditions};
pub(crate) use crossing::axis;
pub(crate) use dependence::dependences;
pub(crate) use effect::times;
pub(crate) use finding::outlook;
pub use finding::{brief, statement};
pub(crate) use in_numbers::{audits_in_numbers, findings_in_numbers};
pub(crate) use noise::{noise, noise_floors};
pub(crate) use promise::group;
pub(crate) use rating::{Rated, limits, rated};
pub(crate) use remark::{evidence, mechanism, remarks};
pub(crate) use subject::{names, parts, place, sides, text as subject};
pub use turns::{option as turns_option, planned as planned_turns};

use crate::quantity;
pub(crate) use model::figure::count as counted;
use model::host::Placement;
use model::medium::{Medium, Veil};
use model::plan::StudyPlan;
use model::run::Run;
use std::fmt::Write as _;
use verdict::{AgainstReference, Audit, Cell, Estimate, Status, StudyVerdict, TrialCounts};

/// The plan of a study.
pub(crate) fn plan<'a>(run: &'a Run, study: &StudyVerdict) -> Option<&'a StudyPlan> {
    run.plan.studies.iter().find(|plan| plan.name == study.name)
}

/// `17 of 20 audits passed, 2 do not apply`; if all that apply passed: `All 18 audits passed, 2 do not apply`.
pub(crate) fn audits_passed(audits: &[Audit]) -> String {
    let of = |status| audits.iter().filter(|audit| audit.status == status).count();
    let (passed, moot) = (of(Status::Pass), of(Status::NotApplicable));
    let applicable = audits.len() - moot;
    let passed = if passed == applicable {
        format!("All {passed} audits passed")
    } else {
        format!("{passed} of {applicable} audits passed")
    };
    match moot {
        0 => passed,
        1 => format!("{passed}, 1 does not apply"),
        moot => format!("{passed}, {moot} do not apply"),
    }
}

/// The disk in a few words.
pub(crate) fn title(run: &Run) -> String {
    match run.placement() {
        Some(placement) => medium(placement, ", "),
        None => format!("{}: nothing measured yet", run.host.name),
    }
}

/// The device and the file system on it; an object store has neither.
pub(crate) fn medium(placement: &Placement, between: &str) -> String {
    if matches!(placement.medium(), Medium::Unseen { veil: Veil::ObjectStore, .. }) {
        return Veil::ObjectStore.name().to_owned();
    }
    format!("{}{between}{}", device(placement), placement.filesystem)
}

/// The device's model, otherwise its name.
fn device(placement: &Placement) -> &str {
    placement.model.value().or(placement.device.value()).map_or("unknown device", |name| name.trim())
}

/// Profile, rounds, how the trials ran, and their outcomes.
pub(crate) fn extent(study: &StudyVerdict, plan: Option<&StudyPlan>) -> String {
    let mut parts = Vec::new();
    if let Some(plan) = plan {
        let warmup = match plan.warmup_rounds {
            0 => String::new(),
            count => format!(" after {count} warm-up"),
        };
        parts.push(format!("profile {}", plan.profile));
        // If a study may end early, its trials show how far it came.
        let least = if plan.looks.is_empty() { "" } else { "at least " };
        parts.push(format!("{least}{}{warmup}", counted(plan.rounds_first() as usize, "round")));
    }
    parts.push(counted(study.cells.len(), "configuration"));
    parts.extend(turns::way(study, plan));
    parts.push(trials(&study.trials));
    parts.join(" · ")
}

/// The means of these metrics over all configurations.
pub(crate) fn means<'a>(
    study: &'a StudyVerdict,
    names: &'a [impl AsRef<str>],
) -> impl Iterator<Item = &'a Estimate> {
    let figures = study
        .cells
        .iter()
        .flat_map(move |cell| names.iter().filter_map(move |name| cell.figures.get(name.as_ref())));
    figures.map(|figure| &figure.mean)
}

/// The distinct reasons why figures of these metrics have no interval, without a full stop.
pub(crate) fn reasons<'a>(study: &'a StudyVerdict, names: &[impl AsRef<str>]) -> Vec<&'a str> {
    let mut reasons: Vec<&str> = Vec::new();
    for (cell, name) in study.cells.iter().flat_map(|cell| names.iter().map(move |name| (cell, name))) {
        let figure = cell.figures.get(name.as_ref()).filter(|figure| figure.mean.interval.is_none());
        let reason = figure.map(|it| it.unsupported.as_deref().unwrap_or(quantity::reason(&it.mean)));
        let reason = reason.map(|reason| reason.trim_end_matches('.'));
        reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
    }
    reasons
}

/// The meaning of the ratios beside a metric.
pub(crate) const AGAINST_REFERENCE: &str =
    "ratio to the reference of the same durability class, paired within rounds, with its 95 % t interval";

/// The meaning of the ratios to the best.
pub(crate) const AGAINST_BEST: &str =
    "ratio to the best mean of the same durability class, paired within rounds, with its 95 % t interval";

/// The distinct reasons why ratios to the best have no interval, as clauses.
pub(crate) fn reasons_against_best<'a>(study: &'a StudyVerdict, names: &[&'a str]) -> Vec<&'a str> {
    let mut reasons: Vec<&str> = Vec::new();
    for (cell, name) in study.cells.iter().flat_map(|cell| names.iter().map(move |name| (cell, *name))) {
        let ratio = cell.against_best.get(name).and_then(|against| against.ratio.as_ref());
        let reason = ratio.and_then(|ratio| ratio.reason.as_deref());
        reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
    }
    reasons
}

/// A metric relative to the reference of its durability class: `0.42 (0.41–0.43) × pwrite`.
pub(crate) fn against_reference(cell: &Cell, name: &str) -> String {
    match cell.against_reference.get(name) {
        None => "–".to_owned(),
        Some(AgainstReference { ratio: None, .. }) => "reference".to_owned(),
        Some(AgainstReference { ratio: Some(ratio), reference }) => {
            format!("{} × {reference}", quantity::ratio_with_bounds(ratio))
        }
    }
}

fn trials(counts: &TrialCounts) -> String {
    let mut text = format!("{} of {} analysed", counts.ok, counted(counts.planned, "trial"));
    for (count, what) in [
        (counts.warmup, "warm-up"),
        (counts.set_aside, "set aside"),
        (counts.failed, "failed"),
        (counts.killed, "killed"),
        (counts.unsupported, "unsupported"),
        (counts.missing, "not run yet"),
    ] {
        if count > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}
