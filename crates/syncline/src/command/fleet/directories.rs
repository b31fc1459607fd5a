//! The run directories of a fleet, found in the folders that the user names.

use crate::failure::Failure;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders below the one that is named: a launch, a host, a run.
const DEPTH_MAX: usize = 3;
/// What a run directory has.
const PLAN: &str = "plan.json";

/// The run directories that these paths are or contain, each once.
pub(super) fn below_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        below(path, DEPTH_MAX, &mut found)
            .map_err(|error| Failure::Runtime(format!("{}: cannot read: {error}", path.display())))?;
        if found.len() == before {
            return Err(Failure::Runtime(format!(
                "{}: it is not a run directory (it has no {PLAN}), and there is none in the {DEPTH_MAX} levels below it",
                path.display()
            )));
        }
    }
    let mut known = BTreeSet::new();
    found.retain(|path| known.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    Ok(found)
}

/// Adds the runs in a directory. A symbolic link in a folder is not followed.
fn below(path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.join(PLAN).is_file() {
        found.push(path.to_owned());
        return Ok(());
    }
    let mut inner = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if depth > 0 && entry.file_type()?.is_dir() {
            inner.push(entry.path());
        }
    }
    inner.sort();
    inner.iter().try_for_each(|path| below(path, depth - 1, found))
}
