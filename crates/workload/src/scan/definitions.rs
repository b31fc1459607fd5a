//! The scan workload's parameters and their meaning.

use super::levels::{BufferSource, HintScope, Opening, Order, PageCache, PassCache};
use model::buffer::{BUFFER_PAGES, BufferPages};
use model::parameter::{Kind, Parameter};
use model::scan::READ_BYTES_MAX;
use model::units::GIB;
use model::{Definitions, WithoutEffect};

const fn parameter(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, default, help }
}

const PARAMETERS: &[Parameter] = &[
    parameter(
        "target",
        Kind::Place,
        "none",
        "the dataset: a directory, which is only read, or s3://bucket/prefix; none = files that are prepared in the run's directory",
    ),
    parameter(
        "files",
        Kind::Count { min: 1, max: 10_000_000 },
        "64",
        "number of prepared files; for a target, the maximum number of files to read",
    ),
    parameter(
        "file_size",
        Kind::Bytes { min: 1, max: 1024 * GIB },
        "8MiB",
        "size of each prepared file; for a target, the mean size of its files",
    ),
    parameter(
        "block_size",
        Kind::Bytes { min: 0, max: READ_BYTES_MAX },
        "1MiB",
        "bytes of one read; 0B = the whole file; no effect if multipart = true",
    ),
    parameter(
        "page_cache",
        Kind::Choice(PageCache::NAMES),
        "normal",
        "how the page cache takes part: no hint, one of posix_fadvise's, auto (sequential for files from 64MiB on, else \
         random), RWF_DONTCACHE, O_DIRECT or mmap",
    ),
    parameter(
        "hint_scope",
        Kind::Choice(HintScope::NAMES),
        "open",
        "when to give the hint: for the whole file before every block, for the whole file after opening it, or for \
         each block behind the reader",
    ),
    parameter(
        "open",
        Kind::Choice(Opening::NAMES),
        "per_file",
        "how often to open a file: once, or again for each block",
    ),
    parameter(
        "buffers",
        Kind::Choice(BufferSource::NAMES),
        "pooled",
        "memory that is read into: kept for the trial, or for each read from the allocator (malloc) or from the kernel \
         (fresh)",
    ),
    parameter(
        BUFFER_PAGES,
        Kind::Choice(BufferPages::NAMES),
        "small",
        "pages of those buffers: the kernel's base size (4KiB), or huge pages, which neither the allocator nor an S3 \
         client provides; verified",
    ),
    parameter(
        "concurrency",
        Kind::Count { min: 1, max: 256 },
        "1",
        "readers, each a thread that reads one file at a time",
    ),
    parameter("passes", Kind::Count { min: 1, max: 1000 }, "3", "times that the whole dataset is read"),
    parameter(
        "order",
        Kind::Choice(Order::NAMES),
        "sequential",
        "files by name, or shuffled again in each pass",
    ),
    parameter(
        "cache",
        Kind::Choice(PassCache::NAMES),
        "cold_each_pass",
        "the files' pages: evicted before every pass, evicted before the first pass, or all cached before it; \
         verified",
    ),
    parameter(
        "prepare",
        Kind::Flag,
        "false",
        "make files objects of file_size below an s3 target, in a prefix of their own that is deleted at the end",
    ),
    parameter(
        "multipart",
        Kind::Flag,
        "false",
        "fetch an object of an s3 target in ranges, several at a time, instead of in reads of block_size",
    ),
    parameter(
        "range_size",
        Kind::Bytes { min: 1, max: READ_BYTES_MAX },
        "8MiB",
        "size of such a range; no effect if multipart = false",
    ),
    parameter(
        "connections",
        Kind::Count { min: 1, max: 256 },
        "4",
        "ranges of one object in flight; no effect if multipart = false",
    ),
];

const WITHOUT_EFFECT: &[WithoutEffect] = &[
    WithoutEffect {
        parameters: &["block_size"],
        holds: |values| values.flag("multipart") == Ok(true),
        because: "multipart reads ranges of range_size",
    },
    WithoutEffect {
        parameters: &["range_size", "connections"],
        holds: |values| values.flag("multipart") == Ok(false),
        because: "multipart is false",
    },
];

/// Every parameter of the scan workload.
pub(super) const DEFINITIONS: Definitions = Definitions {
    workload: "scan",
    parameters: PARAMETERS,
    placement: &["filesystem"],
    sizes: &["files", "file_size"],
    without_effect: WITHOUT_EFFECT,
};
