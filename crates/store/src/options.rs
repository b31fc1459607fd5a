//! Every I/O decision of the store, as one value that can be written down.

use crate::block::BLOCK_BYTES;
use crate::error::StoreError;
use model::{DurabilityClass, IoMode};
use serde::{Deserialize, Serialize};

/// Most large reads or writes of one flush or compaction in flight.
const TRANSFER_DEPTH_MAX: usize = 64;
/// Most groups of log records that are written at once.
const LOG_DEPTH_MAX: usize = 16;

/// The largest memtable that a reserve has room for by default.
const RESERVED_MEMTABLE_BYTES_MAX: u64 = 64 << 20;
/// Room for the manifest, log segments and runs of deletes.
const RESERVED_BYTES: u64 = 4 << 20;

/// How a store works. The defaults: direct I/O throughout, a log of recycled segments, and each acknowledged write on
/// the device.
///
/// Only [`partitions`](Self::partitions) belongs to the store on the disk; everything else can be changed at each open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Parts into which keys are distributed by their hash; each is a tree of its own, flushed and compacted by itself.
    /// 1 is one ordered tree. With more of them more processors insert into memtables, flush and merge at once, and a
    /// merge of the largest runs needs less free space, but a scan reads the runs of all.
    pub partitions: usize,
    /// What an acknowledged write survives.
    pub durability: DurabilityClass,
    /// The memtable is replaced when it takes about this number of bytes of memory, all partitions together: keys,
    /// values, and 36 bytes for each pair.
    pub memtable_bytes: u64,
    /// Memtables that may exist at once, the one that is written to included. With one more, writers wait.
    pub memtables_max: usize,
    /// Values of at least this number of bytes are kept in files of their own, outside the tree.
    pub large_value_bytes: usize,
    /// Separated values: those that are smaller than large ones and are kept outside the tree nevertheless.
    pub values: ValueOptions,
    pub log: LogOptions,
    /// Sorted runs.
    pub data: DataOptions,
    /// Reads of single pages.
    pub reads: ReadOptions,
    /// Pages kept in memory, in bytes; 0 keeps none. Flushes, compactions and the long reads of scans bypass this
    /// cache.
    pub cache_bytes: u64,
    /// Bytes that are kept back on the file system, so that a store that has filled it still takes deletes; 0 keeps
    /// nothing back, `None` is a memtable (of at most 64 MiB) and 4 MiB. The store uses them for flushes and for merges
    /// that drop deletes, and then refuses puts ([`StoreError::Full`]) until twice that is free. A file system without
    /// fallocate keeps nothing back.
    pub reserve_bytes: Option<u64>,
    /// When and how runs are merged.
    pub compaction: CompactionOptions,
    /// Threads that flush and compact. 0: the thread whose write fills the memtable does that work before its write
    /// returns.
    pub background_threads: usize,
    /// Nice value of the background threads (0–19, `setpriority(2)`): with a high one they leave a busy processor to
    /// others.
    pub background_nice: u8,
    /// Most reads and writes that all flushes and compactions together have in flight. A get that reads waits behind
    /// them in the device's queue, so its latency beside compactions is about this number times a write of
    /// [`DataOptions::write_bytes`].
    pub background_io_depth: usize,
}

/// How writes are logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogOptions {
    /// How the page cache takes part. With mmap records are copied into a mapping of the segment, which survives the
    /// death of the process without a system call; the segment's blocks must be there before. If a write to the mapping
    /// finds no room or a device that fails, the process ends by SIGBUS.
    pub io: IoMode,
    /// What a segment's blocks are before they are written.
    pub layout: LogLayout,
    /// Where a group of records begins.
    pub packing: LogPacking,
    /// How a group becomes durable, if [`Options::durability`] is power.
    pub sync: LogSync,
    /// Most groups that are written and synced at once, 1 to 16, if [`Options::durability`] is power and
    /// [`io`](Self::io) is direct. If groups are packed their writes come one after another, and only the syncs
    /// overlap; with dsync a write is a sync, so nothing does. In other modes it is one group: if the kernel's
    /// write-back fails, it reports that to one of the syncs that wait for it, and another group would be taken for
    /// durable.
    pub depth: usize,
    /// Bytes of a segment.
    pub segment_bytes: u64,
    /// If [`Options::durability`] is none: bytes that are collected in memory before they are written.
    pub buffer_bytes: usize,
}

