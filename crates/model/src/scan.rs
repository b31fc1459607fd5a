//! One operation of a dataset scan: on a file of a directory, or on an object of a store.

use crate::parameter::{ParameterKind, WHOLE_FILE};
use crate::{Level, Operation, Value};
use std::fmt;

/// Most bytes that one operation reads: what the kernel moves in one call (`read(2)`), in whole pages.
pub const READ_BYTES_MAX: u64 = 0x7fff_f000;

/// Bytes of one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSize {
    /// A block, or the rest of its file. Runs before version 0.3 have 0 for the whole file.
    Block(u64),
    /// All of a file in one read.
    WholeFile,
}

impl ReadSize {
    /// Bytes of a block; `None` if files are read whole.
    pub const fn block_bytes(self) -> Option<u64> {
        match self {
            Self::Block(0) | Self::WholeFile => None,
            Self::Block(bytes) => Some(bytes),
        }
    }

    /// Bytes of a read if this number of bytes is left in the file.
    pub fn of(self, left_bytes: u64) -> u64 {
        self.block_bytes().map_or(left_bytes, |bytes| bytes.min(left_bytes))
    }
}

impl Level for ReadSize {
    const KIND: ParameterKind = ParameterKind::ReadSize { max: READ_BYTES_MAX };

    fn from_value(value: &Value, _: ParameterKind) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(Self::Block(*bytes)),
            Value::Name(name) if name == WHOLE_FILE => Some(Self::WholeFile),
            _ => None,
        }
    }

    fn to_value(self, _: ParameterKind) -> Value {
        match self {
            Self::Block(bytes) => Value::Bytes(bytes),
            Self::WholeFile => Value::Name(WHOLE_FILE.to_owned()),
        }
    }
}

/// The hint to the kernel about a range of a file (`posix_fadvise(2)`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Nothing special: the kernel reads ahead as it finds fit.
    Normal,
    /// From the beginning to the end: twice as much is read ahead.
    Sequential,
    /// In no order: nothing is read ahead.
    Random,
    /// Not needed any more: cached pages are dropped, those under readahead too.
    DontNeed,
}

impl Hint {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Sequential => "sequential",
            Self::Random => "random",
            Self::DontNeed => "dontneed",
        }
    }
}

/// What a [`ScanOp`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanKind {
    /// Opens the file; a reader has one file open at a time.
    Open,
    /// Gives the hint about `length` bytes from `offset` on; 0 bytes are all to the end of the file.
    Advise(Hint),
    /// Reads `length` bytes from `offset` on.
    Read,
    /// Closes the file.
    Close,
}

/// One operation of a scan. Object stores know reads only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanOp {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
    pub kind: ScanKind,
    /// Index of the file or object in the dataset's list.
    pub file: u32,
    /// Byte offset in the file.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
}

impl Operation for ScanOp {
    #[inline]
    fn id(&self) -> u32 {
        self.id
    }

    #[inline]
    fn expected_result(&self) -> i32 {
        match self.kind {
            ScanKind::Read => self.length as i32,
            ScanKind::Open | ScanKind::Advise(_) | ScanKind::Close => 0,
        }
    }
}

impl fmt::Display for ScanOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ScanKind::Open => write!(f, "open of file {}", self.file),
            ScanKind::Advise(hint) => write!(f, "posix_fadvise ({}) of file {}", hint.name(), self.file),
            ScanKind::Read => {
                write!(f, "read of {} bytes at offset {} of file {}", self.length, self.offset, self.file)
            }
            ScanKind::Close => write!(f, "close of file {}", self.file),
        }
    }
}
