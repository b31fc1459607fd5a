//! The files of a run: read, replaced and removed below the run directory's own descriptor, even if another user wrote
//! it.

use super::error::{RunError, foreign, io_error};
use super::names::{HOST, OPERATIONS, PLAN, SHARED, SIDECARS, SPIKES, TRACED, TRIALS};
use super::reading;
use crate::open_directory::{self, OpenDirectory};
use crate::operation_log;
use model::plan::Plan;
use model::program::Program;
use model::run::Run;
use model::shared::SharedTrial;
use model::sidecar::Sidecar;
use model::spikes::SpikesOfRecording;
use model::traced::{TracedKey, TracedTrial};
use model::trial::TrialKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What `host.json` has beside the machine.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Recorded {
    #[serde(default)]
    program: Option<Program>,
}

/// What `plan.json` has beside everything else.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Created {
    created_at: String,
}

/// A run directory, opened once. What is in it may be hostile: see [`crate::open_directory`].
#[derive(Debug)]
pub struct RunFiles {
    directory: OpenDirectory,
}

impl RunFiles {
    /// Opens a run directory. Reading it shows whether it is one.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let not_a_run = |why| RunError::NotARun { path: path.to_owned(), why };
        let directory = OpenDirectory::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => not_a_run("it does not exist"),
            io::ErrorKind::NotADirectory => not_a_run("it is a file"),
            _ => io_error(path, "open")(error),
        })?;
        Ok(Self { directory })
    }

    pub(super) fn from_directory(directory: OpenDirectory) -> Self {
        Self { directory }
    }

    pub(super) fn directory(&self) -> &OpenDirectory {
        &self.directory
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Where a file of it is, for messages.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Everything but the sidecars, without holding it.
    pub fn run(&self) -> Result<Run, RunError> {
        let plan = self.plan()?;
        let host = self.json(HOST)?;
        let path = self.path_of(TRIALS);
        let (mut records, mut remarks) = match self.directory.file(TRIALS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Vec::new(), Vec::new()),
            other => {
                let (records, remarks, _) = reading::trials(&path, &other.map_err(io_error(&path, "read"))?)?;
                (records, remarks)
            }
        };
        remarks.extend(reading::undescribed(&plan));
        for record in &mut records {
            reading::complete(&plan, record);
        }
        Ok(Run { plan, host, records, remarks })
    }

    /// What all ranks of a shared run measured together, by trial; nothing if it was not shared.
    pub fn shared(&self) -> Result<BTreeMap<TrialKey, SharedTrial>, RunError> {
        let path = self.path_of(SHARED);
        match self.directory.file(SHARED) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            other => reading::shared(&path, &other.map_err(io_error(&path, "read"))?),
        }
    }

    /// Drops what a killed process left of a line about a traced trial, which is due again. The caller holds the run.
    pub(super) fn drop_torn_line_of_traced(&self) -> Result<(), RunError> {
        let path = self.path_of(TRACED);
        match self.directory.file(TRACED) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => {
                let whole_bytes = reading::whole_bytes(&path, &other.map_err(io_error(&path, "read"))?)?;
                let file = self.directory.file_to_append(TRACED).map_err(io_error(&path, "open"))?;
                open_directory::truncate(&file, whole_bytes)
                    .map_err(io_error(&path, "drop the torn last line"))
            }
        }
    }

    /// What the traced trials of the run show; nothing if it has none.
    pub fn traced(&self) -> Result<BTreeMap<TracedKey, TracedTrial>, RunError> {
        let path = self.path_of(TRACED);
        match self.directory.file(TRACED) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            other => reading::traced(&path, &other.map_err(io_error(&path, "read"))?),
        }
    }

    /// The spikes of the run's recordings, in their order; nothing if none were captured.
    pub fn spikes(&self) -> Result<Vec<SpikesOfRecording>, RunError> {
        let path = self.path_of(SPIKES);
        match self.directory.file(SPIKES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            other => reading::spikes(&path, &other.map_err(io_error(&path, "read"))?),
        }
    }

    /// When the run was planned, RFC 3339 in UTC: the rest of the plan is skipped.
    pub fn created_at(&self) -> Result<String, RunError> {
        self.json::<Created>(PLAN).map(|plan| plan.created_at)
    }

    /// The program that began the run; `None` in a run of before it was recorded.
    pub fn program(&self) -> Result<Option<Program>, RunError> {
        self.json::<Recorded>(HOST).map(|recorded| recorded.program)
    }

    pub(super) fn plan(&self) -> Result<Plan, RunError> {
        match self.directory.file(PLAN) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(RunError::NotARun { path: self.path().to_owned(), why: "it has no plan.json" })
            }
            other => reading::plan(&self.path_of(PLAN), other),
        }
    }

    pub(super) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, RunError> {
        reading::json(&self.path_of(name), self.directory.file(name))
    }

    /// Opens the records for reading and appending, and holds them.
    pub(super) fn lock_trials(&self) -> Result<File, RunError> {
        let trials = self.directory.file_to_append(TRIALS);
        let trials = trials.map_err(io_error(&self.path_of(TRIALS), "open for appending"))?;
        let is_ours = open_directory::hold(&trials).map_err(io_error(&self.path_of(TRIALS), "lock"))?;
        if is_ours { Ok(trials) } else { Err(RunError::InUse { path: self.path().to_owned() }) }
    }

    pub(super) fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), RunError> {
        let path = self.path_of(name);
        let line = line_of(value).map_err(|error| foreign(&path, None, error.to_string()))?;
        self.directory.replace(name, &line).map_err(io_error(&path, "write"))
    }

    /// One trial's sidecar; `None` if it has none or it cannot be read.
    pub fn sidecar(&self, key: &TrialKey) -> Option<Sidecar> {
        let sidecars = self.directory.directory(SIDECARS).ok()?;
        // The name holds the study's, and a record may name anything: it is one plain name, or nothing is opened.
        let name = key.sidecar_name();
        reading::json(&sidecars.path().join(&name), sidecars.file(&name)).ok()
    }

    pub(super) fn write_sidecar(&self, key: &TrialKey, sidecar: &Sidecar) -> Result<(), RunError> {
        let sidecars = self.sidecars_or_new()?;
        let name = key.sidecar_name();
        let path = sidecars.path().join(&name);
        let line = line_of(sidecar).map_err(|error| foreign(&path, None, error.to_string()))?;
        sidecars.replace(&name, &line).map_err(io_error(&path, "write"))
    }

    /// Takes over the log of a trial's operations. Returns its name below the run directory.
    pub(crate) fn keep_operation_log(&self, key: &TrialKey, written: &Path) -> Result<String, RunError> {
        let logs = self.inner_or_new(OPERATIONS)?;
        let extension = written.extension().and_then(OsStr::to_str).unwrap_or_default();
        let name = key.file_name(extension);
        let mut source = operation_log::take(written).map_err(io_error(written, "read"))?;
        let kept = logs.replace_with_copy(&name, &mut source);
        kept.map_err(io_error(&logs.path().join(&name), "write"))?;
        Ok(format!("{OPERATIONS}/{name}"))
    }

    pub(super) fn sidecars_or_new(&self) -> Result<OpenDirectory, RunError> {
        self.inner_or_new(SIDECARS)
    }

    fn inner_or_new(&self, name: &str) -> Result<OpenDirectory, RunError> {
        self.directory.directory_or_new(name).map_err(io_error(&self.path_of(name), "open the directory"))
    }

    /// Removes what killed processes left of files that they were writing. The caller holds the run.
    pub(super) fn remove_parts(&self) -> Result<(), RunError> {
        self.directory.remove_parts().map_err(io_error(self.path(), "clear"))?;
        [SIDECARS, OPERATIONS].into_iter().try_for_each(|name| match self.directory.directory(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => {
                other.and_then(|inner| inner.remove_parts()).map_err(io_error(&self.path_of(name), "clear"))
            }
        })
    }

    /// Gives a file of the run directory a new content, whole or not at all; returns where it is. What had its name
    /// before, a link to another file included, is not written to.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<PathBuf, RunError> {
        let path = self.path_of(name);
        self.directory.replace(name, content).map_err(io_error(&path, "write"))?;
        Ok(path)
    }

    /// The same in a directory below it, which is made if it is missing.
    pub fn replace_in(&self, below: &str, name: &str, content: &[u8]) -> Result<PathBuf, RunError> {
        let inner = self.inner_or_new(below)?;
        let path = inner.path().join(name);
        inner.replace(name, content).map_err(io_error(&path, "write"))?;
        Ok(path)
    }

    /// Removes a file of a directory below it; nothing if either is missing.
    pub fn remove_in(&self, below: &str, name: &str) -> Result<(), RunError> {
        let inner = match self.directory.directory(below) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(io_error(&self.path_of(below), "open the directory"))?,
        };
        inner.remove(name).map_err(io_error(&inner.path().join(name), "remove"))
    }
}

/// A value as a line of JSON, with its end.
pub(super) fn line_of(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}
