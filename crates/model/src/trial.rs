//! A trial: the request to the worker, and the record of it.

use crate::Configuration;
use crate::buffer::BufferMemory;
use crate::canary::CompressionCanary;
use crate::durability::DurabilityClass;
use crate::host::Placement;
use crate::measured_streams::{MeasuredFlushes, MeasuredStream};
use crate::mechanism::{Measured, Mechanism, Window};
use crate::server::ServerFacts;
use crate::sidecar::Sidecar;
use crate::turns::{Arm, Slice, TurnsTaken};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which trial of the plan this is. Unique within a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TrialKey {
    pub study: String,
    /// Round, warm-ups included, from 0.
    pub round: u32,
    /// Index of the configuration in the study's plan.
    pub configuration: usize,
    /// Whether this is the second trial of the baseline in its round: the A/A arm.
    pub duplicate: bool,
    /// The block of its round, from 0: trials of one block are alive together. The baseline has a trial in every block.
    #[serde(default, skip_serializing_if = "is_first")]
    pub block: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first(number: &u32) -> bool {
    *number == 0
}

impl TrialKey {
    /// Which trial of its round this is.
    pub const fn arm(&self) -> Arm {
        Arm { configuration: self.configuration, duplicate: self.duplicate }
    }

    /// Name of the trial's sidecar file, without directory.
    pub fn sidecar_name(&self) -> String {
        self.file_name("json")
    }

    /// Name of a file that only this trial has, without directory.
    pub fn file_name(&self, extension: &str) -> String {
        let arm = if self.duplicate { "-aa" } else { "" };
        let block = if self.block > 0 { format!("-b{}", self.block) } else { String::new() };
        format!("{}-r{:03}-c{:03}{arm}{block}.{extension}", self.study, self.round, self.configuration)
    }
}

/// What a worker process is asked to do: one line of JSON on its standard input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerRequest {
    /// Make the files that the trial needs, unless they are there already.
    Prepare(TrialSpec),
    /// Run the trial.
    Trial(TrialSpec),
    /// Write as the trial does and count what is acknowledged, until somebody kills the process.
    Acknowledge(TrialSpec),
    /// Count what was acknowledged before such a kill and is missing.
    Recover(TrialSpec),
}

/// What the worker process answers: one line of JSON on its standard output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerReply {
    /// The files are there.
    Prepared {
        /// Time it took, seconds.
        seconds: f64,
        /// What zeros cost against random data here, if this was the first preparation on its file system.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        canary: Option<Measured<CompressionCanary>>,
    },
    /// What a kill left.
    Recovered {
        /// Entries that were acknowledged.
        acknowledged: u64,
        /// Those of them that are not there.
        missing: u64,
    },
    /// The worker waits for the first turn of a phase.
    Waiting { phase: String },
    /// A turn is over, and nothing is in flight.
    Turned(Slice),
    /// The trial ran to its end.
    Measured(Box<Measurement>),
    /// It did not run or did not finish, and why.
    Failed {
        /// One clear sentence: what, where, what to do.
        why: String,
    },
    /// This machine or file system cannot do it, and why.
    Unsupported { why: String },
}

/// One trial to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialSpec {
    /// Format of this message ([`crate::FORMAT_VERSION`]).
    pub format_version: u32,
    /// The workload that runs.
    pub workload: String,
    /// One value for every parameter.
    pub configuration: Configuration,
    /// Seed of everything random in the trial.
    pub seed: u64,
    /// Directory that Syncline made, where the files live.
    #[serde(with = "crate::path_text")]
    pub work_directory: PathBuf,
    /// The round, if files are prepared again each round; `None` if they may be reused.
    pub placement_round: Option<u32>,
    /// Bytes that a loop image must hold, if the configuration asks for a file system of its own.
    pub image_bytes: u64,
    /// Memory control group to enter once caches are cold, if the trial is capped.
    #[serde(default, with = "crate::path_text::optional")]
    pub memory_group: Option<PathBuf>,
    /// Control group with limits of I/O to enter once the files are as they should be, if the trial has some.
    #[serde(default, with = "crate::path_text::optional", skip_serializing_if = "Option::is_none")]
    pub io_group: Option<PathBuf>,
    /// The worker ends when this process does.
    pub parent_process: u32,
    /// The maximum time that the device has to become quiet, in seconds; the default if it is not given. At 0 the trial
    /// has everything written out and does not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiesce_max_s: Option<f64>,
    /// Directory that Syncline made in another place, where the server of the trial has its files; below
    /// `work_directory` without.
    #[serde(default, with = "crate::path_text::optional", skip_serializing_if = "Option::is_none")]
    pub other_work_directory: Option<PathBuf>,
    /// Where a server comes from, for trials that drive one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerSource>,
    /// The number of its seat among the trials that can take turns, each of which has files of its own wherever
    /// another's work would show in them; `None` if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u32>,
    /// Whether it waits for its turns. A study that has left its turns keeps the files of its seats.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_turns: bool,
    /// Whether it is traced: it keeps the stamps of its operations, and its phases begin at the lab's order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_traced: bool,
    /// Whether each of its phases is one whole turn, which the workload ends by itself, although it could take slices
    /// with others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_whole_turns: bool,
    /// The number of its rank among those that a launcher started, from 0; 0 without a launcher.
    #[serde(default, skip_serializing_if = "is_first")]
    pub rank: u32,
}

