//! Blocking system calls, one after another.

use super::wait::{make_timers_exact, wait_idle};
use super::{BlockBackend, RWF_DONTCACHE, Setup, invalid};
use crate::arena::Arena;
use crate::file_table::FileTable;
use driver::{Backend, Clock, MonotonicClock};
use model::{BlockKind, BlockOp, Completion, IoMode, Nanos, Stamps};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;

/// pread, pwrite, fdatasync, fsync; `preadv2` and `pwritev2` where an operation has flags.
///
/// Submitted operations wait in a queue and are performed by `reap`, first in, first out. However deep the queue, one
/// operation is in progress at a time, as in a thread of a server that does synchronous I/O; so in a batch each is
/// stamped itself: it begins when its system call begins, which is when the one before it ended.
#[derive(Debug)]
pub struct Psync {
    files: Arc<FileTable>,
    arena: Arc<Arena>,
    clock: MonotonicClock,
    queue: VecDeque<BlockOp>,
    in_flight_max: usize,
    /// Whether the deadline of the last call left operations in the queue.
    has_leftovers: bool,
    system_calls: u64,
}

impl BlockBackend for Psync {
    fn supported() -> io::Result<()> {
        Ok(())
    }

    fn build(setup: &Setup) -> io::Result<Self> {
        make_timers_exact()?;
        Ok(Self {
            files: Arc::clone(&setup.files),
            arena: Arc::clone(&setup.arena),
            clock: setup.clock,
            queue: VecDeque::with_capacity(setup.in_flight_max),
            in_flight_max: setup.in_flight_max,
            has_leftovers: false,
            system_calls: 0,
        })
    }
}

impl Psync {
    /// Bytes moved, 0, or a negated errno.
    #[inline]
    fn perform(&self, operation: &BlockOp) -> io::Result<i32> {
        let Some(open) = self.files.get(operation.file) else {
            return Err(invalid(operation));
        };
        let fd = open.file.as_raw_fd();
        // A sync leaves `buffer` unused, so it may be anything.
        let buffer = if operation.kind.moves_data() { operation.buffer } else { 0 };
        let Some(buffer) = self.arena.address(buffer, operation.length) else {
            return Err(invalid(operation));
        };
        let flags = if open.mode == IoMode::DontCache { RWF_DONTCACHE } else { 0 };
        loop {
            // SAFETY: `buffer` is `operation.length` bytes inside the arena, which `self` keeps mapped, and no Rust
            // reference to them exists while a backend holds the arena.
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
}

/// The system call of an operation: what it returns, with `errno` behind a -1.
///
/// # Safety
/// `buffer` is `operation.length` bytes that stay mapped, and that nothing else in this program refers to, for the
/// time of the call.
#[inline]
unsafe fn call(fd: RawFd, operation: &BlockOp, buffer: *mut u8, flags: i32) -> isize {
    let buffer = buffer.cast();
    let length = operation.length as usize;
    let offset = operation.offset as libc::off_t;
    let vector = libc::iovec { iov_base: buffer, iov_len: length };
    // SAFETY: the caller vouches for the buffer, and `vector` is one element that lives through the call. A file
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
            BlockKind::DataSync => libc::fdatasync(fd) as isize,
            BlockKind::FullSync => libc::fsync(fd) as isize,
        }
    }
}

impl Backend for Psync {
    type Op = BlockOp;

    #[inline]
    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        let taken = operations.len().min(self.in_flight_max - self.queue.len());
        self.queue.extend(&operations[..taken]);
        Ok(taken)
    }

    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        if self.queue.is_empty() {
            return wait_idle(self.clock, at_least, deadline);
        }
        if self.queue.len() == 1 && !self.has_leftovers {
            // Submitted just now and complete when this call returns: the driver's own stamps say that, for one clock
            // read instead of three.
            if let Some(operation) = self.queue.pop_front() {
                out.push(Completion { id: operation.id, result: self.perform(&operation)?, stamps: None });
                self.system_calls += 1;
            }
            return Ok(());
        }
        let before = out.len();
        let enough = before + at_least;
        let mut began = self.clock.now();
        while let Some(operation) = self.queue.pop_front() {
            let result = self.perform(&operation)?;
            let ended = self.clock.now();
            out.push(Completion { id: operation.id, result, stamps: Some(Stamps { began, ended }) });
            began = ended;
            // The workload may have more to emit by now; what is queued is performed at the next call.
            if out.len() >= enough && deadline.is_some_and(|deadline| ended >= deadline) {
                break;
            }
        }
        self.system_calls += (out.len() - before) as u64;
        self.has_leftovers = !self.queue.is_empty();
        Ok(())
    }

    fn system_calls(&self) -> u64 {
        self.system_calls
    }
}
