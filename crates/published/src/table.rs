//! What was published, in one form whatever it was read from. Everything is optional: pages leave things out.

use crate::device_file::Disk;
use crate::latency::{Latency, time};
use crate::number::Printed;
use model::IoMode;
use model::durability::DurabilityClass;
use model::suggestion;
use model::units::{format_bytes_approximate, format_significant};
use std::collections::BTreeMap;

/// Rows that somebody published, and where they came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The file's name.
    pub source: String,
    /// Columns that were understood: the column's name and the role it plays.
    pub columns: Vec<(String, String)>,
    /// Columns that nothing was made of.
    pub unknown_columns: Vec<String>,
    /// What the reader has to say: sentences.
    pub remarks: Vec<String>,
    /// The rows, in the file's order.
    pub rows: Vec<Row>,
    /// Figures of disks in files for a scheduler, which have checks of their own.
    pub disks: Vec<Disk>,
}

/// Whether bytes come from the file or go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the file.
    Read,
    /// To the file.
    Write,
    /// Both.
    Mixed,
}

impl Direction {
    /// Which way the bytes of one of fio's patterns go.
    pub(crate) fn from_pattern(rw: &str) -> Result<Self, String> {
        match rw {
            "read" | "randread" => Ok(Self::Read),
            "write" | "randwrite" => Ok(Self::Write),
            "rw" | "readwrite" | "randrw" => Ok(Self::Mixed),
            other => {
                let patterns = ["read", "write", "randread", "randwrite", "rw", "randrw"];
                Err(suggestion::unknown("pattern", other, patterns))
            }
        }
    }
}

/// What of the file was in the page cache when the measurement began, where it was made so and proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Nothing.
    Cold,
    /// All of it: the row is about memory, and says so.
    Warm,
}

/// What starts the next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// The end of an earlier one: as many are in flight as possible.
    Closed,
    /// A schedule; the latency counts from the intended start and holds waiting too.
    Open,
}

/// How writes are made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Not within the measured time.
    Never,
    /// After several writes, or at the end: what was acknowledged before is not durable.
    Later,
    /// `fsync` after each write.
    Fsync,
    /// `fdatasync` after each write.
    Fdatasync,
    /// macOS: `fcntl(F_FULLFSYNC)` after each write.
    FullFsync,
    /// Each write by `O_SYNC`.
    OSync,
    /// Each write by `O_DSYNC`.
    ODsync,
}

impl Sync {
    /// What a column may say.
    pub(crate) const NAMES: &[(&str, Self)] = &[
        ("never", Self::Never),
        ("later", Self::Later),
        ("fsync", Self::Fsync),
        ("fdatasync", Self::Fdatasync),
        ("full_fsync", Self::FullFsync),
        ("o_sync", Self::OSync),
        ("o_dsync", Self::ODsync),
    ];

    /// Its name in a column.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Whether a write is acknowledged only when it was synced.
    pub const fn is_each_write(self) -> bool {
        match self {
            Self::Never | Self::Later => false,
            Self::Fsync | Self::Fdatasync | Self::FullFsync | Self::OSync | Self::ODsync => true,
        }
    }

    /// Whether syncing is a call of its own, whose time is in no write's latency.
    pub const fn is_call(self) -> bool {
        match self {
            Self::Never | Self::OSync | Self::ODsync => false,
            Self::Later | Self::Fsync | Self::Fdatasync | Self::FullFsync => true,
        }
    }
}

/// The operating system, where it decides what a sync does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
}

impl System {
    /// What a column may say.
    pub(crate) const NAMES: &[(&str, Self)] = &[("linux", Self::Linux), ("macos", Self::MacOs)];
}

/// What a latency is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// A read or a write, from its submission to its end.
    Operation,
    /// `fsync` or `fdatasync` alone.
    Sync,
    /// A whole commit: its write and its sync.
    Commit,
}

impl Timed {
    /// What its numbers' names begin with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operation => "latency",
            Self::Sync => "sync latency",
            Self::Commit => "commit latency",
        }
    }
}

