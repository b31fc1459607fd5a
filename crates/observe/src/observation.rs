//! What was seen.

use crate::class::Class;
use crate::layout::Role;
use crate::missing::MissingTracepoint;
use model::traced::Segment;
use serde::Serialize;

/// What was seen in a time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Observation {
    /// Whose operations: `process 4242 (postgres)`.
    pub target: String,
    pub duration_s: f64,
    /// For how long calls, requests of disks and their parts were recorded.
    pub recording: Recording,
    /// Processes that made at least one call.
    pub processes: usize,
    /// Databases whose files these are, each with its directory.
    pub databases: Vec<(String, String)>,
    pub classes: Vec<ClassFigures>,
    pub syncs: SyncFigures,
    /// Operations on logs and on all other files, each by itself.
    pub streams: Vec<StreamFigures>,
    /// By what files are to their database.
    pub roles: Vec<RoleFigures>,
    /// Those with most operations.
    pub files: Vec<FileFigures>,
    pub over_time: OverTime,
    /// Reads and syncs.
    pub explanations: Vec<Explanation>,
    /// All requests of the disks, also of others.
    pub devices: Vec<DeviceFigures>,
    /// `None` if they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spikes: Option<SpikeFigures>,
    /// `None` if no run was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstRun>,
    pub not_seen: NotSeen,
}

impl Observation {
    /// Whether calls were recorded in windows, so that their rates are estimates.
    pub const fn is_sampled(&self) -> bool {
        self.recording.windows.is_some()
    }

    /// The figures of a class; `None` if there were no such operations.
    pub fn class(&self, class: Class) -> Option<&ClassFigures> {
        self.classes.iter().find(|of| of.class == class)
    }
}

/// For how long calls were recorded.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Recording {
    /// How many windows there were; `None` if calls were recorded all the time.
    pub windows: Option<usize>,
    /// All of them together.
    pub seconds: f64,
    pub share: f64,
}

impl Default for Recording {
    fn default() -> Self {
        Self { windows: None, seconds: 0.0, share: 1.0 }
    }
}

/// A class of operations.
#[derive(Clone, Debug, Serialize)]
pub struct ClassFigures {
    pub class: Class,
    /// Those that were seen.
    pub operations: u64,
    /// The share of the time in which they were recorded: below 1, rates are estimates.
    pub seen_share: f64,
    pub operations_per_s: f64,
    /// Its 95 % interval over the windows; `None` if it is not an estimate, or one from too few windows.
    pub operations_per_s_interval: Option<(f64, f64)>,
    pub bytes_per_s: f64,
    /// The most frequent first.
    pub sizes: Vec<SizeFigures>,
    /// The share that begins where the operation before it ended, among those that have one.
    pub sequential_share: Option<f64>,
    /// Rate × mean latency.
    pub depth_by_littles_law: f64,
    /// The mean over time of the number in flight.
    pub depth_counted: f64,
    pub depth_max: u64,
    /// The share of the time in which at least one was in flight.
    pub busy_share: f64,
    /// The share of operations on files that are open past the page cache.
    pub direct_share: f64,
    pub failed: u64,
    pub latency: Option<Latency>,
    /// The shortest first; those without operations are left out.
    pub latency_bins: Vec<LatencyBin>,
}

impl ClassFigures {
    /// Whether its rates are estimates, because it was recorded in windows.
    pub fn is_estimate(&self) -> bool {
        self.seen_share < 1.0
    }
}

/// A class of operations on logs, or on all other files.
#[derive(Clone, Debug, Serialize)]
pub struct StreamFigures {
    pub class: Class,
    pub log: bool,
    pub operations: u64,
    pub operations_per_s: f64,
    pub bytes_per_s: f64,
    /// The most frequent first.
    pub sizes: Vec<SizeFigures>,
    pub sequential_share: Option<f64>,
    pub depth_by_littles_law: f64,
    pub direct_share: f64,
    pub latency: Option<Latency>,
}

/// One size of operations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeFigures {
    pub bytes: u64,
    pub share: f64,
}

/// A distribution of latencies. A percentile without enough operations beyond it is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    pub mean_us: f64,
    pub p50_us: Option<f64>,
    pub p99_us: Option<f64>,
    pub max_us: f64,
}

/// Latencies between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LatencyBin {
    pub from_us: f64,
    /// A tenth of a decade above.
    pub to_us: f64,
    pub operations: u64,
}

/// Rates over the time of the observation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OverTime {
    /// Length of a slot, seconds.
    pub slot_s: f64,
    /// Those that had operations.
    pub classes: Vec<ClassOverTime>,
}

/// A class of operations, slot by slot; `None` in one in which they were not recorded.
#[derive(Clone, Debug, Serialize)]
pub struct ClassOverTime {
    pub class: Class,
    pub operations_per_s: Vec<Option<f64>>,
    pub bytes_per_s: Vec<Option<f64>>,
}

/// What stands between syncs. The first sync of a file has none before it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SyncFigures {
    /// Bytes written to a file from one sync of it to the next, on average.
    pub bytes_between_mean: Option<f64>,
    /// The same for logs alone.
    pub log_bytes_between_mean: Option<f64>,
    /// Writes to a log from one sync of it to the next, on average.
    pub log_writes_between_mean: Option<f64>,
    /// Writes that were durable when they returned (`O_DSYNC`, `RWF_DSYNC`), per second.
    pub durable_writes_per_s: f64,
}

