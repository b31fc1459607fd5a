//! Removes a run directory that Syncline made: what no run has keeps it.

use super::names::{HOST, PLAN, SHARED, SIDECARS, TRACED, TRIALS};
use crate::open_directory::{OpenDirectory, is_part};
use std::ffi::OsStr;
use std::io;

/// The page that `syncline report` writes into a run.
const REPORT: &str = "report.html";
const FILES: [&str; 6] = [PLAN, HOST, TRIALS, SHARED, TRACED, REPORT];

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
    let is_sidecar = |name: &str| name.ends_with(".json") || is_part(OsStr::new(name));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_directory::kill;
    use std::fs;
    use std::path::Path;

    const ASIDE: &str = ".aside";

    fn make(folder: &Path) {
        let run = folder.join("run");
        fs::create_dir_all(run.join(SIDECARS)).unwrap();
        for name in [PLAN, HOST, TRIALS, REPORT, "sidecars/commit-r000-c000.json", ".syncline-part-1-2"] {
            fs::write(run.join(name), "x").unwrap();
        }
    }

    #[test]
    fn a_run_is_removed_whole_and_a_kill_between_any_two_steps_leaves_nothing_that_looks_like_one() {
        for steps in 0.. {
            let folder = tempfile::tempdir().unwrap();
            make(folder.path());
            let opened = OpenDirectory::open(folder.path()).unwrap();
            let (_, survived) = kill::after(steps, || remove(&opened, "run", ASIDE));
            let is_whole = folder.path().join("run/sidecars/commit-r000-c000.json").exists();
            assert!(is_whole || !folder.path().join("run").exists(), "{steps}");
            assert_eq!(clear(&opened, ASIDE).unwrap(), Removal::Removed);
            assert!(!folder.path().join(ASIDE).exists(), "{steps}");
            if survived {
                assert!(!folder.path().join("run").exists());
                return;
            }
        }
    }

    #[test]
    fn what_no_run_has_keeps_it() {
        for name in ["notes.txt", "sidecars/notes.txt", "advice/postgresql.conf"] {
            let folder = tempfile::tempdir().unwrap();
            make(folder.path());
            let path = folder.path().join("run").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "mine").unwrap();
            let opened = OpenDirectory::open(folder.path()).unwrap();
            assert!(matches!(remove(&opened, "run", ASIDE).unwrap(), Removal::Kept { .. }), "{name}");
            assert_eq!(fs::read(&path).unwrap(), b"mine");
            assert!(folder.path().join("run").join(PLAN).exists());
        }
    }
}
