//! What a backend is built from and what it promises, and which operations and files every one refuses.

use crate::arena::Arena;
use crate::file_table::FileTable;
use driver::{Backend, MonotonicClock};
use model::{BlockOp, IoMode, RangeSync};
use std::io;
use std::sync::Arc;

/// `RWF_DONTCACHE` (Linux 6.14, `linux/fs.h`); neither libc nor rustix names it.
pub(crate) const RWF_DONTCACHE: i32 = 0x80;

/// `RWF_ATOMIC` (Linux 6.11, `linux/fs.h`); neither libc nor rustix names it.
pub(super) const RWF_ATOMIC: i32 = 0x40;

/// The mode of `fallocate(2)` that makes a hole in a file.
pub(super) const PUNCH_HOLE_FLAGS: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;

/// What a backend is built from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The files that operations name.
    pub files: Arc<FileTable>,
    /// The memory that operations name.
    pub arena: Arc<Arena>,
    /// The driver's clock: deadlines are its times, and an inline backend stamps with it.
    pub clock: MonotonicClock,
    /// Most operations that are ever in flight (the workload's `in_flight_max`).
    pub in_flight_max: usize,
    /// Whether a ring gets the files and the arena registered (`io_uring_register(2)`): the kernel then looks up no
    /// file and pins no page for an operation. No effect elsewhere.
    pub registered: bool,
}

/// A backend that performs operations on files.
pub trait BlockBackend: Backend<Op = BlockOp> + Sized {
    /// Whether this kernel and this process can have the backend at all.
    ///
    /// # Errors
    /// The reason why not, for a person, with what to do about it.
    fn supported() -> io::Result<()>;

    /// Builds the backend on the thread that will drive it.
    ///
    /// # Errors
    /// The kernel's error while the backend was set up.
    fn build(setup: &Setup) -> io::Result<Self>;

    /// What the reader of a result must know about how this backend was set up; usually nothing.
    fn notes(&self) -> &[String] {
        &[]
    }
}

/// The flags of `sync_file_range(2)`.
pub(super) const fn range_sync_flags(what: RangeSync) -> u32 {
    match what {
        RangeSync::Write => libc::SYNC_FILE_RANGE_WRITE,
        RangeSync::WaitBeforeWrite => libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE,
        RangeSync::WaitBeforeWriteWaitAfter => {
            libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER
        }
    }
}

/// The operation reaches outside the arena or names a file that is not open: the workload and the setup disagree.
#[cold]
pub(super) fn invalid(operation: &BlockOp) -> io::Error {
    let text = format!("{operation:?}: no such file in the table, or its buffer is not inside the arena");
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// A backend of system calls takes no file that was opened to be mapped: the record would say `mode = mmap` of reads
/// and writes that went another way.
pub(super) fn require_system_call_modes(files: &FileTable, backend: &str) -> io::Result<()> {
    let Some(open) = files.iter().find(|open| open.mode == IoMode::Mmap) else { return Ok(()) };
    let text = format!(
        "{}: {backend} reads and writes with system calls, but the file was opened with mode = mmap: use the backend \
         mmap",
        open.path.display()
    );
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}