/// What the blocks of a log segment are before records are written to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLayout {
    /// They do not exist: each write extends the file, and a sync writes the file's new size and extents too.
    Append,
    /// Zeroes that were written and synced before.
    Prefilled,
    /// Records that are no longer needed: a segment is used again under another name. Its first use is prefilled.
    Recycled,
}

/// Where a group of records begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogPacking {
    /// Right after the group before it. With direct I/O the last block is written again, with the same bytes at its
    /// beginning.
    Packed,
    /// At a block of its own: no block is written twice.
    Padded,
}

/// How a group of records becomes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogSync {
    /// A write, then fdatasync.
    Fdatasync,
    /// A write with `RWF_DSYNC`.
    Dsync,
}

/// How sorted runs are written and read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DataOptions {
    /// How the page cache takes part. With mmap runs are written through the page cache and read through a mapping.
    pub io: IoMode,
    /// Bytes of a page, the unit of reads: 4 KiB to 64 KiB, whole blocks. An entry that is larger has a larger page of
    /// its own.
    pub page_bytes: usize,
    /// Whether a key is stored without the bytes that it shares with the key before it.
    pub prefix_compression: bool,
    /// Whether pages that are written have checksums.
    pub checksums: bool,
    /// What is in memory to avoid reads of keys that a run does not have.
    pub filter: FilterKind,
    /// Bytes of one write of a flush or compaction, of its value file too, or of a large value.
    pub write_bytes: usize,
    /// Most writes that one flush or compaction has in flight while it builds further pages; 0: it waits for each.
    pub write_depth: usize,
    /// Bytes of one read of a compaction.
    pub compaction_read_bytes: usize,
    /// Most reads that a compaction has in flight for each of its runs, ahead of what it merges; 0: it reads a piece
    /// when it needs it. Mapped runs are read without.
    pub compaction_read_depth: usize,
    /// How the page cache takes part in the reads of compactions; `None`: as in all other reads. With direct or
    /// dontcache they leave what is cached for gets in the page cache.
    pub compaction_read_io: Option<IoMode>,
    /// Most bytes of one read of a scan. Its first read of a run has two pages, or what the limit of its keys asks for;
    /// each further one is twice as long.
    pub scan_read_bytes: usize,
}

/// Which values flushes and compactions write to value files beside the runs, which then have the values' places. A
/// compaction moves places instead of values. A get of a separated value reads a page and the value, and a scan reads
/// each value by itself, many at once. The log and the memtables have the values as all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValueOptions {
    /// Values of at least this number of bytes are separated; 0 separates none. What was separated before stays so
    /// until its file is collected.
    pub separate_bytes: usize,
    /// Compactions write the values of a file to a new one if more than this share of it is garbage, in percent. If
    /// nothing else is left to merge, a run is merged for that alone once the garbage has as many bytes as the run, or
    /// in a drain; not with [`CompactionOptions::Off`]. With 100 a file stays until nothing refers to it. A value that
    /// was overwritten or deleted is garbage once a merge has dropped its entry.
    pub garbage_percent: u8,
}

/// What is kept in memory about the keys of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FilterKind {
    /// Nothing.
    None,
    /// A binary fuse filter of 8 bits: about 1.15 bytes a key, one false positive in 256.
    Fuse8,
    /// A binary fuse filter of 16 bits: about 2.3 bytes a key, one false positive in 65 536.
    Fuse16,
}

