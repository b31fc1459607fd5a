//! `io_uring`: operations are queued, one system call submits them all and waits.

mod addressing;

use super::contract::{BlockBackend, Setup, invalid, require_system_call_modes};
use addressing::{Addressing, Registered, register_arena};
use driver::wait::{make_timers_exact, wait_idle};
use driver::{Backend, Clock, MonotonicClock};
use io_uring::IoUring;
use io_uring::types::{SubmitArgs, Timespec};
use model::{BlockOp, Completion, IoMode, Nanos};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::time::Duration;

const ENTRIES_MAX: usize = 32_768;
/// With direct I/O at most this part of the depth is reaped at once: while a batch is handled and submitted again the
/// device's queue runs dry by as much. (At depth 32 on a virtio disk, batches of 11 gave a fifth fewer operations than
/// batches of 4.) Behind the page cache there is no queue, and large batches save system calls.
const DIRECT_REAP_PART: usize = 8;

/// A ring, with registered files and, if `RLIMIT_MEMLOCK` permits, registered buffers if the setup asks for them.
///
/// The ring belongs to the thread that made it (`IORING_SETUP_SINGLE_ISSUER`). Dropping it waits for everything in
/// flight: until then the kernel may write into the arena.
pub struct Uring {
    ring: ManuallyDrop<IoUring>,
    addressing: ManuallyDrop<Addressing>,
    clock: MonotonicClock,
    in_flight: usize,
    in_flight_max: usize,
    /// Most completions that one reap takes, beyond those that the caller requests.
    reap_max: usize,
    system_calls: u64,
    notes: Vec<String>,
    one_thread: PhantomData<*const ()>,
}

impl BlockBackend for Uring {
    fn supported() -> io::Result<()> {
        ring(2).map(drop).map_err(|error| explain(&error))
    }

