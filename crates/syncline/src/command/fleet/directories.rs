//! Run directories, found in the folders that the user names.

use crate::failure::Failure;
use fleet::{Unread, Unused};
use lab::run_directory::is_part_of_run;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders below the one that is named: a launch, a host, a run.
const DEPTH_MAX: usize = 3;

/// What is in the folders.
#[derive(Default)]
pub(in crate::command) struct Found {
    /// Run directories, each once, also those that lost their plan.
    pub(in crate::command) runs: Vec<PathBuf>,
    /// Folders that cannot be read.
    pub(in crate::command) unread: Vec<Unread>,
}

/// The run directories that these paths are or contain.
pub(in crate::command) fn below_all(paths: &[PathBuf]) -> Result<Found, Failure> {
    let mut found = Found::default();
    for path in paths {
        let before = found.runs.len();
        below(path, DEPTH_MAX, &mut found)
            .map_err(|error| Failure::Runtime(format!("{}: cannot read: {error}", path.display())))?;
        if found.runs.len() == before {
            return Err(Failure::Runtime(format!(
                "{}: it is not a run directory (it has no plan.json), and there is none in the {DEPTH_MAX} levels \
                 below it",
                path.display()
            )));
        }
    }
    let mut known = BTreeSet::new();
    found.runs.retain(|path| known.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    Ok(found)
}

/// Adds the runs in a directory. A symbolic link in a folder is not followed, and a folder of the file system itself is
/// not a run's.
fn below(path: &Path, depth: usize, found: &mut Found) -> std::io::Result<()> {
    let (mut inner, mut is_run) = (Vec::new(), false);
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        is_run |= is_part_of_run(&entry.file_name());
        let is_own =
            entry.file_name() == "lost+found" || entry.file_name().as_encoded_bytes().starts_with(b".");
        if depth > 0 && !is_own && entry.file_type()?.is_dir() {
            inner.push(entry.path());
        }
    }
    if is_run {
        found.runs.push(path.to_owned());
        return Ok(());
    }
    inner.sort();
    for path in inner {
        if let Err(error) = below(&path, depth - 1, found) {
            let run = path.display().to_string();
            let error = format!("{run}: cannot read: {error}");
            found.unread.push(Unread { run, why: Unused::Unreadable { error } });
        }
    }
    Ok(())
}