/// How single pages are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// What performs the reads of a [`multi_get`](crate::Store::multi_get) and the first reads of a
    /// [`scan`](crate::Store::scan).
    pub engine: ReadEngine,
    /// Most reads that one [`multi_get`](crate::Store::multi_get) or [`scan`](crate::Store::scan) has in flight, 1 to
    /// 1024. A scan reads the first pages of all runs at once, and separated values: one at first if it has no limit,
    /// then twice as many each time.
    pub depth: usize,
    /// Whether gets and scans verify the checksums of the pages and separated values that they read from files.
    /// Without, a damaged one may give a wrong value. Compactions always verify.
    pub verify_checksums: bool,
}

/// What performs many reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadEngine {
    /// `io_uring` if several reads may be in flight, the data are not mapped and the kernel gives this thread a ring;
    /// psync otherwise.
    Auto,
    /// A ring for each thread, with registered files and buffers. Opening fails without `io_uring`, and reads without a
    /// ring.
    Uring,
    /// One blocking system call after another.
    Psync,
}

/// When runs are merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CompactionOptions {
    /// Runs of similar size are merged into one: few rewrites, more runs to look into.
    SizeTiered(SizeTieredOptions),
    /// Each level is one sorted run, a fixed factor larger than the level above: more rewrites, fewer runs.
    Leveled(LeveledOptions),
    /// Never.
    Off,
}

/// Size-tiered compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SizeTieredOptions {
    /// Runs of similar size that are merged at once.
    pub runs_merged: usize,
    /// Runs are of similar size if none is more than this factor larger than the mean of those before it.
    pub size_ratio: f64,
    /// With more runs than this in a partition writers wait.
    pub runs_max: usize,
    /// Whether all runs of a partition are merged once scans have read in vain as often as pays for that.
    pub merge_for_scans: bool,
}

/// Leveled compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeveledOptions {
    /// Flushed runs that are merged into level 1 at once.
    pub level0_runs: usize,
    /// Bytes of level 1 in each partition.
    pub level1_bytes: u64,
    /// How many times larger each level is than the one above.
    pub size_ratio: u64,
    /// Bytes after which a run of level 1 or below ends and another begins.
    pub run_bytes: u64,
    /// With more flushed runs than this in a partition writers wait.
    pub level0_runs_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            partitions: 1,
            durability: DurabilityClass::Power,
            memtable_bytes: 64 << 20,
            memtables_max: 4,
            large_value_bytes: 256 << 10,
            values: ValueOptions::default(),
            log: LogOptions::default(),
            data: DataOptions::default(),
            reads: ReadOptions::default(),
            cache_bytes: 0,
            reserve_bytes: None,
            compaction: CompactionOptions::default(),
            background_threads: 2,
            background_nice: 0,
            background_io_depth: 1,
        }
    }
}

impl Default for LogOptions {
    fn default() -> Self {
        Self {
            io: IoMode::Direct,
            layout: LogLayout::Recycled,
            packing: LogPacking::Packed,
            sync: LogSync::Fdatasync,
            depth: 2,
            segment_bytes: 32 << 20,
            buffer_bytes: 1 << 20,
        }
    }
}

impl Default for DataOptions {
    fn default() -> Self {
        Self {
            io: IoMode::Direct,
            page_bytes: 4096,
            prefix_compression: true,
            checksums: true,
            filter: FilterKind::Fuse16,
            write_bytes: 64 << 10,
            write_depth: 2,
            compaction_read_bytes: 64 << 10,
            compaction_read_depth: 1,
            compaction_read_io: None,
            scan_read_bytes: 64 << 10,
        }
    }
}

impl Default for ValueOptions {
    fn default() -> Self {
        Self { separate_bytes: 0, garbage_percent: 50 }
    }
}

impl ValueOptions {
    /// Values of at least this number of bytes are separated.
    pub(crate) const fn least_bytes(&self) -> usize {
        if self.separate_bytes == 0 { usize::MAX } else { self.separate_bytes }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { engine: ReadEngine::Auto, depth: 32, verify_checksums: true }
    }
}

impl Default for CompactionOptions {
    fn default() -> Self {
        Self::SizeTiered(SizeTieredOptions::default())
    }
}

