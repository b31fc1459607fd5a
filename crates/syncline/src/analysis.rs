//! The verdict on a run, from its directory.

use lab::run_directory::RunFiles;
use model::run::Run;
use verdict::{Drawing, Verdict};

/// The verdict on a run with these files, with everything that is drawn of it.
pub(crate) fn analyse(files: &RunFiles, run: &Run) -> Verdict {
    verdict::analyse(run, &|key| files.sidecar(key))
}

/// The same verdict for a command that draws nothing, in a fraction of the time.
pub(crate) fn judge(files: &RunFiles, run: &Run) -> Verdict {
    verdict::analyse_for(run, &|key| files.sidecar(key), Drawing::Nothing)
}
