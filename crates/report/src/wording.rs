//! The words about a run that the terminal, the page and Markdown share, so that all have the same text. Findings come here
//! as data and leave as sentences; no text is taken apart again.

mod activity;
mod rating;

pub use activity::Activity;
pub(crate) use activity::time_parts;
pub(crate) use rating::{Rated, limits, rated};

use crate::quantity;
pub(crate) use model::figure::count as counted;
use model::host::Placement;
use model::medium::{Medium, Veil};
use model::plan::StudyPlan;
use model::run::Run;
use verdict::{AgainstReference, Cell, Conditions, Estimate, StudyVerdict};

/// The plan of a study.
pub(crate) fn plan<'a>(run: &'a Run, study: &StudyVerdict) -> Option<&'a StudyPlan> {
    run.plan.studies.iter().find(|plan| plan.name == study.name)
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

/// The heading of the conditions.
pub(crate) const CONDITIONS: &str = "Conditions of every finding";

/// The conditions of all findings of a study, a clause each; none if they do not depend on the readahead of a device.
pub(crate) fn conditions(study: &StudyVerdict) -> Vec<String> {
    study.conditions.as_ref().map(Conditions::text).unwrap_or_default()
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
