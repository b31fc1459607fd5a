//! The scan workload's parameters, and what follows from them.

use super::levels::{BufferSource, HintScope, Opening, Order, PageCache, PassCache};
use model::description::FileSet;
use model::parameter::{bytes, count};
use model::scan::{READ_BYTES_MAX, ReadSize};
use model::units::{GIB, format_bytes};
use model::{BufferPages, Configuration, Layout, LevelError, Levels, Nanos, parameters};

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "scan";

parameters! {
    /// One value for every parameter of the scan workload.
    pub struct Parameters;
    /// The scan workload's parameters.
    pub const PARAMETERS: Handles;

    /// the dataset: a directory, which is only read, or s3://bucket/prefix; none = files that are prepared in the
    /// run's directory
    target: Option<String> = "none",
    /// number of prepared files; for a target, the maximum number of files to read
    files: u64 = "64" in count(1..=10_000_000),
    /// size of each prepared file; for a target, the mean size of its files
    file_size: u64 = "8MiB" in bytes(1..=1024 * GIB),
    /// bytes of one read; no effect if multipart = true
    block_size: ReadSize = "1MiB",
    /// how the page cache takes part: no hint, one of posix_fadvise's, auto (sequential for files from 64MiB on,
    /// else random), RWF_DONTCACHE, O_DIRECT or mmap
    page_cache: PageCache = "normal",
    /// when to give the hint: for the whole file before every block, for the whole file after opening it, or for
    /// each block behind the reader
    hint_scope: HintScope = "open",
    /// how often to open a file: once, or again for each block
    open: Opening = "per_file",
    /// memory that is read into: kept for the trial, or for each read from the allocator (malloc) or from the
    /// kernel (fresh)
    buffers: BufferSource = "pooled",
    /// pages of those buffers: the kernel's base size (4KiB), or huge pages, which neither the allocator nor an S3
    /// client provides; verified
    buffer_pages: BufferPages = "small",
    /// readers, each a thread that reads one file at a time
    concurrency: u32 = "1" in count(1..=256),
    /// bytes of a file that a reader takes at a time, such as the row groups of Parquet; each counts as a file
    piece_size: ReadSize = "whole_file",
    /// times that the whole dataset is read
    passes: u32 = "3" in count(1..=1000),
    /// files, or pieces of them, by name, or shuffled again in each pass
    order: Order = "sequential",
    /// the files' pages: evicted before every pass, evicted before the first pass, or all cached before it;
    /// verified
    cache: PassCache = "cold_each_pass",
    /// make files objects of file_size below an s3 target, in a prefix of their own that is deleted at the end
    prepare: bool = "false",
    /// fetch an object of an s3 target in ranges, several at a time, instead of in reads of block_size
    multipart: bool = "false",
    /// size of such a range; no effect if multipart = false
    range_size: u64 = "8MiB" in bytes(1..=READ_BYTES_MAX),
    /// ranges of one object in flight; no effect if multipart = false
    connections: u32 = "4" in count(1..=256),
    /// time that an accelerator works on a batch, and then takes the next one, if that is read; 0s = there is none
    step_time: Nanos = "0s",
    /// bytes of a batch; no effect if step_time = 0s
    batch_size: u64 = "16MiB" in bytes(1..=1024 * GIB),
    /// batches that may be read, or being read, before the accelerator takes them; no effect if step_time = 0s
    prefetch: u32 = "2" in count(1..=1_000_000),
}

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// Whether the target is an object store.
    pub fn is_remote(&self) -> bool {
        self.target.as_deref().is_some_and(is_object_store)
    }

    /// The files of a trial that prepares its own dataset.
    pub fn prepared_files(&self) -> Vec<FileSet> {
        if self.target.is_some() {
            return Vec::new();
        }
        vec![FileSet {
            name: format!("scan-{}", format_bytes(self.file_size)),
            role: "data".to_owned(),
            layout: Layout::Prefilled,
            size_bytes: self.file_size,
            count: self.files,
        }]
    }

    /// Bytes of one read of a file of this size.
    pub fn read_bytes(&self, file_bytes: u64) -> u64 {
        let is_in_ranges = self.is_remote() && self.multipart;
        let piece_bytes = self.piece_size.of(file_bytes);
        if is_in_ranges { self.range_size.min(piece_bytes) } else { self.block_size.of(piece_bytes) }
    }

    /// Pieces that readers take in a pass, if all files have the same size.
    pub(super) fn pieces(&self) -> u64 {
        let of_file = self.piece_size.block_bytes().map_or(1, |bytes| self.file_size.div_ceil(bytes));
        self.files.saturating_mul(of_file)
    }

    /// Batches of a pass; 0 if there is no accelerator.
    pub(super) fn batches(&self) -> u64 {
        if self.step_time == Nanos::ZERO {
            return 0;
        }
        self.files.saturating_mul(self.file_size).div_ceil(self.batch_size)
    }

    /// The maximum number of reads that one reader has in flight.
    pub fn in_flight_max(&self) -> u32 {
        if self.is_remote() && self.multipart { self.connections } else { 1 }
    }
}

/// Whether a target names an object store.
pub(super) fn is_object_store(target: &str) -> bool {
    target.starts_with("s3://")
}