/// Where the PostgreSQL server of a trial comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerSource {
    /// Syncline's own cluster, made with the programs in this directory.
    Programs(#[serde(with = "crate::path_text")] PathBuf),
    /// The user's server, by its connection string.
    Dsn(String),
    /// A scratch database on the user's server, whose settings a proof may change.
    Scratch {
        /// The connection string of the server.
        dsn: String,
        /// The proof's undo journal, which names the database and every setting that may be changed.
        #[serde(with = "crate::path_text")]
        journal: PathBuf,
        /// Whether others may work on the server meanwhile (`--allow-busy`).
        is_shared: bool,
    },
    /// Programs of database servers, by the servers' names.
    Servers(BTreeMap<String, ServerPrograms>),
    /// There is none, and why.
    Absent(String),
}

/// The programs of a database server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerPrograms {
    /// The server's main program.
    #[serde(with = "crate::path_text")]
    pub main: PathBuf,
    /// The root of the tree that it is in.
    #[serde(with = "crate::path_text")]
    pub root: PathBuf,
    /// What the program calls its version.
    pub version: String,
}

/// What a worker measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Parts of the trial, in order.
    pub phases: Vec<Phase>,
    /// What an acknowledged write of this configuration survives, as declared.
    pub durability: DurabilityClass,
    /// The files, as verified before and after.
    pub files: Vec<FileFacts>,
    /// File system and device below the files.
    pub placement: Placement,
    /// Time until the device was quiet, seconds.
    pub quiesce_s: f64,
    /// Time to evict or warm the page cache and to verify the files, seconds.
    pub cache_s: f64,
    /// Time of what is measured after the phases, seconds: until all that was acknowledged is on the device, and until
    /// a process of its own was killed and what it left was looked through. Zero if nothing is, and in older records.
    #[serde(default)]
    pub aftermath_s: f64,
    /// The memory of the trial's buffers as it was found after the last phase. `None` if no buffer is Syncline's own,
    /// and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffers: Option<Measured<BufferMemory>>,
    /// How the workload went before it was measured, if it was to become steady first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_ramp: Option<SteadyRamp>,
    /// What the server said that was measured; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerFacts>,
    /// What the worker had to do differently from the request, such as unregistered buffers.
    pub notes: Vec<String>,
    /// The operations that were logged; `None` if none were, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_log: Option<OperationLogFile>,
    /// Histograms and time series; kept beside the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sidecar: Option<Sidecar>,
}

/// A log of the operations of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationLogFile {
    /// The file: in a record, below the run directory; in a worker's reply, in the work directory.
    pub name: String,
    pub operations: u64,
    /// Operations behind them, for which there was no room.
    pub left_out: u64,
}

/// A workload on its way to a steady state, unmeasured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyRamp {
    /// Length of an interval, seconds.
    pub interval_s: f64,
    /// Operations per second of each.
    pub operations_per_s: Vec<f64>,
    /// Whether the last five met SNIA's rule; if not, the time was up.
    pub steady: bool,
}

/// One part of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name; `measure` if there is one phase only.
    pub name: String,
    /// Wall time, seconds.
    pub duration_s: f64,
    pub operations: u64,
    /// Metrics by full name.
    pub metrics: BTreeMap<String, Measured<f64>>,
    /// What was in flight, by kind of operation; none if that is unknown. The reader of a run derives it for records
    /// from before it was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<MeasuredStream>,
    /// The flushes of what was acknowledged as durable; `None` if nothing was. Derived in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<MeasuredFlushes>,
    /// Latencies by the size of what an operation moved; none if sizes do not vary, and in older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub size_classes: Vec<SizeClass>,
    /// What the kernel counted meanwhile.
    pub mechanism: Mechanism,
    /// How it took turns with the other trials of its round; `None` if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<TurnsTaken>,
}

impl Phase {
    /// A phase with these figures; its streams and flushes follow from them.
    pub const fn new(
        name: String,
        duration_s: f64,
        operations: u64,
        metrics: BTreeMap<String, Measured<f64>>,
        mechanism: Mechanism,
    ) -> Self {
        Self {
            name,
            duration_s,
            operations,
            metrics,
            streams: Vec::new(),
            flushes: None,
            size_classes: Vec::new(),
            mechanism,
            turns: None,
        }
    }