impl Default for SizeTieredOptions {
    fn default() -> Self {
        Self { runs_merged: 4, size_ratio: 2.0, runs_max: 24, merge_for_scans: true }
    }
}

impl Default for LeveledOptions {
    fn default() -> Self {
        Self {
            level0_runs: 4,
            level1_bytes: 64 << 20,
            size_ratio: 8,
            run_bytes: 32 << 20,
            level0_runs_max: 16,
        }
    }
}

impl Options {
    /// Checks what can be checked without the disk.
    ///
    /// # Errors
    /// [`StoreError::Options`] names the first option that is wrong.
    pub fn check(&self) -> Result<(), StoreError> {
        let require = |holds: bool, option: &'static str, reason: &str| {
            if holds { Ok(()) } else { Err(StoreError::Options { option, reason: reason.to_owned() }) }
        };
        let whole_blocks = |bytes: usize| bytes > 0 && bytes.is_multiple_of(BLOCK_BYTES);
        require((1..=256).contains(&self.partitions), "partitions", "choose 1 to 256")?;
        require(self.memtable_bytes > 0, "memtable_bytes", "choose at least 1")?;
        require(
            self.memtables_max >= 2,
            "memtables_max",
            "choose at least 2: one is flushed, one is written to",
        )?;
        require(self.background_nice <= 19, "background_nice", "choose 0 to 19")?;
        require(
            (1..=TRANSFER_DEPTH_MAX).contains(&self.background_io_depth),
            "background_io_depth",
            "choose 1 to 64",
        )?;
        require(self.large_value_bytes > 0, "large_value_bytes", "choose at least 1")?;
        require(
            (1..=100).contains(&self.values.garbage_percent),
            "values.garbage_percent",
            "choose 1 to 100",
        )?;
        require(
            self.log.io != IoMode::Mmap || self.log.layout != LogLayout::Append,
            "log.io",
            "a mapped log does not grow: choose the layout prefilled or recycled, or another mode",
        )?;
        require((1..=LOG_DEPTH_MAX).contains(&self.log.depth), "log.depth", "choose 1 to 16")?;
        require(
            self.log.segment_bytes >= 4 * BLOCK_BYTES as u64
                && self.log.segment_bytes.is_multiple_of(BLOCK_BYTES as u64),
            "log.segment_bytes",
            "choose a multiple of 4 KiB, at least 16 KiB",
        )?;
        require(
            whole_blocks(self.data.page_bytes) && self.data.page_bytes <= 64 << 10,
            "data.page_bytes",
            "choose a multiple of 4 KiB, at most 64 KiB",
        )?;
        for (option, bytes) in [
            ("data.write_bytes", self.data.write_bytes),
            ("data.compaction_read_bytes", self.data.compaction_read_bytes),
            ("data.scan_read_bytes", self.data.scan_read_bytes),
        ] {
            require(whole_blocks(bytes), option, "choose a multiple of 4 KiB")?;
        }
        for (option, depth) in [
            ("data.write_depth", self.data.write_depth),
            ("data.compaction_read_depth", self.data.compaction_read_depth),
        ] {
            require(depth <= TRANSFER_DEPTH_MAX, option, "choose at most 64")?;
        }
        require(
            self.data.compaction_read_io != Some(IoMode::Mmap) || self.data.io == IoMode::Mmap,
            "data.compaction_read_io",
            "compactions map files only if all reads do: choose another mode",
        )?;
        require((1..=1024).contains(&self.reads.depth), "reads.depth", "choose 1 to 1024")?;
        require(
            self.reads.engine != ReadEngine::Uring || self.data.io != IoMode::Mmap,
            "reads.engine",
            "a ring does not read mapped files: choose auto or psync",
        )?;
        self.check_compaction()
    }

    fn check_compaction(&self) -> Result<(), StoreError> {
        let wrong = |option, reason: &str| Err(StoreError::Options { option, reason: reason.to_owned() });
        match &self.compaction {
            CompactionOptions::SizeTiered(tiers) => {
                if tiers.runs_merged < 2 {
                    return wrong("compaction.runs_merged", "choose at least 2");
                }
                if tiers.runs_max < tiers.runs_merged {
                    return wrong(
                        "compaction.runs_max",
                        "choose at least runs_merged, or writers wait forever",
                    );
                }
                if tiers.size_ratio.is_nan() || tiers.size_ratio < 1.0 {
                    return wrong("compaction.size_ratio", "choose at least 1");
                }
            }
            CompactionOptions::Leveled(levels) => {
                if levels.level0_runs < 1 {
                    return wrong("compaction.level0_runs", "choose at least 1");
                }
                if levels.level0_runs_max < levels.level0_runs {
                    return wrong(
                        "compaction.level0_runs_max",
                        "choose at least level0_runs, or writers wait forever",
                    );
                }
                if levels.size_ratio < 2 || levels.level1_bytes == 0 || levels.run_bytes == 0 {
                    return wrong(
                        "compaction",
                        "choose a size_ratio of at least 2, level1_bytes and run_bytes of at least 1",
                    );
                }
            }
            CompactionOptions::Off => {}
        }
        Ok(())
    }

    /// Bytes that are kept back.
    pub(crate) fn reserve_bytes(&self) -> u64 {
        self.reserve_bytes.unwrap_or(self.memtable_bytes.min(RESERVED_MEMTABLE_BYTES_MAX) + RESERVED_BYTES)
    }

    /// Bytes of log records that make a memtable when the store is opened: the reserve must hold its run.
    pub(crate) fn recovered_memtable_bytes(&self) -> u64 {
        self.memtable_bytes.min(self.reserve_bytes().max(RESERVED_BYTES))
    }

    /// Groups of log records that may be written and synced at once.
    pub(crate) fn log_depth(&self) -> usize {
        let overlaps = self.durability == DurabilityClass::Power && self.log.io == IoMode::Direct;
        if overlaps { self.log.depth } else { 1 }
    }

    /// Runs in level 0 of a partition at which writers wait; `None` if they never do.
    pub(crate) fn level0_runs_max(&self) -> Option<usize> {
        match &self.compaction {
            CompactionOptions::SizeTiered(tiers) => Some(tiers.runs_max),
            CompactionOptions::Leveled(levels) => Some(levels.level0_runs_max),
            CompactionOptions::Off => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_hold_and_are_read_back() {
        let options = Options::default();
        options.check().unwrap();
        let text = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options);
        assert_eq!(serde_json::from_str::<Options>("{}").unwrap(), options);
        assert!(serde_json::from_str::<Options>(r#"{"partition": 3}"#).is_err());
    }

    #[test]
    fn the_wrong_option_is_named() {
        let wrong = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            match options.check().unwrap_err() {
                StoreError::Options { option, .. } => option,
                other => panic!("{other}"),
            }
        };
        assert_eq!(wrong(|options| options.partitions = 0), "partitions");
        assert_eq!(wrong(|options| options.data.page_bytes = 5000), "data.page_bytes");
        assert_eq!(wrong(|options| options.data.write_depth = 65), "data.write_depth");
        assert_eq!(
            wrong(|options| (options.log.io, options.log.layout) = (IoMode::Mmap, LogLayout::Append)),
            "log.io"
        );
        assert_eq!(
            wrong(|options| options.data.compaction_read_io = Some(IoMode::Mmap)),
            "data.compaction_read_io"
        );
        assert_eq!(wrong(|options| options.log.depth = 17), "log.depth");
        assert_eq!(wrong(|options| options.reads.depth = 0), "reads.depth");
        assert_eq!(wrong(|options| options.values.garbage_percent = 101), "values.garbage_percent");
        assert_eq!(wrong(|options| options.background_nice = 20), "background_nice");
        assert_eq!(wrong(|options| options.background_io_depth = 0), "background_io_depth");
        assert_eq!(
            wrong(|options| {
                options.data.io = IoMode::Mmap;
                options.reads.engine = ReadEngine::Uring;
            }),
            "reads.engine"
        );
    }
}
