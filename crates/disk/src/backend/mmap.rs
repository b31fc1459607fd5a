//! Memory-mapped files: reads and writes are copies, and the page cache is met through page faults.

mod bus_error;
mod mapping;

use super::contract::{PUNCH_HOLE_FLAGS, Setup, invalid, range_sync_flags};
use super::inline::Prepare;
use crate::arena::Arena;
use crate::file_table::{FileTable, OpenFile};
use driver::{Inline, Perform};
pub(crate) use mapping::Mapping;
use model::{BlockKind, BlockOp, IoMode, RangeSync};
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// Copies between the arena and mapped files, one operation after another.
///
/// | operation | what is done |
/// |---|---|
/// | read, write | a copy; pages that are not mapped yet fault |
/// | `RWF_DSYNC` write | a copy, then `msync(MS_SYNC)` of the pages it touched |
/// | `RWF_SYNC` write | a copy, that `msync`, then `fsync` |
/// | fdatasync | `msync(MS_SYNC)` of the whole mapping, which the kernel carries out as `fdatasync` (`mm/msync.c`) |
/// | fsync | that, then `fsync` |
/// | `sync_file_range` | the same call on the file: the kernel marks a page dirty at the fault of its first write |
/// | hole | `fallocate` of the file, which also unmaps the pages |
///
/// Every backend maps for itself, as every job of fio's mmap engine does, so each has its own page-table entries and
/// takes its own minor faults. Fault-around and huge pages are left at the kernel's defaults.
///
/// Every file of the table must have been opened with [`IoMode::Mmap`]. The size is the one at build: an operation
/// beyond it is an error, because a mapping cannot grow a file and touching what lies behind its end is SIGBUS. A
/// file that shrinks meanwhile, a device that fails and a file system without room still raise SIGBUS: the
/// process says so on standard error and dies by that signal.
pub type Mmap = Inline<Mapped>;

/// The files' mappings.
#[derive(Debug)]
pub struct Mapped {
    files: Arc<FileTable>,
    arena: Arc<Arena>,
    /// By the file's index.
    mappings: Box<[Mapping]>,
    system_calls: u64,
}

impl Prepare for Mapped {
    fn supported() -> io::Result<()> {
        Ok(())
    }

    fn prepare(setup: &Setup) -> io::Result<Self> {
        bus_error::explain()?;
        Ok(Self {
            files: Arc::clone(&setup.files),
            arena: Arc::clone(&setup.arena),
            mappings: setup.files.iter().map(map).collect::<io::Result<_>>()?,
            system_calls: 0,
        })
    }
}

impl Perform for Mapped {
    type Op = BlockOp;

    #[inline]
    fn perform(&mut self, operation: &BlockOp) -> io::Result<i32> {
        let Some(mapping) = self.mappings.get(usize::from(operation.file)) else {
            return Err(invalid(operation));
        };
        let BlockOp { kind, offset, length, .. } = *operation;
        if !kind.moves_data() {
            return self.sync(operation);
        }
        let Some(buffer) = self.arena.address(operation.buffer, length) else {
            return Err(invalid(operation));
        };
        if !mapping.holds(offset, length) {
            return Err(self.beyond(operation, mapping));
        }
        if kind == BlockKind::Read {
            // SAFETY: `buffer` is `length` bytes inside the arena, which `self` keeps mapped, and no Rust reference
            // to them exists while a backend holds the arena; the range is inside the mapping.
            unsafe { mapping.read(offset, buffer, length) };
            return Ok(length as i32);
        }
        if kind == BlockKind::WriteAtomic {
            // A copy has no such promise, and what pwritev2 says without one is this.
            return Ok(-libc::EOPNOTSUPP);
        }
        if !mapping.is_writable() {
            // What pwrite says about a file that was opened for reading only.
            return Ok(-libc::EBADF);
        }
        // SAFETY: as above, and the mapping is writable.
        unsafe { mapping.write(offset, buffer, length) };
        if matches!(kind, BlockKind::WriteDsync | BlockKind::WriteSync) {
            self.system_calls += 1;
            if let Err(error) = mapping.sync_range(offset, length) {
                return Ok(negated(&error));
            }
        }
        if kind == BlockKind::WriteSync {
            return Ok(match self.full_sync(operation)? {
                0 => length as i32,
                errno => errno,
            });
        }
        Ok(length as i32)
    }

