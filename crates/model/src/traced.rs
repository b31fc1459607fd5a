//! Traced trials: trials of their own while the kernel's tracepoints were recorded, and what the time of their
//! operations was spent on.
//!
//! They have a file of their own, `traced.jsonl`, and no [`crate::trial::TrialRecord`]: a trace changes what it
//! measures, so no figure, verdict or comparison is made from one.

use serde::{Deserialize, Serialize};

/// What a stretch of an operation's time was spent on, in the order in which a flushed write passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The program itself ran, outside its system calls.
    Program,
    /// The thread ran in a system call: file system, page cache, block layer.
    FileSystem,
    /// A request waited to be handed to the device's driver: the scheduler, a limit, a full device queue.
    Queue,
    /// The driver had the request, and the device worked on it.
    Device,
    /// The same, and then what waited for it was woken: the kernel hid the events of an idle CPU.
    DeviceToRun,
    /// A flush waited for an earlier flush of the device to end.
    FlushBehindFlush,
    /// A flush was passed on to the driver, which a kernel worker does.
    FlushHandOver,
    /// The device flushed its cache.
    Flush,
    /// The same, and then what waited for it was woken: the kernel hid the events of an idle CPU.
    FlushToRun,
    /// The request was done, and what waits for it was not woken yet.
    Completion,
    /// The thread, or one that it waited for, could have run and got no CPU.
    RunQueue,
    /// A kernel thread that the operation waited for ran: a worker, the journal's thread.
    Worker,
    /// A thread of a program that the operation waited for ran, as a server's for its client, outside its own system
    /// calls.
    OtherProgram,
    /// The thread ran, after its last wait in the system call.
    Return,
    /// The events do not say.
    Unknown,
}

impl Stage {
    /// All of them, in the order in which a flushed write passes them.
    pub const ALL: [Self; 15] = [
        Self::Program,
        Self::FileSystem,
        Self::Queue,
        Self::Device,
        Self::DeviceToRun,
        Self::FlushBehindFlush,
        Self::FlushHandOver,
        Self::Flush,
        Self::FlushToRun,
        Self::Completion,
        Self::RunQueue,
        Self::Worker,
        Self::OtherProgram,
        Self::Return,
        Self::Unknown,
    ];

    /// What the time was spent on, as a sentence has it: "flush in the device 61 %".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Program => "in the program",
            Self::FileSystem => "in the file system",
            Self::Queue => "waiting for the device's queue",
            Self::Device => "transfer in the device",
            Self::DeviceToRun => "transfer or wake-up",
            Self::FlushBehindFlush => "waiting for another flush",
            Self::FlushHandOver => "handing over the flush",
            Self::Flush => "flush in the device",
            Self::FlushToRun => "flush or wake-up",
            Self::Completion => "completion to wake-up",
            Self::RunQueue => "waiting to run",
            Self::Worker => "in kernel threads",
            Self::OtherProgram => "in another program",
            Self::Return => "return to the program",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the speed of the device decides its length, or at most that.
    pub const fn is_device(self) -> bool {
        matches!(
            self,
            Self::Device | Self::DeviceToRun | Self::Flush | Self::FlushToRun | Self::FlushBehindFlush
        )
    }

    /// What that means, in a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Program => "The program ran, outside its system calls.",
            Self::FileSystem => "The thread ran in a system call: file system, page cache, block layer.",
            Self::Queue => {
                "A request waited for the device's driver: the I/O scheduler, a limit of a control group, a full \
                 device queue."
            }
            Self::Device => "The driver had the request, and the device read or wrote its blocks.",
            Self::DeviceToRun => {
                "From the driver's hand until the thread ran again: the kernel hid the events of an idle CPU, so \
                 nothing shows where the device's part ended."
            }
            Self::FlushBehindFlush => "A flush waited until an earlier flush of the same device was done.",
            Self::FlushHandOver => "A kernel thread handed the flush to the driver.",
            Self::Flush => "The device wrote its cache out.",
            Self::FlushToRun => "The same for a flush of the device's cache: nothing shows where it ended.",
            Self::Completion => "The request was done, and the thread that waited for it was not woken yet.",
            Self::RunQueue => "The thread, or one that it waited for, could run and had no CPU.",
            Self::Worker => "A kernel thread that the operation waited for ran.",
            Self::OtherProgram => {
                "A thread of a program that the operation waited for ran, as a database server's for its client."
            }
            Self::Return => "The thread ran in the system call, after its last wait.",
            Self::Unknown => "The events do not show what the time was spent on.",
        }
    }
}

/// A stage, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Segment {
    pub stage: Stage,
    /// Whether it was spent on the file system's journal or other metadata.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub journal: bool,
}

impl Segment {
    /// All of them, in the order of their stages.
    pub fn all() -> impl Iterator<Item = Self> {
        Stage::ALL.into_iter().flat_map(|stage| [false, true].map(|journal| Self { stage, journal }))
    }

    /// What the time was spent on, as a sentence has it.
    pub fn name(self) -> String {
        if self.journal { format!("journal: {}", self.stage.name()) } else { self.stage.name().to_owned() }
    }
}

