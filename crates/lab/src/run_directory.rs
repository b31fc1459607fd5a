//! A run directory: plan, host, `trials.jsonl`, sidecars. Appended line by line and synced, so a kill loses nothing.

mod reading;

use model::FORMAT_VERSION;
use model::host::HostFacts;
use model::plan::Plan;
use model::run::Run;
use model::sidecar::Sidecar;
use model::trial::{Outcome, TrialKey, TrialRecord};
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const PLAN: &str = "plan.json";
const HOST: &str = "host.json";
const TRIALS: &str = "trials.jsonl";
const SIDECARS: &str = "sidecars";

/// What is wrong with a run directory; each says where and what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An operation on a file failed.
    #[error("{path}: cannot {operation}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// No run is there.
    #[error(
        "{path} is no run directory: {why}; run directories are those that syncline run makes, below syncline-runs unless --out says otherwise"
    )]
    NotARun {
        /// The directory.
        path: PathBuf,
        /// What it is instead.
        why: &'static str,
    },
    /// A run is there where a new one should be made.
    #[error("{path} holds a run already: give another --out, or --resume {path}")]
    Occupied {
        /// The directory.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("{path} is not empty and holds no run of syncline: give another --out")]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// Another process has it open.
    #[error("{path} is in use by another syncline: wait for it to end")]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// It was written by a newer version.
    #[error("{path}{}: format version {found}, and this syncline reads up to {FORMAT_VERSION}: read it with the syncline that wrote it, or a newer one", at(*line))]
    Newer {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// Its version.
        found: u64,
    },
    /// It is not what Syncline writes.
    #[error("{path}{}: not a syncline record ({what}): the file was changed by something else; restore it or start a new run", at(*line))]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What does not fit.
        what: String,
    },
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(" line {line}")).unwrap_or_default()
}

/// A run directory that this process holds and appends to.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    trials: File,
    run: Run,
}

fn io_error(path: &Path, operation: &'static str) -> impl FnOnce(io::Error) -> RunError {
    move |source| RunError::Io { path: path.to_owned(), operation, source }
}

impl RunDirectory {
    /// Makes a run directory for a plan.
    pub fn create(path: &Path, plan: Plan, host: HostFacts) -> Result<Self, RunError> {
        if path.join(PLAN).exists() {
            return Err(RunError::Occupied { path: path.to_owned() });
        }
        // Whatever is there is somebody's: nothing of it is written to.
        if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(RunError::NotEmpty { path: path.to_owned() });
        }
        fs::create_dir_all(path.join(SIDECARS)).map_err(io_error(path, "make the directory"))?;
        let trials = open_trials(path)?;
        // The plan is written last: a directory with a plan is complete.
        write_durably(&path.join(HOST), &host)?;
        write_durably(&path.join(PLAN), &plan)?;
        sync_directory(path)?;
        let run = Run { plan, host, records: Vec::new(), remarks: Vec::new() };
        Ok(Self { path: path.to_owned(), trials, run })
    }

    /// Opens a run directory to go on with it. A torn last line is dropped and said; trials that failed or were killed
    /// stay recorded but are due again.
    pub fn resume(path: &Path) -> Result<Self, RunError> {
        let plan = reading::plan(path)?;
        let trials = open_trials(path)?;
        let host = reading::json(&path.join(HOST))?;
        let (mut records, mut remarks, valid_bytes) = reading::trials(&path.join(TRIALS))?;
        let before = records.len();
        records.retain(|record| !may_be_repeated(record));
        if records.len() < before {
            remarks.push(format!(
                "{} that failed or were killed run again",
                count_trials(before - records.len())
            ));
        }
        trials.set_len(valid_bytes).map_err(io_error(path, "drop the torn last line"))?;
        Ok(Self { path: path.to_owned(), trials, run: Run { plan, host, records, remarks } })
    }

    /// Appends a record and its sidecar; when this returns, both are on the disk.
    pub fn append(&mut self, record: TrialRecord, sidecar: Option<&Sidecar>) -> Result<(), RunError> {
        if let Some(sidecar) = sidecar {
            let directory = self.path.join(SIDECARS);
            write_durably(&directory.join(record.key.sidecar_name()), sidecar)?;
            sync_directory(&directory)?;
        }
        let path = self.path.join(TRIALS);
        let mut line = serde_json::to_vec(&record).map_err(|error| RunError::Foreign {
            path: path.clone(),
            line: None,
            what: error.to_string(),
        })?;
        line.push(b'\n');
        self.trials.write_all(&line).map_err(io_error(&path, "append"))?;
        self.trials.sync_data().map_err(io_error(&path, "sync"))?;
        self.run.records.push(record);
        Ok(())
    }

    /// The run as it is now.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Reads a run directory without holding it.
pub fn read(path: &Path) -> Result<Run, RunError> {
    let plan = reading::plan(path)?;
    let host = reading::json(&path.join(HOST))?;
    let (records, remarks, _) = reading::trials(&path.join(TRIALS))?;
    Ok(Run { plan, host, records, remarks })
}

/// Reads one trial's sidecar; `None` if it has none or it cannot be read.
pub fn read_sidecar(path: &Path, key: &TrialKey) -> Option<Sidecar> {
    let name = key.sidecar_name();
    // The name holds the study's, and a record may name anything: what is read lies in this directory.
    let plain = Path::new(&name).file_name().is_some_and(|file| file == name.as_str());
    plain.then(|| reading::json(&path.join(SIDECARS).join(name)).ok())?
}

/// Whether a later record of the same trial takes this one's place.
fn may_be_repeated(record: &TrialRecord) -> bool {
    match record.outcome {
        Outcome::Failed(_) | Outcome::Killed(_) => true,
        Outcome::Ok | Outcome::Unsupported(_) => false,
    }
}

fn count_trials(count: usize) -> String {
    if count == 1 { "1 trial".to_owned() } else { format!("{count} trials") }
}

fn open_trials(directory: &Path) -> Result<File, RunError> {
    let path = directory.join(TRIALS);
    let trials = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .map_err(io_error(&path, "open for appending"))?;
    flock(&trials, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| RunError::InUse { path: directory.to_owned() })?;
    Ok(trials)
}

fn write_durably(path: &Path, value: &impl Serialize) -> Result<(), RunError> {
    let write = || -> io::Result<()> {
        let mut file = File::create(path)?;
        serde_json::to_writer(&mut file, value)?;
        file.write_all(b"\n")?;
        file.sync_data()
    };
    write().map_err(io_error(path, "write"))
}

fn sync_directory(path: &Path) -> Result<(), RunError> {
    File::open(path).and_then(|directory| directory.sync_all()).map_err(io_error(path, "sync"))
}