    #[inline]
    fn system_calls(&self) -> u64 {
        self.system_calls
    }
}

impl Mapped {
    /// What moves no data: fdatasync, fsync, `sync_file_range` and holes.
    fn sync(&mut self, operation: &BlockOp) -> io::Result<i32> {
        let Some(mapping) = self.mappings.get(usize::from(operation.file)) else {
            return Err(invalid(operation));
        };
        if let BlockKind::RangeSync(what) = operation.kind {
            return self.range_sync(operation, what);
        }
        if operation.kind == BlockKind::PunchHole {
            return self.punch_hole(operation);
        }
        self.system_calls += 1;
        if let Err(error) = mapping.sync() {
            return Ok(negated(&error));
        }
        if operation.kind == BlockKind::FullSync { self.full_sync(operation) } else { Ok(0) }
    }

    /// `fsync` of the operation's file: 0, or a negated errno.
    fn full_sync(&mut self, operation: &BlockOp) -> io::Result<i32> {
        let Some(open) = self.files.get(operation.file) else {
            return Err(invalid(operation));
        };
        self.system_calls += 1;
        Ok(rustix::fs::fsync(&open.file).map_or_else(|errno| negated(&errno.into()), |()| 0))
    }

    fn range_sync(&mut self, operation: &BlockOp, what: RangeSync) -> io::Result<i32> {
        let Some(open) = self.files.get(operation.file) else {
            return Err(invalid(operation));
        };
        self.system_calls += 1;
        let (offset, length) = (operation.offset as libc::off64_t, libc::off64_t::from(operation.length));
        // SAFETY: the call takes no pointer, and the table keeps the file open.
        let result =
            unsafe { libc::sync_file_range(open.file.as_raw_fd(), offset, length, range_sync_flags(what)) };
        Ok(if result == 0 { 0 } else { negated(&io::Error::last_os_error()) })
    }

    fn punch_hole(&mut self, operation: &BlockOp) -> io::Result<i32> {
        let Some(open) = self.files.get(operation.file) else {
            return Err(invalid(operation));
        };
        self.system_calls += 1;
        let (offset, length) = (operation.offset as libc::off_t, libc::off_t::from(operation.length));
        // SAFETY: the call takes no pointer, and the table keeps the file open.
        let result = unsafe { libc::fallocate(open.file.as_raw_fd(), PUNCH_HOLE_FLAGS, offset, length) };
        Ok(if result == 0 { 0 } else { negated(&io::Error::last_os_error()) })
    }

    #[cold]
    fn beyond(&self, operation: &BlockOp, mapping: &Mapping) -> io::Error {
        let path = self.files.get(operation.file).map(|open| open.path.display().to_string());
        let path = path.unwrap_or_default();
        let bytes = mapping.bytes();
        let text = format!("{path}: {operation} is beyond the {bytes} bytes that are mapped");
        io::Error::new(io::ErrorKind::InvalidInput, text)
    }
}

/// A negated errno, as a completion has it.
fn negated(error: &io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}

fn map(open: &OpenFile) -> io::Result<Mapping> {
    let path = open.path.display();
    if open.mode != IoMode::Mmap {
        let text = format!(
            "{path}: the backend mmap reads and writes memory, but the file was opened with mode = {}: use psync or \
             uring",
            open.mode
        );
        return Err(io::Error::new(io::ErrorKind::Unsupported, text));
    }
    let on = |error: io::Error| io::Error::new(error.kind(), format!("{path}: mmap: {error}"));
    let bytes = open.file.metadata().map_err(on)?.len();
    if bytes == 0 {
        let text = format!(
            "{path}: an empty file cannot be mapped; choose another mode, or a layout with its size from the \
             beginning"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    Mapping::new(&open.file, bytes, open.writable, open.advice).map_err(on)
}
