//! A run directory: plan, host, `trials.jsonl`, sidecars. Appended line by line and synced, so a kill loses nothing.

mod beginning;
mod error;
mod files;
mod names;
mod reading;
mod removal;
#[cfg(test)]
mod tests;

pub use error::RunError;
pub use files::RunFiles;
pub use names::is_part_of_run;
pub use removal::{Removal, clear, remove};

use crate::open_directory;
use error::{foreign, io_error};
use model::figure::count;
use model::host::HostFacts;
use model::plan::Plan;
use model::program::Program;
use model::run::Run;
use model::shared::SharedTrial;
use model::sidecar::Sidecar;
use model::spikes::SpikesOfRecording;
use model::traced::TracedTrial;
use model::trial::TrialRecord;
use names::{HOST, SHARED, SPIKES, TRACED, TRIALS};
use serde::Serialize;
use std::fs::File;
use std::path::Path;

/// A run directory that this process holds and appends to.
#[derive(Debug)]
pub struct RunDirectory {
    files: RunFiles,
    trials: File,
    run: Run,
    /// Sessions that it was opened with.
    sessions: u32,
}

impl RunDirectory {
    /// Makes a run directory for a plan, and records the program that makes it. One that is empty is taken, and so is
    /// one that a killed process left without a plan.
    pub fn create(
        path: &Path,
        plan: Plan,
        host: HostFacts,
        program: Option<&Program>,
    ) -> Result<Self, RunError> {
        let (files, trials) = beginning::begin(path, &plan, &host, program)?;
        let run = Run { plan, host, records: Vec::new(), remarks: Vec::new() };
        Ok(Self { files, trials, run, sessions: 0 })
    }

    /// Opens a run directory to continue it. A torn last line is dropped and reported; trials that failed or were
    /// killed stay recorded but are due again, and so are all that took turns with them.
    pub fn resume(path: &Path) -> Result<Self, RunError> {
        let files = RunFiles::open(path)?;
        let plan = match files.plan() {
            Err(RunError::NotARun { path, .. }) if beginning::is_unfinished(files.directory())? => {
                return Err(RunError::Unbegun { path });
            }
            other => other?,
        };
        let trials = files.lock_trials()?;
        let host = files.json(HOST)?;
        let (mut records, mut remarks, valid_bytes) = reading::trials(&files.path_of(TRIALS), &trials)?;
        let sessions = records.iter().map(|record| record.session).max().unwrap_or(0);
        let before = records.len();
        records.retain(|record| !reading::may_be_repeated(record));
        if records.len() < before {
            remarks.push(format!(
                "{} that failed or were killed run again",
                count(before - records.len(), "trial")
            ));
        }
        let incomplete = reading::drop_incomplete_ensembles(&mut records);
        if incomplete > 0 {
            remarks.push(format!("{} of incomplete rounds run again", count(incomplete, "trial")));
        }
        files.remove_parts()?;
        open_directory::truncate(&trials, valid_bytes).map_err(io_error(path, "drop the torn last line"))?;
        files.drop_torn_line_of_traced()?;
        Ok(Self { files, trials, run: Run { plan, host, records, remarks }, sessions })
    }

    /// Appends a record and its sidecar; when this returns, both are on the disk.
    pub fn append(&mut self, record: TrialRecord, sidecar: Option<&Sidecar>) -> Result<(), RunError> {
        if let Some(sidecar) = sidecar {
            self.files.write_sidecar(&record.key, sidecar)?;
        }
        let path = self.files.path_of(TRIALS);
        let line = files::line_of(&record).map_err(|error| foreign(&path, None, error.to_string()))?;
        open_directory::append_durably(&self.trials, &line).map_err(io_error(&path, "append"))?;
        self.run.records.push(record);
        Ok(())
    }

    /// Appends what all ranks measured together, before the records of the same trial: what is recorded has its line.
    pub fn append_shared(&self, trial: &SharedTrial) -> Result<(), RunError> {
        self.append_line(SHARED, trial)
    }

    /// Appends what a traced trial shows; when this returns, it is on the disk.
    pub fn append_traced(&self, trial: &TracedTrial) -> Result<(), RunError> {
        self.append_line(TRACED, trial)
    }

    /// Appends the spikes of a recording; when this returns, they are on the disk.
    pub fn append_spikes(&self, spikes: &SpikesOfRecording) -> Result<(), RunError> {
        self.append_line(SPIKES, spikes)
    }

    fn append_line(&self, name: &str, value: &impl Serialize) -> Result<(), RunError> {
        let path = self.files.path_of(name);
        let line = files::line_of(value).map_err(|error| foreign(&path, None, error.to_string()))?;
        let file = self.files.directory().file_to_append(name);
        let file = file.map_err(io_error(&path, "open for appending"))?;
        open_directory::append_durably(&file, &line).map_err(io_error(&path, "append"))
    }

    /// The number of the session that begins now: above that of every record, also of those that are due again.
    pub fn next_session(&self) -> u32 {
        // A record may hold any number.
        self.sessions.saturating_add(1)
    }

    /// The run as it is now.
    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn files(&self) -> &RunFiles {
        &self.files
    }

    pub fn path(&self) -> &Path {
        self.files.path()
    }
}

/// Reads a run directory without holding it.
pub fn read(path: &Path) -> Result<Run, RunError> {
    RunFiles::open(path)?.run()
}
