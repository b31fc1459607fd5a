//! Whole trials on small files: preparation and measurement as a worker performs them, in a directory on the disk that
//! cargo builds on. Nothing here asserts a speed or a longest time.

mod caches;
mod failures;
mod files;
mod turns;
mod unsupported;
mod window;

use crate::line::TurnChannel;
use crate::measure::measure;
use crate::prepare::prepare;
use crate::refusal::Refusal;
use disk::work_directory::WorkDirectory;
use model::FORMAT_VERSION;
use model::trial::{FileFacts, Measurement, TrialSpec, WorkerReply};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A work directory of its own.
struct Stage(WorkDirectory);

impl Stage {
    /// On the disk that has the test program. The compression canary counts as run.
    fn new() -> Self {
        let program = std::env::current_exe().unwrap();
        Self::below(program.parent().unwrap())
    }

    fn below(parent: &Path) -> Self {
        let stage = Self(WorkDirectory::create(parent).unwrap());
        fs::write(stage.path().join("canary-host"), "").unwrap();
        stage
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// A trial with these changes to the defaults of its workload.
    fn spec(&self, workload: &str, changes: &[(&str, &str)]) -> TrialSpec {
        let schema = workload::schema(workload).unwrap();
        let mut configuration = schema.defaults();
        // The later of two changes of a parameter holds.
        for (name, level) in changes {
            let value = schema.parameter(name).unwrap().parse(level).unwrap();
            configuration.0.insert((*name).to_owned(), value);
        }
        TrialSpec {
            format_version: FORMAT_VERSION,
            workload: workload.to_owned(),
            configuration,
            seed: 1,
            work_directory: self.path().to_owned(),
            placement_round: None,
            image_bytes: 0,
            memory_group: None,
            io_group: None,
            parent_process: std::process::id(),
            quiesce_max_s: Some(0.0),
            other_work_directory: None,
            server: None,
            seat: None,
            takes_turns: false,
            is_traced: false,
            has_whole_turns: false,
            rank: 0,
        }
    }

    /// Sixty-four reads of 4 KiB in a file of 256 KiB, each block once, with these changes.
    fn reads(&self, changes: &[(&str, &str)]) -> TrialSpec {
        let few = [
            ("size", "256KiB"),
            ("ioengine", "psync"),
            ("random_distribution", "once"),
            ("number_ios", "64"),
            ("runtime", "0s"),
        ];
        self.spec("device", &[&few, changes].concat())
    }

    /// Eight commits to a log of 64 KiB, without reads, with these changes.
    fn commits(&self, changes: &[(&str, &str)]) -> TrialSpec {
        let few = [
            ("ioengine", "psync"),
            ("read_depth", "0"),
            ("wal_size", "64KiB"),
            ("groups", "8"),
            ("runtime", "0s"),
        ];
        self.spec("commit", &[&few, changes].concat())
    }
}

/// Runs a trial whose files are there.
fn run(spec: &TrialSpec) -> Result<Measurement, Refusal> {
    match measure(spec, &TurnChannel::new(io::empty(), io::sink()))? {
        WorkerReply::Measured(measurement) => Ok(*measurement),
        other => panic!("{other:?}"),
    }
}

/// Prepares a trial and runs it.
fn measured(spec: &TrialSpec) -> Measurement {
    prepare(spec).unwrap();
    run(spec).unwrap()
}

/// The only file of a trial.
fn only_file(measurement: &Measurement) -> &FileFacts {
    let [file] = measurement.files.as_slice() else { panic!("{:?}", measurement.files) };
    file
}

/// The only entry of a directory.
fn only_entry(directory: &Path) -> PathBuf {
    let entries: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [entry] = entries.as_slice() else { panic!("{}: {entries:?}", directory.display()) };
    entry.clone()
}
