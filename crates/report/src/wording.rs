//! The words about a run that the terminal, the page and Markdown share, so that all have the same text.

mod activity;
mod rating;

pub use activity::Activity;
pub(crate) use activity::time_parts;
pub(crate) use rating::{Rated, limits, rated};

pub(crate) use model::figure::count as counted;
use model::host::Placement;
use model::medium::{Medium, Veil};
use model::plan::StudyPlan;
use model::run::Run;
use verdict::StudyVerdict;

/// The plan of a study.
pub(crate) fn plan<'a>(run: &'a Run, study: &StudyVerdict) -> Option<&'a StudyPlan> {
    run.plan.studies.iter().find(|plan| plan.name == study.name)
}

/// The disk in a few words.
pub(crate) fn title(run: &Run) -> String {
    match run.placement() {
        Some(placement) => medium(placement, ", "),
        None => format!("{}: nothing measured", run.host.name),
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
