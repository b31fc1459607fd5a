//! What a store counts while it runs, and the statistics that follow.

use model::DurabilityClass;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Counts since the store was opened, in no order with each other.
        #[derive(Debug, Default)]
        pub(crate) struct Counters {
            $($(#[doc = $doc])+ pub(crate) $name: AtomicU64,)+
        }

        /// Counts since the store was opened.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct Counts {
            $($(#[doc = $doc])+ pub $name: u64,)+
        }

        impl Counters {
            /// The counts now.
            pub(crate) fn read(&self) -> Counts {
                Counts { $($name: self.$name.load(Ordering::Relaxed),)+ }
            }
        }
    };
}

counters! {
    /// Batches that were written; a single put or delete is a batch of one.
    batches,
    /// Bytes of keys and values that were written.
    user_bytes,
    /// Bytes that were written to the log, the rest of the last block included each time it was written.
    log_bytes,
    /// Groups of batches that were written to the log at once.
    log_groups,
    /// Syncs of the log, or writes with `RWF_DSYNC`.
    log_syncs,
    /// Log segments that writers had to make themselves because none was ready.
    log_segments_awaited,
    /// Bytes of prefilling log segments.
    prefill_bytes,
    /// Bytes of large values that were written.
    large_value_bytes,
    /// Memtables that were flushed.
    flushes,
    /// Bytes of runs that flushes wrote.
    flush_bytes,
    /// Bytes of value files that flushes wrote.
    flush_value_bytes,
    /// Compactions, those that only moved a run to another level included.
    compactions,
    /// Reads of compactions.
    compaction_reads,
    /// Bytes that compactions read.
    compaction_read_bytes,
    /// Bytes of runs that compactions wrote.
    compaction_bytes,
    /// Bytes of value files that compactions wrote: values that they collected, or were the first to separate.
    compaction_value_bytes,
    /// Reads of scans.
    scan_reads,
    /// Bytes that scans read.
    scan_read_bytes,
    /// Reads of scans, and pages that they found in the cache, only because keys are in several sorted runs of a
    /// partition.
    scan_reads_in_vain,
    /// Pages that gets read from files.
    page_reads,
    /// Separated values that gets and scans read from files.
    value_reads,
    /// Pages that gets and scans found in the cache.
    cache_hits,
    /// Pages that a get read although the run does not have the key.
    false_positives,
    /// Times that a writer waited because flushes were behind.
    memtable_stalls,
    /// Nanoseconds of those waits.
    memtable_stall_nanos,
    /// Times that a writer waited because compactions were behind.
    compaction_stalls,
    /// Nanoseconds of those waits.
    compaction_stall_nanos,
}

/// Adds to a counter.
pub(crate) fn add(counter: &AtomicU64, more: u64) {
    counter.fetch_add(more, Ordering::Relaxed);
}

/// What a store has done and has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// What an acknowledged write survives.
    pub durability: DurabilityClass,
    /// Counts since the store was opened.
    pub counts: Counts,
    /// Sorted runs.
    pub runs: usize,
    /// Most sorted runs that one key may be in: runs of level 0 and levels below with a run, in the partition that has
    /// most.
    pub runs_deep: usize,
    /// Entries in runs: a key that several runs have counts several times, and deletes count.
    pub entries: u64,
    /// Bytes of the files of runs.
    pub run_bytes: u64,
    /// Value files.
    pub value_files: usize,
    /// Bytes of the values in them.
    pub value_bytes: u64,
    /// Bytes of those values that nothing refers to any more, as far as merges have found out.
    pub garbage_bytes: u64,
    /// Memory of page indexes.
    pub index_bytes: u64,
    /// Memory of filters.
    pub filter_bytes: u64,
    /// Pages in the cache, in bytes.
    pub cache_bytes: u64,
    /// Memtables, the one that is written to included.
    pub memtables: usize,
    /// Memory of memtables, about.
    pub memtable_bytes: u64,
    /// Bytes that the store wrote for each byte of keys and values; `None` before the first write.
    pub write_amplification: Option<f64>,
    /// Bytes of all runs and value files for each byte of the largest sorted run or level of each partition with the
    /// separated values that it refers to: an estimate from above of what overwritten and deleted entries cost, without
    /// a look at the keys. `None` without a run.
    pub space_amplification: Option<f64>,
}

impl Statistics {
    /// Bytes of page index in memory for each entry.
    pub fn index_bytes_per_key(&self) -> Option<f64> {
        (self.entries > 0).then(|| self.index_bytes as f64 / self.entries as f64)
    }

    /// Bytes of filter in memory for each entry.
    pub fn filter_bytes_per_key(&self) -> Option<f64> {
        (self.entries > 0).then(|| self.filter_bytes as f64 / self.entries as f64)
    }
}

impl Counts {
    /// All bytes that the store wrote: log, flushes, compactions, separated and large values, prefilling.
    pub fn bytes_written(&self) -> u64 {
        self.log_bytes
            + self.prefill_bytes
            + self.flush_bytes
            + self.flush_value_bytes
            + self.compaction_bytes
            + self.compaction_value_bytes
            + self.large_value_bytes
    }
}
