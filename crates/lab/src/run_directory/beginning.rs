//! The beginning of a run directory, which can be killed between any two steps: what is there then holds nothing yet,
//! and the next attempt takes it.

use super::error::{RunError, io_error};
use super::files::RunFiles;
use super::names::{HOST, PLAN, SIDECARS, TRIALS};
use crate::open_directory::{OpenDirectory, is_part};
use model::host::HostFacts;
use model::plan::Plan;
use model::program::Program;
use serde::Serialize;
use std::fs::File;
use std::path::Path;

/// `host.json`: the machine, and the program beside it.
#[derive(Serialize)]
struct HostFile<'a> {
    #[serde(flatten)]
    host: &'a HostFacts,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'a Program>,
}

/// Makes the directory and what is in it before the first trial. The plan takes its name last: a directory with a plan
/// is complete.
pub(super) fn begin(
    path: &Path,
    plan: &Plan,
    host: &HostFacts,
    program: Option<&Program>,
) -> Result<(RunFiles, File), RunError> {
    let directory = OpenDirectory::make(path).map_err(io_error(path, "make the directory"))?;
    require_free(&directory)?;
    let files = RunFiles::from_directory(directory);
    let trials = files.lock_trials()?;
    // Another process may have begun, and even ended, between the look and the lock.
    require_free(files.directory())?;
    files.remove_parts()?;
    files.sidecars_or_new()?;
    files.write_json(HOST, &HostFile { host, program })?;
    files.write_json(PLAN, plan)?;
    Ok((files, trials))
}

/// Whatever is there is somebody's: nothing of it is written to.
fn require_free(directory: &OpenDirectory) -> Result<(), RunError> {
    let path = || directory.path().to_owned();
    let names = directory.names().map_err(io_error(directory.path(), "list"))?;
    if names.iter().any(|name| name == PLAN) {
        return Err(RunError::Occupied { path: path() });
    }
    if is_unfinished(directory)? { Ok(()) } else { Err(RunError::NotEmpty { path: path() }) }
}

/// Whether it is empty, or holds nothing but what [`begin`] leaves when it is killed: no record, no plan.
pub(super) fn is_unfinished(directory: &OpenDirectory) -> Result<bool, RunError> {
    let names = directory.names().map_err(io_error(directory.path(), "list"))?;
    Ok(names.iter().all(|name| match name.to_str() {
        Some(SIDECARS) => directory
            .directory(SIDECARS)
            .and_then(|sidecars| sidecars.names())
            .is_ok_and(|names| names.iter().all(|name| is_part(name))),
        Some(TRIALS) => directory.file_bytes(TRIALS).is_ok_and(|bytes| bytes == Some(0)),
        Some(HOST) => {
            super::reading::json::<HostFacts>(&directory.path().join(HOST), directory.file(HOST)).is_ok()
        }
        Some(_) | None => is_part(name),
    }))
}