    fn build(setup: &Setup) -> io::Result<Self> {
        make_timers_exact()?;
        require_system_call_modes(&setup.files, "uring")?;
        if setup.in_flight_max > ENTRIES_MAX {
            let text =
                format!("io_uring holds {ENTRIES_MAX} operations in flight, not {}", setup.in_flight_max);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let ring = ring(setup.in_flight_max.max(1) as u32).map_err(|error| explain(&error))?;
        let mut notes = Vec::new();
        let registered =
            if setup.registered { register(&ring, setup, &mut notes)? } else { Registered::NOTHING };
        let addressing = Addressing::new(setup, registered);
        Ok(Self {
            ring: ManuallyDrop::new(ring),
            addressing: ManuallyDrop::new(addressing),
            clock: setup.clock,
            in_flight: 0,
            in_flight_max: setup.in_flight_max,
            reap_max: reap_max(setup),
            system_calls: 0,
            notes,
            one_thread: PhantomData,
        })
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Registers the files, and the buffers if they may be locked.
fn register(ring: &IoUring, setup: &Setup, notes: &mut Vec<String>) -> io::Result<Registered> {
    let fds: Vec<_> = setup.files.iter().map(|open| open.file.as_raw_fd()).collect();
    if !fds.is_empty() {
        ring.submitter().register_files(&fds)?;
    }
    let buffers = match register_arena(ring, &setup.arena) {
        Ok(()) => true,
        Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => {
            notes.push(format!(
                "io_uring: {} bytes of buffers could not be registered (RLIMIT_MEMLOCK, see ulimit -l): \
                 the kernel pins pages on every direct operation",
                setup.arena.len()
            ));
            false
        }
        Err(error) => return Err(error),
    };
    Ok(Registered { files: true, buffers })
}

/// Completions are run by the submitting thread inside its own calls, so no interrupt or second thread disturbs it. The
/// ring tells when there are some, so a call that waits for none runs them too (`IORING_SQ_TASKRUN`).
fn ring(entries: u32) -> io::Result<IoUring> {
    IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_coop_taskrun()
        .setup_taskrun_flag()
        .setup_submit_all()
        .build(entries)
}

/// Why there is no ring, and what can be done.
fn explain(error: &io::Error) -> io::Error {
    let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    let reason = match (error.raw_os_error(), disabled.trim()) {
        (Some(libc::ENOSYS), _) => "this kernel has no io_uring, or seccomp hides it",
        (Some(libc::EPERM), "1") => {
            "sysctl kernel.io_uring_disabled = 1 allows it only for root and the group of kernel.io_uring_group"
        }
        (Some(libc::EPERM), "2") => "sysctl kernel.io_uring_disabled = 2 forbids it",
        (Some(libc::EPERM | libc::EACCES), _) => {
            "seccomp or a security module forbids it (a container, usually)"
        }
        (Some(libc::EINVAL), _) => "it needs Linux 6.1 (SINGLE_ISSUER and DEFER_TASKRUN)",
        (Some(libc::ENOMEM), _) => "no memory for the ring: raise RLIMIT_MEMLOCK (ulimit -l)",
        _ => "the ring could not be set up",
    };
    io::Error::new(io::ErrorKind::Unsupported, format!("io_uring: {reason} ({error}); use ioengine = psync"))
}

/// How many completions are taken at once.
fn reap_max(setup: &Setup) -> usize {
    let is_direct = setup.files.iter().any(|open| open.mode == IoMode::Direct);
    if is_direct { (setup.in_flight_max / DIRECT_REAP_PART).max(1) } else { setup.in_flight_max.max(1) }
}

impl Uring {
    /// Submits what is queued and waits for `want` completions or for `timeout`. Returns whether time was up.
    #[inline]
    fn enter(&mut self, want: usize, timeout: Option<Nanos>) -> io::Result<bool> {
        self.system_calls += 1;
        let entered = match timeout {
            None => self.ring.submitter().submit_and_wait(want),
            Some(timeout) => {
                let timespec = Timespec::from(Duration::from(timeout));
                self.ring.submitter().submit_with_args(want, &SubmitArgs::new().timespec(&timespec))
            }
        };
        match entered {
            Ok(_) => Ok(false),
            Err(error) => match error.raw_os_error() {
                Some(libc::ETIME) => Ok(true),
                // A signal, or no room for completions or requests until some have been reaped: the caller reaps.
                Some(libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(false),
                _ => Err(error),
            },
        }
    }

    #[inline]
    fn drain(&mut self, out: &mut Vec<Completion>) {
        let before = out.len();
        let completions = self.ring.completion();
        out.extend(completions.take(self.reap_max).map(|entry| Completion {
            id: entry.user_data() as u32,
            result: entry.result(),
            stamps: None,
        }));
        self.in_flight -= out.len() - before;
    }
}

impl Backend for Uring {
    type Op = BlockOp;

    #[inline]
    fn submit(&mut self, operations: &[BlockOp]) -> io::Result<usize> {
        let room = operations.len().min(self.in_flight_max - self.in_flight);
        let mut queue = self.ring.submission();
        for (taken, operation) in operations[..room].iter().enumerate() {
            let Some(entry) = self.addressing.entry(operation) else {
                return Err(invalid(operation));
            };
            // SAFETY: the entry's memory is inside the arena, and its file is in the registered table; both are held
            // until nothing is in flight any more (`drop`), and no Rust reference to the memory can exist meanwhile.
            if unsafe { queue.push(&entry) }.is_err() {
                return Ok(taken);
            }
            self.in_flight += 1;
        }
        Ok(room)
    }

    #[inline]
    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        if self.in_flight == 0 {
            return wait_idle(self.clock, at_least, deadline);
        }
        let enough = out.len() + at_least.min(self.in_flight);
        loop {
            let waiting = deadline.filter(|_| at_least > 0);
            let timeout = waiting.map(|deadline| deadline.since(self.clock.now()));
            let time_is_up = self.enter(enough.saturating_sub(out.len()), timeout)?;
            self.drain(out);
            if time_is_up || out.len() >= enough {
                return Ok(());
            }
        }
    }

    fn system_calls(&self) -> u64 {
        self.system_calls
    }
}

impl fmt::Debug for Uring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uring")
            .field("addressing", &*self.addressing)
            .field("in_flight", &self.in_flight)
            .field("in_flight_max", &self.in_flight_max)
            .finish_non_exhaustive()
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        while self.in_flight > 0 {
            if self.enter(1, None).is_err() {
                // The kernel may still write into the arena: it is never unmapped, nor the ring closed.
                return;
            }
            let completed = self.ring.completion().count();
            self.in_flight -= completed;
        }
        // SAFETY: dropped once, here, and not used again. Nothing is in flight, so no one writes to the arena.
        unsafe {
            ManuallyDrop::drop(&mut self.ring);
            ManuallyDrop::drop(&mut self.addressing);
        }
    }
}
