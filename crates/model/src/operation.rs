//! One operation on a subject, and its completion.

use crate::Nanos;
use serde::{Deserialize, Serialize};
use std::fmt;

levels! {
    /// How the page cache takes part in an operation on a file.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum IoMode {
        /// Through the page cache.
        Buffered = "buffered",
        /// `O_DIRECT`, which bypasses the page cache; offset, length and address are aligned.
        Direct = "direct",
        /// `RWF_DONTCACHE` (Linux 6.14): through the page cache, dropped right after.
        DontCache = "dontcache",
        /// `mmap`: the page cache through page faults, without a system call per operation.
        Mmap = "mmap",
    }
}

impl IoMode {
    /// Those that read and write by system calls.
    pub const SYSTEM_CALL_NAMES: &'static [&'static str] =
        &[Self::Buffered.name(), Self::Direct.name(), Self::DontCache.name()];
    /// The level that takes another parameter's mode.
    pub const SAME: &'static str = "same";
}

optional_level! {
    /// A mode of its own, or that of another parameter.
    IoMode or IoMode::SAME => [IoMode::Buffered, IoMode::Direct, IoMode::DontCache]
}

levels! {
    /// What `sync_file_range(2)` does with a range of a file: the combinations of flags that its manual page explains.
    pub enum RangeSync {
        /// Begins to write dirty pages that are not being written yet.
        Write = "write",
        /// Waits for those that are being written, then does that.
        WaitBeforeWrite = "wait_before_write",
        /// Does both, and waits until what it began is written too.
        WaitBeforeWriteWaitAfter = "wait_before_write_wait_after",
    }
}

optional_level! {
    /// A call, or none.
    RangeSync or "none" => [RangeSync::Write, RangeSync::WaitBeforeWrite, RangeSync::WaitBeforeWriteWaitAfter]
}

/// What a [`BlockOp`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Read `length` bytes into the buffer.
    Read,
    /// Write `length` bytes from the buffer.
    Write,
    /// Write with `RWF_DSYNC`: durable when it completes.
    WriteDsync,
    /// Write with `RWF_SYNC`: durable when it completes, with all of the file's metadata.
    WriteSync,
    /// Write with `RWF_ATOMIC`: a loss of power leaves all of it or nothing. It is not durable when it completes.
    WriteAtomic,
    /// `fdatasync` of the file.
    DataSync,
    /// `fsync` of the file.
    FullSync,
    /// `sync_file_range` of `length` bytes from `offset`, 0 = to the end of the file. Nothing is durable after it.
    RangeSync(RangeSync),
    /// `fallocate` with `PUNCH_HOLE` and `KEEP_SIZE` of `length` bytes from `offset`: the file system frees its whole
    /// blocks, and a mount with `discard` trims them on the device.
    PunchHole,
}

impl BlockKind {
    /// Whether this operation moves data (and so uses `offset`, `length` and `buffer`).
    pub const fn moves_data(self) -> bool {
        match self {
            Self::Read | Self::Write | Self::WriteDsync | Self::WriteSync | Self::WriteAtomic => true,
            Self::DataSync | Self::FullSync | Self::RangeSync(_) | Self::PunchHole => false,
        }
    }
}

/// One operation on a file, as a workload emits it and a block backend performs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOp {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
    pub kind: BlockKind,
    /// Index of the file in the trial's file table.
    pub file: u16,
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes to move, of the range or of the hole; 0 for syncs of a file.
    pub length: u32,
    /// Byte offset in the trial's buffer arena; unused by syncs and holes.
    pub buffer: u32,
}

impl fmt::Display for BlockOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            BlockKind::Read => "read",
            BlockKind::Write => "write",
            BlockKind::WriteDsync => "RWF_DSYNC write",
            BlockKind::WriteSync => "RWF_SYNC write",
            BlockKind::WriteAtomic => "RWF_ATOMIC write",
            BlockKind::DataSync => return write!(f, "fdatasync of file {}", self.file),
            BlockKind::FullSync => return write!(f, "fsync of file {}", self.file),
            BlockKind::RangeSync(_) => "sync_file_range",
            BlockKind::PunchHole => "hole",
        };
        write!(f, "{what} of {} bytes at offset {} of file {}", self.length, self.offset, self.file)
    }
}

/// What the driver must know about an operation, whatever the subject. It prints as a person would say it.
pub trait Operation: Copy + PartialEq + fmt::Display {
    /// Identity among the operations in flight.
    fn id(&self) -> u32;
    /// The result a complete success returns: bytes moved, or 0.
    fn expected_result(&self) -> i32;
    /// Whether this result is a success: the expected one, unless an operation may succeed in several ways.
    #[inline]
    fn is_success(&self, result: i32) -> bool {
        result == self.expected_result()
    }
}

impl Operation for BlockOp {
    fn id(&self) -> u32 {
        self.id
    }

    #[inline]
    fn expected_result(&self) -> i32 {
        if self.kind.moves_data() { self.length as i32 } else { 0 }
    }
}

/// When an operation was submitted and when it completed, on the driver's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    pub began: Nanos,
    pub ended: Nanos,
}

/// The end of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    pub id: u32,
    /// Bytes or entries moved, 0 for a sync or a hole, or a negated errno, as io_uring reports it.
    pub result: i32,
    /// Set by a backend that performs operations one after another inline; left `None` if the driver's own
    /// stamps (one clock read per batch) are right. Always set when a workload sees it.
    pub stamps: Option<Stamps>,
}

impl Completion {
    /// Time from submission to completion; zero before the driver has stamped it.
    #[inline]
    pub fn latency(&self) -> Nanos {
        self.stamps.map_or(Nanos::ZERO, |stamps| stamps.ended.since(stamps.began))
    }

    /// When the operation began.
    #[inline]
    pub fn began(&self) -> Nanos {
        self.stamps.map_or(Nanos::ZERO, |stamps| stamps.began)
    }

    /// When the operation completed.
    #[inline]
    pub fn ended(&self) -> Nanos {
        self.stamps.map_or(Nanos::ZERO, |stamps| stamps.ended)
    }
}
