//! Blocking system calls, one after another.

use super::contract::{
    PUNCH_HOLE_FLAGS, RWF_ATOMIC, RWF_DONTCACHE, Setup, invalid, range_sync_flags, require_system_call_modes,
};
use super::inline::Prepare;
use crate::arena::Arena;
use crate::file_table::FileTable;
use driver::{Inline, Perform};
use model::{BlockKind, BlockOp, IoMode};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;

/// One blocking system call per operation.
pub type Psync = Inline<SystemCalls>;

/// pread, pwrite, fdatasync, fsync, `sync_file_range`, fallocate; `preadv2` and `pwritev2` if an operation has flags.
#[derive(Debug)]
pub struct SystemCalls {
    files: Arc<FileTable>,
    arena: Arc<Arena>,
    made: u64,
}

impl Prepare for SystemCalls {
    fn supported() -> io::Result<()> {
        Ok(())
    }

    fn prepare(setup: &Setup) -> io::Result<Self> {
        require_system_call_modes(&setup.files, "psync")?;
        Ok(Self { files: Arc::clone(&setup.files), arena: Arc::clone(&setup.arena), made: 0 })
    }
}

impl Perform for SystemCalls {
    type Op = BlockOp;

    #[inline]
    fn perform(&mut self, operation: &BlockOp) -> io::Result<i32> {
        let Some(open) = self.files.get(operation.file) else {
            return Err(invalid(operation));
        };
        let fd = open.file.as_raw_fd();
        // What moves no data leaves `buffer` unused, so it may be anything.
        let (buffer, length) =
            if operation.kind.moves_data() { (operation.buffer, operation.length) } else { (0, 0) };
        let Some(buffer) = self.arena.address(buffer, length) else {
            return Err(invalid(operation));
        };
        let flags = if open.mode == IoMode::DontCache { RWF_DONTCACHE } else { 0 };
        self.made += 1;
        loop {
            // SAFETY: for what moves data, `buffer` is `operation.length` bytes inside the arena, which `self` keeps
            // mapped, and no Rust reference to them exists while a backend holds the arena, but to words that may
            // change at any time.
            let moved = unsafe { call(fd, operation, buffer, flags) };
            if moved >= 0 {
                // A length is 32 bits and the kernel moves at most 0x7fff_f000 bytes in a call (read(2)).
                return Ok(moved as i32);
            }
            match io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                errno => return Ok(-errno.unwrap_or(libc::EIO)),
            }
        }
    }

    #[inline]
    fn system_calls(&self) -> u64 {
        self.made
    }
}

/// The system call of an operation: what it returns, with `errno` behind a -1.
///
/// # Safety
/// If the operation moves data, `buffer` is `operation.length` bytes that stay mapped, and that nothing else in this
/// program refers to, for the time of the call.
#[inline]
unsafe fn call(fd: RawFd, operation: &BlockOp, buffer: *mut u8, flags: i32) -> isize {
    let buffer = buffer.cast();
    let length = operation.length as usize;
    let offset = operation.offset as libc::off_t;
    let vector = libc::iovec { iov_base: buffer, iov_len: length };
    // SAFETY: the caller guarantees the buffer, and `vector` is one element that lives through the call. A file
    // descriptor that is not open would be an error, not a danger.
    unsafe {
        match operation.kind {
            // The plain calls cost less than their successors with flags, and are what servers use.
            BlockKind::Read if flags == 0 => libc::pread(fd, buffer, length, offset),
            BlockKind::Write if flags == 0 => libc::pwrite(fd, buffer, length, offset),
            BlockKind::Read => libc::preadv2(fd, &raw const vector, 1, offset, flags),
            BlockKind::Write => libc::pwritev2(fd, &raw const vector, 1, offset, flags),
            BlockKind::WriteDsync => {
                libc::pwritev2(fd, &raw const vector, 1, offset, flags | libc::RWF_DSYNC)
            }
            BlockKind::WriteSync => libc::pwritev2(fd, &raw const vector, 1, offset, flags | libc::RWF_SYNC),
            BlockKind::WriteAtomic => libc::pwritev2(fd, &raw const vector, 1, offset, flags | RWF_ATOMIC),
            BlockKind::DataSync => libc::fdatasync(fd) as isize,
            BlockKind::FullSync => libc::fsync(fd) as isize,
            BlockKind::RangeSync(what) => {
                libc::sync_file_range(fd, offset, length as libc::off64_t, range_sync_flags(what)) as isize
            }
            BlockKind::PunchHole => {
                libc::fallocate(fd, PUNCH_HOLE_FLAGS, offset, length as libc::off_t) as isize
            }
        }
    }
}
