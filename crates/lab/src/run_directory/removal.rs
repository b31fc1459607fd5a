//! Removes a run directory that Syncline made: what no run has keeps it.

#[cfg(test)]
mod tests;

use super::names::{HOST, PLAN, SHARED, SIDECARS, SPIKES, TRACED, TRIALS};
use crate::open_directory::{OpenDirectory, is_part};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// The page that `syncline report` writes into a run.
const REPORT: &str = "report.html";
const FILES: [&str; 7] = [PLAN, HOST, TRIALS, SHARED, TRACED, SPIKES, REPORT];

/// What was done about a run directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It is gone, or was not there.
    Removed,
    /// It is as it was, because something in it is not a run's.
    Kept {
        /// The name of that.
        foreign: String,
    },
}

/// Removes the run directory of this name in a folder of runs. It takes the name `aside` first, so that no reader of
/// the folder sees a part of a run. A killed process leaves it there, for [`clear`].
pub fn remove(folder: &OpenDirectory, name: &str, aside: &str) -> io::Result<Removal> {
    let directory = match folder.directory(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Removal::Removed),
        other => other?,
    };
    if let Some(foreign) = foreign(&directory)? {
        return Ok(Removal::Kept { foreign });
    }
    folder.rename_directory(name, aside)?;
    clear(folder, aside)
}

/// Removes a run directory, whole or in part, whose name no reader takes for a run's.
pub fn clear(folder: &OpenDirectory, name: &str) -> io::Result<Removal> {
    let directory = match folder.directory(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Removal::Removed),
        other => other?,
    };
    if let Some(foreign) = foreign(&directory)? {
        return Ok(Removal::Kept { foreign });
    }
    if let Some(sidecars) = sidecars(&directory)? {
        remove_files(&sidecars)?;
        directory.remove_directory(SIDECARS)?;
    }
    remove_files(&directory)?;
    folder.remove_directory(name)?;
    Ok(Removal::Removed)
}

fn sidecars(directory: &OpenDirectory) -> io::Result<Option<OpenDirectory>> {
    match directory.directory(SIDECARS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Removes every file; their names were looked at before.
fn remove_files(directory: &OpenDirectory) -> io::Result<()> {
    directory.names()?.iter().filter_map(|name| name.to_str()).try_for_each(|name| directory.remove(name))
}

/// The first name that no run has.
fn foreign(directory: &OpenDirectory) -> io::Result<Option<String>> {
    let is_of_run = |name: &str| FILES.contains(&name) || is_part(OsStr::new(name));
    let own = first(directory, |name| name == SIDECARS || is_regular(directory, name) && is_of_run(name))?;
    if own.is_some() {
        return Ok(own);
    }
    let Some(sidecars) = sidecars(directory)? else { return Ok(None) };
    let is_json = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "json");
    let is_sidecar = |name: &str| is_json(name) || is_part(OsStr::new(name));
    first(&sidecars, |name| is_regular(&sidecars, name) && is_sidecar(name))
}

fn is_regular(directory: &OpenDirectory, name: &str) -> bool {
    directory.file_bytes(name).is_ok_and(|bytes| bytes.is_some())
}

/// The first name that is not one of these.
fn first(directory: &OpenDirectory, is_known: impl Fn(&str) -> bool) -> io::Result<Option<String>> {
    let names = directory.names()?;
    let unknown = names.iter().find(|name| !name.to_str().is_some_and(&is_known));
    Ok(unknown.map(|name| name.to_string_lossy().into_owned()))
}