/// One line of a table: one configuration, measured once or several times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What tells it from the others.
    pub label: String,
    /// Where it stands: `line 4`.
    pub place: String,
    /// The study it belongs to, if there are several: rows of different studies answer different questions and are not
    /// compared.
    pub study: Option<String>,
    /// What it was measured with.
    pub setting: Setting,
    /// Operations completed per second.
    pub operations_per_s: Option<f64>,
    /// Bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// From an operation's submission to its end.
    pub latency: Latency,
    /// For `fsync` or `fdatasync` alone.
    pub sync: Latency,
    /// For a whole commit: its write and its sync.
    pub commit: Latency,
    /// Commits per second, where `operations_per_s` counts the reads beside them.
    pub commits_per_s: Option<f64>,
    /// Syncs under way at a time: syncs per second × their mean latency. Their time is in no operation's.
    pub syncs_under_way: Option<f64>,
    /// Step of the last digit that a number was printed with, in its unit, by the number's name; none if it was not
    /// rounded.
    pub steps: BTreeMap<String, f64>,
    /// Operations in flight by Little's law where the row is a mean of several runs: the mean of each run's rate ×
    /// mean latency.
    pub in_flight_accounted: Option<f64>,
    /// Share of the bytes read that the page cache gave, where it was measured.
    pub page_cache_hit_share: Option<f64>,
    /// fio's completion latency (submission itself left out), where both are published.
    pub completion: Option<Latency>,
    /// Published figures with a spread between runs.
    pub estimates: Vec<Estimate>,
    /// Repetitions behind each figure; never operations.
    pub n: Option<u64>,
    /// Operations behind a percentile.
    pub operations: Option<u64>,
    /// Time measured, seconds.
    pub runtime_s: Option<f64>,
    /// Latency histogram: (ns, operations), ascending.
    pub bins: Vec<(f64, u64)>,
}

/// What a row was measured with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// The access pattern as published: `randread`.
    pub pattern: Option<String>,
    /// Which way the bytes go.
    pub direction: Option<Direction>,
    /// Buffered, direct …
    pub mode: Option<IoMode>,
    /// Bytes of one operation.
    pub block_bytes: Option<u64>,
    /// Operations in flight of each job.
    pub iodepth: Option<u64>,
    /// Jobs.
    pub numjobs: Option<u64>,
    /// Operations that can be in flight at all, where it is published instead of depth and jobs.
    pub in_flight: Option<u64>,
    /// What submits: `io_uring`, `psync`.
    pub engine: Option<String>,
    /// Whether what was written was synced within the measured time.
    pub synced: Option<bool>,
    /// How writes are made durable.
    pub sync: Option<Sync>,
    /// What an acknowledged write is reported to survive.
    pub durability: Option<DurabilityClass>,
    /// The operating system.
    pub system: Option<System>,
    /// Whether the figures are stated to be a device's; `Some(false)`: of memory.
    pub said_of_device: Option<bool>,
    /// I/O mode of the log, where `mode` is that of the data beside it.
    pub log_mode: Option<IoMode>,
    /// Reads that each commit was to have.
    pub reads_per_commit: Option<f64>,
    /// Times that the file was read from end to end within a figure.
    pub passes: Option<u64>,
    /// Times that the page cache was dropped for them.
    pub cache_drops: Option<u64>,
    /// Bytes of the file, or files.
    pub file_bytes: Option<u64>,
    /// Memory that the process was capped to.
    pub memory_cap_bytes: Option<u64>,
    /// Memory of the machine.
    pub memory_bytes: Option<u64>,
    /// What was in the page cache at first; `None` if nobody says.
    pub cache: Option<Cache>,
    /// What starts the next operation.
    pub arrivals: Option<Arrivals>,
    /// Further knobs by name.
    pub knobs: BTreeMap<String, String>,
    /// Whether these are all the knobs there are, and the facts above follow from them.
    pub knobs_are_complete: bool,
}

/// Engines that have one operation in flight for each job, whatever `iodepth` says (fio HOWTO, `iodepth`); fio's default
/// on Linux is `psync`.
const SYNCHRONOUS: &[&str] =
    &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "pread", "pwrite", "read", "write"];