/// Operations on files of one role.
#[derive(Clone, Debug, Serialize)]
pub struct RoleFigures {
    /// Empty if no layout has these files.
    pub database: String,
    pub role: Role,
    pub files: usize,
    pub reads_per_s: f64,
    pub bytes_read_per_s: f64,
    pub writes_per_s: f64,
    pub bytes_written_per_s: f64,
    pub syncs_per_s: f64,
}

/// Operations on a file.
#[derive(Clone, Debug, Serialize)]
pub struct FileFigures {
    pub path: String,
    /// Empty if no layout has it.
    pub database: String,
    pub role: Role,
    /// Whether it was opened past the page cache.
    pub direct: bool,
    /// Those that were seen.
    pub reads: u64,
    pub reads_per_s: f64,
    pub bytes_read: u64,
    pub writes: u64,
    pub writes_per_s: f64,
    pub bytes_written: u64,
    pub bytes_written_per_s: f64,
    pub syncs: u64,
    pub syncs_per_s: f64,
}

/// What the time of a class of operations was spent on.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    pub class: Class,
    /// Those that were laid out, evenly chosen.
    pub operations: u64,
    pub mean_us: f64,
    pub parts: Vec<Part>,
    /// The slowest hundredth of all, or as many of them as are kept.
    pub slowest_operations: u64,
    pub slowest_mean_us: f64,
    pub slowest_parts: Vec<Part>,
}

/// A part of the time of an operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    #[serde(flatten)]
    pub segment: Segment,
    pub mean_us: f64,
    pub share: f64,
}

/// Operations that took longer than a threshold.
#[derive(Clone, Debug, Serialize)]
pub struct SpikeFigures {
    pub threshold_us: f64,
    /// All of them.
    pub seen: u64,
    /// The slowest, in the order of their times.
    pub slowest: Vec<Spike>,
}

/// An operation that took longer than the threshold.
#[derive(Clone, Debug, Serialize)]
pub struct Spike {
    /// When it began, since the beginning of the observation.
    pub at_s: f64,
    pub class: Class,
    pub process: u32,
    /// The name of the process; empty if it is gone.
    pub name: String,
    pub path: String,
    pub bytes: u64,
    pub latency_us: f64,
    /// Empty of a request of a ring.
    pub parts: Vec<Part>,
    /// Threads whose writes and flushes came between, those with most bytes first.
    pub others: Vec<Writer>,
}

/// A thread that wrote meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Writer {
    pub thread: u32,
    /// Its name; empty if it is gone.
    pub name: String,
    pub requests: u64,
    pub bytes: u64,
}

/// One kind of requests of a disk. Rates are the kernel's own counts if requests were recorded in windows.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceFigures {
    pub disk: String,
    /// `reads`, `writes`, `flushes` or `other`.
    pub requests: String,
    pub requests_per_s: f64,
    pub bytes_per_s: f64,
    pub sizes: Vec<SizeFigures>,
    pub sequential_share: Option<f64>,
    pub depth_by_littles_law: f64,
    pub depth_counted: f64,
    pub depth_max: u64,
    pub busy_share: f64,
    /// From the driver to the completion.
    pub latency: Option<Latency>,
}

/// What a run measured on a disk, for a comparison with what the database does there.
#[derive(Clone, Debug, Serialize)]
pub struct AgainstRun {
    /// Its directory, as it was named.
    pub run: String,
    /// The directory that was measured.
    pub place: String,
    /// Commits, each a write and its sync, one after another; `None` if the run did not measure them, or withholds
    /// them.
    pub commits_per_s: Option<DiskFigure>,
    /// Audits that withhold them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld_by: Vec<String>,
    /// How long the slowest of a hundred takes; `None` if the run has none.
    pub commit_latency_p99_us: Option<DiskFigure>,
}

/// A mean over trials.
#[derive(Clone, Debug, Serialize)]
pub struct DiskFigure {
    pub mean: f64,
    /// Its 95 % interval; `None` of too few trials.
    pub interval: Option<(f64, f64)>,
}

/// What was not seen.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NotSeen {
    /// Records that a ring had no room for.
    pub lost_records: u64,
    /// Calls on descriptors that were closed before they could be looked up: files or anything else.
    pub unnamed_calls: u64,
    /// Operations on files that are counted together: unnamed, or beyond the limit of files.
    pub operations_on_other_files: u64,
    /// Requests through `io_submit`, whose sizes and ends are not seen.
    pub submitted_requests: u64,
    /// Operations that had not ended at the end.
    pub unfinished: u64,
    /// The longest of them, so far.
    pub unfinished_longest_us: f64,
    /// Operations whose time is not explained.
    pub unexplained: u64,
    /// Calls of processes that Syncline cannot look up: it is in a container, and they are outside.
    pub outside_calls: u64,
    /// Tracepoints that this kernel lacks or does not record.
    pub missing_tracepoints: Vec<MissingTracepoint>,
}