    /// Seconds that the counters of the mechanism cover: longer than the phase if it took turns.
    pub fn counted_s(&self) -> f64 {
        self.turns.as_ref().map_or(self.duration_s, |turns| turns.turns_s)
    }

    /// Operations that those counters cover.
    pub fn counted_operations(&self) -> u64 {
        self.turns.as_ref().map_or(self.operations, |turns| turns.operations)
    }

    /// The same for something that was counted in the phase alone, on the assumption that it went on at the same rate
    /// per operation outside the windows of its turns.
    pub fn counted(&self, measured: f64) -> f64 {
        match &self.turns {
            Some(turns) if self.operations > 0 => {
                measured * (turns.operations as f64 / self.operations as f64)
            }
            Some(_) | None => measured,
        }
    }
}

/// Latencies of one kind of operation that moves as many bytes as this, microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeClass {
    /// The operation: `get`.
    pub operation: String,
    /// The most bytes of the class; what the class below it has is in that one. `None` if there is no bound.
    pub bytes_max: Option<u64>,
    /// Operations behind the latencies.
    pub operations: u64,
    pub mean_us: f64,
    pub p50_us: Measured<f64>,
    pub p99_us: Measured<f64>,
    pub max_us: f64,
}

/// A file as it was found before the measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// What it is for: `data`, `wal`.
    pub role: String,
    /// Bytes.
    pub size_bytes: u64,
    /// Layout that was requested.
    pub layout: String,
    /// What FIEMAP says about it.
    pub extents: Measured<ExtentFacts>,
    /// Seconds between the last change of the file and the measurement; `None` in older records. What was written a
    /// moment ago may be in a cache below this machine's disk, where no counter of this machine shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_s: Option<Measured<f64>>,
    /// Share of the file in the page cache before the measurement, if it was proven (0…1).
    pub cached_share_before: Measured<f64>,
    /// The same after the ramp, when the measurement began; `None` without a ramp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_share_after_ramp: Option<Measured<f64>>,
    /// The same after it.
    pub cached_share_after: Measured<f64>,
}

/// A file's layout on the device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtentFacts {
    pub count: u64,
    /// Bytes allocated but never written: the first write to them is a metadata change.
    pub unwritten_bytes: u64,
    /// Bytes without allocation, below the file's size.
    pub hole_bytes: u64,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// It measured.
    Ok,
    /// It failed; why.
    Failed(String),
    /// It cannot run here; why.
    Unsupported(String),
    /// It was killed at its deadline; after how many seconds.
    Killed(f64),
}

/// A time in which a worker did not run although nobody waited for the device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// What the lab saw.
    pub cause: PauseCause,
    /// When, as the lab noticed it: it looks some twenty times a second.
    #[serde(flatten)]
    pub window: Window,
}

/// What the lab saw of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseCause {
    /// The worker process was stopped by a signal (SIGSTOP, SIGTSTP) and continued later.
    Stopped,
    /// The lab itself did not run: all of Syncline was stopped, or the whole machine.
    LabAbsent,
}

/// A trial's line in `trials.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Format of this line ([`crate::FORMAT_VERSION`]).
    pub format_version: u32,
    #[serde(flatten)]
    pub key: TrialKey,
    /// Place within its round, from 0.
    pub position: u32,
    /// Whether its round is a warm-up: recorded, not analysed.
    pub warmup: bool,
    /// Which start of the program ran it; a resumed run has several.
    pub session: u32,
    /// One value for every parameter.
    pub values: Configuration,
    /// Seed of everything random in the trial.
    pub seed: u64,
    /// When it started, RFC 3339 in UTC.
    pub started_at: String,
    /// The trials that were alive together with this one and took turns with it, itself included; empty if it ran
    /// alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ensemble: Vec<Arm>,
    /// Seconds from asking the worker to its answer, without those in which another trial had the turn.
    pub wall_s: f64,
    /// Seconds spent making files for this trial.
    pub prepare_s: f64,
    /// What zeros cost against random data, if its files were the first on their file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<Measured<CompressionCanary>>,
    /// Times at which the lab found the worker stopped, or itself not run; `None` in records of versions that did not
    /// look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pauses: Option<Vec<Pause>>,
    pub outcome: TrialOutcome,
    /// What was measured, if the outcome is ok.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<Measurement>,
}

impl TrialRecord {
    /// A metric of a phase.
    pub fn metric_of(&self, phase: &str, name: &str) -> Option<&Measured<f64>> {
        let phases = &self.measurement.as_ref()?.phases;
        phases.iter().find(|candidate| candidate.name == phase)?.metrics.get(name)
    }

    /// A metric of the first phase that reports it.
    pub fn metric(&self, name: &str) -> Option<&Measured<f64>> {
        self.measurement.as_ref()?.phases.iter().find_map(|phase| phase.metrics.get(name))
    }

    /// A metric's figure, if it was measured.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.metric(name).and_then(Measured::value).copied()
    }
}
