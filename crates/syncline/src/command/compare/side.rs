//! One side of a comparison: a run directory, or a folder of several.

use crate::command::fleet::directories;
use crate::failure::Failure;
use fleet::Unused;
use lab::run_directory::RunFiles;
use model::run::Run;
use std::path::{Path, PathBuf};
use verdict::compare::Joined;
use verdict::{Drawing, Verdict};

/// The runs of one side, in order of time.
pub(super) struct Runs {
    files: Vec<RunFiles>,
    pub(super) joined: Joined,
}

impl Runs {
    /// Reads a run directory, or every run in a folder.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let mut runs = Vec::new();
        for path in run_directories(path)? {
            let files = RunFiles::open(&path).map_err(Failure::runtime)?;
            let run = files.run().map_err(Failure::runtime)?;
            runs.push((files, run));
        }
        // The order in which they are joined.
        runs.sort_by(|(_, one), (_, other)| one.plan.created_at.cmp(&other.plan.created_at));
        let (files, runs) = runs.into_iter().unzip();
        let joined = Joined::new(runs).map_err(|why| Failure::Usage(format!("{}: {why}", path.display())))?;
        Ok(Self { files, joined })
    }

    /// The verdict on these runs, of which `run` is shown.
    pub(super) fn judge(&self, run: &Run) -> Verdict {
        let sidecar = |key: &_| {
            let (place, key) = self.joined.of_run(key)?;
            self.files.get(place)?.sidecar(&key)
        };
        verdict::analyse_for(run, &sidecar, Drawing::Nothing)
    }
}

/// Whether this is a run directory.
pub(super) fn is_run(path: &Path) -> bool {
    RunFiles::open(path).and_then(|files| files.created_at()).is_ok()
}

/// The path itself if it is a run or holds none, so that its error is about what the user named.
fn run_directories(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let Ok(found) = directories::below_all(&[path.to_owned()]) else { return Ok(vec![path.to_owned()]) };
    let unreadable = found.unread.into_iter().find_map(|unread| match unread.why {
        Unused::Unreadable { error } => Some(error),
        Unused::Shared | Unused::MeasuredNothing { .. } => None,
    });
    unreadable.map_or(Ok(found.runs), |error| Err(Failure::Runtime(error)))
}
