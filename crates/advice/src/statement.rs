//! What was measured for a value, as data: the arms and their ratio, or the figures that a rule decides by. `report` has the
//! words.

use serde::Serialize;
use verdict::Estimate;

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    /// Arms against each other.
    Compared {
        /// In the order in which the rule compared them.
        pairs: Vec<Compared>,
        /// What follows beyond the value.
        #[serde(skip_serializing_if = "Option::is_none")]
        follows: Option<Follows>,
    },
    /// The advised value keeps what was acknowledged; what others would save is an alternative.
    Keeps(Survives),
    /// What commits would take that shared a flush.
    SharedFlush {
        /// Many committers against one.
        pair: Box<Compared>,
        /// Their share of the time that they take one by one, with its interval.
        share: Estimate,
        /// Time of one commit by itself, µs.
        alone_us: Estimate,
    },
    /// A page cost under other assumptions, as a ratio.
    Cost {
        /// What of the file was cached.
        cached: Cached,
        /// A random page over a sequential one.
        ratio: Estimate,
    },
    /// A depth that is enough.
    Depth {
        /// Reads in flight.
        depth: f64,
        /// Random reads per second there.
        reads_per_s: f64,
        /// That over the best depth's.
        of_best: Option<Estimate>,
    },
    /// Random writes per second, each of this size.
    WritesPerSecond {
        /// `16KiB`.
        block: String,
        /// Writes per second.
        iops: Estimate,
    },
    /// What an engine wrote while it loaded and drained.
    WritesWhileLoading {
        /// Bytes per second, what flushes and compactions wrote again included.
        bytes_per_s: f64,
    },
    /// Buffers in which a second read found every page.
    Buffers {
        /// Buffers ÷ pages of the table, at least.
        headroom: f64,
        /// Pages of the tables.
        table_pages: Vec<u64>,
        /// Trials, in each of which it found all.
        trials: usize,
        /// Share of trials that could miss a page, at 95 %.
        share_missing_at_most: f64,
    },
    /// How many trials kept a limit of their syncs.
    Syncs(Syncs),
}

/// What follows from a comparison beyond the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Follows {
    /// Commits do not wait for each other's flushes.
    CommitsDoNotWait,
    /// Writing pages in order gains nothing.
    OrderGainsNothing,
}

/// What an acknowledged write survives with the advised value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Survives {
    /// What RocksDB acknowledged, the end of its process.
    RocksDbProcess,
    /// What SQLite acknowledged, a power loss.
    SqlitePower,
    /// InnoDB's pages, a power loss during their write.
    InnodbPages,
}

/// What of a file was in the page cache when pages were read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cached {
    /// Nothing.
    Nothing,
    /// Nine pages of ten, whichever way they were read.
    NineTenthsOfBoth,
}

/// Syncs of a log against a limit of their 99th percentile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Syncs {
    /// The study.
    pub study: String,
    /// What the log's blocks were.
    pub log: Log,
    /// Trials.
    pub trials: usize,
    /// Those that exceeded the limit.
    pub above: usize,
    /// The highest 99th percentile of a trial, µs.
    pub highest_us: f64,
    /// The largest share of trials that could exceed it.
    pub share_above_at_most: f64,
    /// Confidence of that share.
    pub level: f64,
}

/// What a log's blocks were before it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Log {
    /// Not there: the file grows.
    Growing,
    /// Allocated, and never written.
    Allocated,
    /// Written before.
    Written,
}

/// One arm against another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The arm whose figure is divided.
    pub ours: Arm,
    /// The arm that it is divided by.
    pub theirs: Arm,
    /// Full metric name.
    pub metric: String,
    /// Ours ÷ theirs, with its simultaneous interval.
    pub ratio: Estimate,
    /// The figures of both arms, ours first, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<(f64, f64)>,
    /// Complete rounds behind it.
    pub rounds: usize,
    /// The study.
    pub study: String,
    /// Whether the study tells by how much two identical arms differ.
    pub is_floor_known: bool,
    /// Whether it is worth saying that they are no more than 5 % apart.
    pub is_close: bool,
}

/// An arm, by what it does.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// A value of the setting, or a level that is called as the database calls it.
    Value(String),
    /// RocksDB as it is without the setting.
    RocksDbDefault,
    /// A write with `RWF_DSYNC`.
    WriteDsync,
    /// A write, then `fdatasync`.
    WriteAndFdatasync,
    /// This number of writes with `RWF_DSYNC`.
    WritesDsync(u32),
    /// This number of writes, then `fdatasync`.
    WritesAndFdatasync(u32),
    /// A log whose blocks were that before.
    Log(Log),
    /// An old log that is overwritten.
    OverwrittenLog,
    /// This number of committers.
    Committers(f64),
    /// Random pages, this percentage of them cached.
    RandomPage {
        /// Percentage of the file.
        cached_percentage: u8,
    },
    /// Pages in order, none cached.
    SequentialPage,
    /// Direct reads, beside commits.
    ReadsAround,
    /// Buffered reads, beside commits.
    ReadsThrough,
    /// RocksDB's tables with direct I/O.
    DirectTables {
        /// What was done.
        work: Work,
        /// Under this memory cap.
        memory_cap: Option<String>,
    },
    /// RocksDB's tables through the page cache.
    BufferedTables,
    /// Reads into huge pages.
    HugePages,
    /// Reads into pages of the kernel's base size.
    SmallPages,
    /// Reads or writes of this many bytes, one behind the other.
    InOrder {
        /// `16KiB`.
        block: String,
    },
    /// Writes of this many bytes at random.
    AtRandom {
        /// `16KiB`.
        block: String,
    },
    /// Sequential reads with the readahead window of a queue.
    UsualReadahead,
    /// The same with twice that window.
    DoubleReadahead,
    /// Commits on a file system, with a log of this kind.
    OnFilesystem {
        /// `xfs`.
        filesystem: String,
        /// What the log's blocks were.
        log: Log,
    },
    /// SQLite's write-ahead log.
    WriteAheadLog,
    /// SQLite's rollback journal.
    RollbackJournal {
        /// `DELETE`.
        mode: String,
        /// What a commit waits for: the value of `synchronous`.
        synchronous: String,
    },
    /// A reader of a dataset.
    Reader {
        /// Bytes of a read; `0B` is the whole file.
        block_size: String,
        /// Hint to the page cache.
        hint: String,
    },
}

/// What RocksDB did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Reads of stored keys.
    Reads,
    /// Load and drain.
    LoadAndDrain,
}

impl Statement {
    /// One pair.
    pub(crate) fn of_pair(pair: Compared) -> Self {
        Self::of_pairs(vec![pair])
    }

    /// Several.
    pub(crate) fn of_pairs(pairs: Vec<Compared>) -> Self {
        Self::Compared { pairs, follows: None }
    }

    /// Pairs, and what follows from them.
    pub(crate) fn with(pairs: Vec<Compared>, follows: Follows) -> Self {
        Self::Compared { pairs, follows: Some(follows) }
    }
}