/// Engines of fio that keep several in flight.
const ASYNCHRONOUS: &[&str] = &[
    "libaio",
    "io_uring",
    "io_uring_cmd",
    "posixaio",
    "windowsaio",
    "solarisaio",
    "sg",
    "nvme",
    "spdk",
    "xnvme",
];

/// Whether this is one of fio's engines; other columns of that name tell engines of another kind.
pub(crate) fn is_engine(name: &str) -> bool {
    SYNCHRONOUS.contains(&name) || ASYNCHRONOUS.contains(&name)
}

impl Setting {
    /// Operations that can be in flight at once.
    pub fn in_flight_possible(&self) -> Option<u64> {
        let depth = if self.is_synchronous() { Some(1) } else { self.iodepth };
        self.in_flight.or_else(|| depth?.checked_mul(self.numjobs?))
    }

    /// Whether its engine waits for each operation before the next; false if no engine is reported.
    pub fn is_synchronous(&self) -> bool {
        self.engine.as_deref().is_some_and(|engine| SYNCHRONOUS.contains(&engine))
    }

    /// What an acknowledged write survives: as it is reported, or as its way to sync makes it.
    pub fn survives(&self) -> Option<DurabilityClass> {
        let by_sync = |sync: Sync| {
            if sync.is_each_write() { DurabilityClass::Power } else { DurabilityClass::Process }
        };
        self.durability.or_else(|| self.sync.map(by_sync))
    }

    /// Whether what was written was synced within the measured time: as it is reported, or by its way to sync.
    pub fn is_synced(&self) -> Option<bool> {
        self.synced.or_else(|| self.sync.map(|sync| sync != Sync::Never))
    }

    /// Memory that can cache the file: the cap, or the machine's.
    pub fn cache_bytes(&self) -> Option<u64> {
        [self.memory_cap_bytes, self.memory_bytes].into_iter().flatten().min()
    }

    /// Whether the row writes.
    pub fn writes(&self) -> Option<bool> {
        self.direction.map(|direction| matches!(direction, Direction::Write | Direction::Mixed))
    }
}

/// What a published spread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpreadKind {
    /// Half the width of an interval, or an unexplained ±.
    HalfWidth,
    /// Standard deviation between runs.
    StandardDeviation,
}

/// How far runs lie apart, as published.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Its column.
    pub column: String,
    /// What it is.
    pub kind: SpreadKind,
    /// The figure, in its column's unit.
    pub value: f64,
    /// Step of the last digit printed; 0 if the figure was not rounded.
    pub resolution: f64,
}

/// A published figure with a spread between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its column.
    pub column: String,
    /// Whether the row has the same figure among its own (rate, latency), under this name.
    pub same_as: Option<String>,
    /// The figure, in its column's unit.
    pub value: Option<f64>,
    /// Its spread.
    pub spread: Option<Spread>,
    /// The median of what it is the mean of, with its column and the step of its last digit.
    pub median: Option<Median>,
    /// Step of the figure's last digit printed; 0 if it was not rounded.
    pub step: f64,
}

/// A published median beside a mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Median {
    /// Its column.
    pub column: String,
    /// The figure, in its column's unit.
    pub value: f64,
    /// Step of the last digit printed; 0 if the figure was not rounded.
    pub step: f64,
}

/// What kind of thing a number is: a check concerns some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Operations per second.
    Rate,
    /// Bytes per second.
    Bandwidth,
    /// Mean of latencies.
    LatencyMean,
    /// Standard deviation of latencies.
    LatencySd,
    /// Smallest or largest latency.
    LatencyExtreme,
    /// A percentile.
    LatencyPercentile,
    /// Commits per second.
    CommitRate,
    /// Any latency of a sync alone.
    Sync,
    /// Any latency of a whole commit.
    Commit,
    /// Any other published figure.
    Figure,
    /// An interval's half width or a standard deviation between runs.
    Spread,
}

/// One published number of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// `iops`, `latency p99`, or its column.
    pub name: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// The figure with its unit.
    pub text: String,
}

/// The study and the access pattern.
pub(crate) type Comparison<'a> = (Option<&'a str>, Option<&'a str>);