/// A traced trial: a line of `traced.jsonl`. The later of two lines about one trial counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedTrial {
    /// Format of this line ([`crate::FORMAT_VERSION`]).
    pub format_version: u32,
    #[serde(flatten)]
    pub key: TracedKey,
    /// When it started, RFC 3339 in UTC.
    pub started_at: String,
    pub outcome: TracedOutcome,
}

/// Which traced trial of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TracedKey {
    pub study: String,
    /// Index of the configuration in the study's plan.
    pub configuration: usize,
    /// Which of the configuration's traced trials, from 0.
    pub repetition: u32,
}

/// How a traced trial ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TracedOutcome {
    /// Its phases, in order.
    Traced(Vec<TracedPhase>),
    /// It failed; why.
    Failed(String),
    /// Nothing can be traced here; why, and what would permit it.
    Unsupported(String),
}

impl TracedOutcome {
    /// Its phases; none if it has no trace.
    pub fn phases(&self) -> &[TracedPhase] {
        match self {
            Self::Traced(phases) => phases,
            Self::Failed(_) | Self::Unsupported(_) => &[],
        }
    }
}

/// A phase of a traced trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedPhase {
    /// Its name; `measure` if there is one phase only.
    pub name: String,
    /// Length of the trace, seconds.
    pub traced_s: f64,
    /// Events that were kept.
    pub events: u64,
    /// Records for which the kernel had no room: what they would have shown is in the unknown time.
    pub lost_records: u64,
    /// Events beyond the limit of what is kept.
    pub events_beyond_limit: u64,
    /// Tracepoints that this kernel does not have or does not record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_tracepoints: Vec<String>,
    /// By family of latencies, in the order of the workload.
    pub families: Vec<TracedFamily>,
}

/// The operations whose latencies are a family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedFamily {
    /// The family of metrics: `commit_latency`.
    pub family: String,
    /// Operations that the program stamped and that the trace does not cover. Nothing here counts them.
    pub unmatched: u64,
    /// Operations beyond the limit of the program's stamps. Nothing here counts them.
    pub unstamped: u64,
    /// All operations that the trace covers.
    pub all: TimeSpent,
    /// The slowest hundredth of them, at least one.
    pub slowest: TimeSpent,
    /// The slowest one, in the order of time.
    pub slowest_operation: Vec<SegmentTime>,
    /// The programs that took most beside all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<TracedNeighbour>,
}

/// A program beside some operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedNeighbour {
    /// Its name, as the kernel has it: `cc1plus`. Threads of the kernel have the name of their kind: `kworker`. It is
    /// empty if the trace does not show it.
    pub program: String,
    /// Time that it ran on a CPU which a thread of the operations waited for, nanoseconds.
    pub ran_ns: u64,
    /// Those of [`TimeSpent::foreign_requests`] that were its; none of the operations' own program.
    pub requests: u64,
}

/// What the time of some operations was spent on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeSpent {
    pub operations: u64,
    /// Time of all of them together, nanoseconds: the sum of the segments.
    pub duration_ns: u64,
    /// Requests of other threads that the device's driver got meanwhile, summed over the operations.
    pub foreign_requests: u64,
    /// Each at most once.
    pub segments: Vec<SegmentTime>,
}

impl TimeSpent {
    /// Time of a segment, nanoseconds.
    pub fn segment_ns(&self, segment: Segment) -> f64 {
        let own = self.segments.iter().filter(|time| time.segment == segment);
        own.map(|time| time.duration_ns as f64).fold(0.0, |sum, ns| sum + ns)
    }

    /// Time of all segments, nanoseconds. A stranger's record may have a [`Self::duration_ns`] that is not their sum.
    pub fn segments_ns(&self) -> f64 {
        self.segments.iter().map(|time| time.duration_ns as f64).sum()
    }
}

/// Time that was spent on something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentTime {
    #[serde(flatten)]
    pub segment: Segment,
    /// Nanoseconds.
    pub duration_ns: u64,
}

/// An operation as the program saw it: its thread, and when it began and ended, in `CLOCK_MONOTONIC` nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u64, u64)", into = "(u32, u64, u64)")]
pub struct Stamp {
    pub thread: u32,
    pub began_ns: u64,
    pub ended_ns: u64,
}

impl From<(u32, u64, u64)> for Stamp {
    fn from((thread, began_ns, ended_ns): (u32, u64, u64)) -> Self {
        Self { thread, began_ns, ended_ns }
    }
}

impl From<Stamp> for (u32, u64, u64) {
    fn from(stamp: Stamp) -> Self {
        (stamp.thread, stamp.began_ns, stamp.ended_ns)
    }
}

/// The stamps of a family of latencies, which a worker keeps in a traced trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stamps {
    pub family: String,
    pub kept: Vec<Stamp>,
    /// Operations beyond the limit.
    pub beyond_limit: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_stage_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = Stage::ALL.into_iter().map(Stage::name).collect();
        assert_eq!(names.len(), Stage::ALL.len());
        assert!(Stage::ALL.is_sorted());
    }

    #[test]
    fn a_stamp_is_three_numbers() {
        let stamp = Stamp { thread: 7, began_ns: 10, ended_ns: 25 };
        let text = serde_json::to_string(&stamp).unwrap();
        assert_eq!(text, "[7,10,25]");
        assert_eq!(serde_json::from_str::<Stamp>(&text).unwrap(), stamp);
    }
}
