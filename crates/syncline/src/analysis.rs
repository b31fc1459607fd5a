//! The verdict on a run, from its directory.

use crate::failure::Failure;
use lab::run_directory::RunFiles;
use model::redaction::{self, REDACTED};
use model::run::Run;
use model::traced::TracedOutcome;
use std::borrow::Cow;
use std::path::Path;
use verdict::explanation::{Explanation, explain};
use verdict::{Drawing, Verdict};

/// The run that is shown: without its names if the user wants that.
pub(crate) fn shown(run: &Run, redact: bool) -> Result<Cow<'_, Run>, Failure> {
    if !redact {
        return Ok(Cow::Borrowed(run));
    }
    redaction::redacted(run).map(Cow::Owned).map_err(Failure::runtime)
}

/// A path of a shown run's files in a document that is passed on: it may hold names too.
pub(crate) fn shown_path<'a>(run: &Run, path: &'a Path) -> &'a Path {
    if is_redacted(run) { Path::new(REDACTED) } else { path }
}

/// Whether the names of a run were left out.
pub(crate) fn is_redacted(run: &Run) -> bool {
    run.plan.directory == Path::new(REDACTED)
}

/// The verdict on a run with these files, with everything that is drawn of it.
pub(crate) fn analyse(files: &RunFiles, run: &Run) -> Verdict {
    verdict::analyse(run, &|key| files.sidecar(key))
}

/// What the traced trials of a run show, in the verdict too. Reasons may hold names, and programs are some, so a run
/// that is shown without its names has none.
pub(crate) fn explained(
    files: &RunFiles,
    run: &Run,
    verdict: &mut Verdict,
) -> Result<Vec<Explanation>, Failure> {
    let mut traced = files.traced().map_err(Failure::runtime)?;
    if is_redacted(run) {
        for trial in traced.values_mut() {
            match &mut trial.outcome {
                TracedOutcome::Traced(phases) => {
                    let families = phases.iter_mut().flat_map(|phase| &mut phase.families);
                    families.for_each(|family| family.neighbours.clear());
                }
                TracedOutcome::Failed(why) | TracedOutcome::Unsupported(why) => REDACTED.clone_into(why),
            }
        }
    }
    Ok(explain(run, verdict, &traced))
}

/// The same verdict for a command that draws nothing, in a fraction of the time.
pub(crate) fn judge(files: &RunFiles, run: &Run) -> Verdict {
    verdict::analyse_for(run, &|key| files.sidecar(key), Drawing::Nothing)
}