impl Row {
    /// Label and place: `direct (line 4)`.
    pub fn name(&self) -> String {
        if self.label.is_empty() { self.place.clone() } else { format!("{} ({})", self.label, self.place) }
    }

    /// What rows have in common that are taken to be compared.
    pub(crate) fn comparison(&self) -> Comparison<'_> {
        (self.study.as_deref(), self.setting.pattern.as_deref())
    }

    /// One of the row's latencies.
    pub fn latency_of(&self, timed: Timed) -> &Latency {
        match timed {
            Timed::Operation => &self.latency,
            Timed::Sync => &self.sync,
            Timed::Commit => &self.commit,
        }
    }

    pub(crate) fn latency_of_mut(&mut self, timed: Timed) -> &mut Latency {
        match timed {
            Timed::Operation => &mut self.latency,
            Timed::Sync => &mut self.sync,
            Timed::Commit => &mut self.commit,
        }
    }

    /// Keeps how far the number of this name was rounded.
    pub(crate) fn measured(&mut self, name: &str, figure: Printed) -> f64 {
        self.steps.insert(name.to_owned(), figure.step);
        figure.value
    }

    /// How far the number of this name may lie from what was measured, in its unit: the step of its last digit, as people
    /// both round and cut.
    pub(crate) fn step(&self, name: &str) -> f64 {
        self.steps.get(name).copied().unwrap_or(0.0)
    }

    /// The same as a share of its value, at most 1.
    pub(crate) fn rounding(&self, name: &str, value: f64) -> f64 {
        let share = self.step(name) / value;
        if share.is_finite() { share.min(1.0) } else { 0.0 }
    }

    /// Operations in flight that rate and mean latency imply, by Little's law.
    pub fn in_flight_implied(&self) -> Option<f64> {
        let of_means = || Some(self.operations_per_s? * self.latency.mean_ns? / 1e9);
        self.in_flight_accounted.or_else(of_means)
    }

    /// Every number that was published of this row.
    pub fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        let mut add = |name: String, kind, text| numbers.push(Number { name, kind, text });
        if let Some(rate) = self.operations_per_s {
            add("iops".to_owned(), Kind::Rate, format!("{}/s", format_significant(rate)));
        }
        if let Some(bandwidth) = self.bandwidth_bytes_per_s {
            let text = format!("{}/s", format_bytes_approximate(bandwidth));
            add("bandwidth".to_owned(), Kind::Bandwidth, text);
        }
        if let Some(rate) = self.commits_per_s {
            add("commits".to_owned(), Kind::CommitRate, format!("{}/s", format_significant(rate)));
        }
        let completion = self.completion.as_ref().map(|latency| ("completion latency", latency, None));
        let lines = [
            (Timed::Operation.name(), &self.latency, None),
            (Timed::Sync.name(), &self.sync, Some(Kind::Sync)),
            (Timed::Commit.name(), &self.commit, Some(Kind::Commit)),
        ];
        for (name, latency, kind) in lines.into_iter().chain(completion) {
            for (what, own, value) in [
                ("mean", Kind::LatencyMean, latency.mean_ns),
                ("sd", Kind::LatencySd, latency.sd_ns),
                ("min", Kind::LatencyExtreme, latency.min_ns),
                ("max", Kind::LatencyExtreme, latency.max_ns),
            ] {
                if let Some(value) = value {
                    add(format!("{name} {what}"), kind.unwrap_or(own), time(value));
                }
            }
            for percentile in &latency.percentiles {
                let text = time(percentile.value_ns);
                let kind = kind.unwrap_or(Kind::LatencyPercentile);
                add(format!("{name} {}", percentile.name()), kind, text);
            }
        }
        for estimate in &self.estimates {
            if let (Some(value), None) = (estimate.value, &estimate.same_as) {
                add(estimate.column.clone(), Kind::Figure, format_significant(value));
            }
            if let Some(median) = &estimate.median {
                add(median.column.clone(), Kind::Figure, format_significant(median.value));
            }
            if let Some(spread) = &estimate.spread {
                add(spread.column.clone(), Kind::Spread, format!("±{}", format_significant(spread.value)));
            }
        }
        numbers
    }
}
