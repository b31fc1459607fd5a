//! Messages by MPI: all of MPI that Syncline uses.
//!
//! - **Errors of MPI end the launch.** The bindings discard the codes that MPI returns and continue with values that a
//!   failed call has not set, so `MPI_ERRORS_RETURN` would turn an error into undefined behaviour. MPI's default
//!   handler prints the error and ends every rank.
//! - **No call blocks without a deadline.** Requests are tested in a loop. One that is not complete in time cannot be
//!   taken back, because MPI may still use its buffer: the launch ends by `MPI_Abort`, after a line that names the
//!   rank. Two calls are the launcher's to end: `MPI_Init` waits until it has started every rank, and `MPI_Finalize`
//!   until all have come to it, so ranks meet before their end.
//! - **Only one thread calls MPI** (`MPI_THREAD_FUNNELED`): the one that made [`Mpi`], which is therefore not `Send`.
//! - **A panic ends the launch.** `MPI_Finalize` would wait for the other ranks.

use crate::lost::Lost;
use crate::transport::{Channel, ROOT, Transport};
use ::mpi::environment::Universe;
use ::mpi::request::scope;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Source};
use ::mpi::{Tag, Threading};
use model::Nanos;
use rustix::time::{ClockId, clock_gettime};
use std::mem;
use std::thread;
use std::time::Duration;

/// Between two looks, at first. Ranks leave a release within about this time of each other.
const POLL: Duration = Duration::from_micros(50);
/// Between two looks at last: each wait is twice as long as the one before, because ranks that wait take CPU time from
/// those that measure on the same machine.
const POLL_MAX: Duration = Duration::from_millis(1);
/// The exit code of a launch that was ended.
const ABORTED: i32 = 1;

/// Prints why the launch ends: called once, right before it does.
pub type LastWords = fn(&Lost);

/// MPI was started before, or the library of this site cannot do what is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotStart {
    /// A process can start MPI once.
    #[error("MPI was started already in this process")]
    Started,
    /// [`Threading::Funneled`] is not available.
    #[error(
        "this MPI library permits no threads (MPI_THREAD_FUNNELED), and Syncline has one that shows its progress"
    )]
    NoThreads,
}

/// The ranks of `MPI_COMM_WORLD`. Dropped, it waits until all of them have come to their end.
pub struct Mpi {
    world: SimpleCommunicator,
    last_words: LastWords,
    /// How long a message that has been announced may take to arrive: MPI sends a long one after its receiver has asked
    /// for it.
    arrival: Duration,
    /// How long it sleeps before it looks for a message again.
    poll: Duration,
    /// Last, because dropping it ends MPI.
    _universe: Universe,
}

impl Mpi {
    /// Starts MPI. A process that no `mpirun` started is rank 0 of 1. A message that has not arrived this long after it
    /// was announced ends the launch.
    ///
    /// # Errors
    /// [`CannotStart`] if MPI was started before or permits no threads.
    pub fn start(last_words: LastWords, arrival: Duration) -> Result<Self, CannotStart> {
        let (universe, threading) =
            ::mpi::initialize_with_threading(Threading::Funneled).ok_or(CannotStart::Started)?;
        if threading < Threading::Funneled {
            return Err(CannotStart::NoThreads);
        }
        Ok(Self { world: universe.world(), last_words, arrival, poll: POLL, _universe: universe })
    }

    /// Ends every rank of the launch, at once.
    pub fn abort(&self) -> ! {
        self.world.abort(ABORTED)
    }

    /// Ends the launch, because this rank did not send or take a message in time.
    fn lose(&self, rank: u32, since: Nanos) -> ! {
        let waited = self.now().since(since).into();
        (self.last_words)(&match rank {
            ROOT => Lost::Root { waited },
            rank => Lost::Missing { ranks: vec![rank], waited },
        });
        self.abort()
    }
}

const fn tag(channel: Channel) -> Tag {
    match channel {
        Channel::Arrival => 1,
        Channel::Decision => 2,
        Channel::Clock => 3,
    }
}

impl Transport for Mpi {
    fn rank(&self) -> u32 {
        self.world.rank().unsigned_abs()
    }

    fn size(&self) -> u32 {
        self.world.size().unsigned_abs()
    }

    fn now(&self) -> Nanos {
        let time = clock_gettime(ClockId::Monotonic);
        Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }

    fn send(&mut self, to: u32, channel: Channel, bytes: &[u8], until: Nanos) {
        let began = self.now();
        let receiver = self.world.process_at_rank(to as i32);
        scope(|scope| {
            let mut request = receiver.immediate_send_with_tag(scope, bytes, tag(channel));
            loop {
                match request.test() {
                    Ok(_) => return,
                    Err(incomplete) => request = incomplete,
                }
                if self.now() >= until {
                    self.lose(to, began);
                }
                thread::sleep(POLL);
            }
        });
    }

    fn take(&mut self, from: u32, channel: Channel) -> Option<Vec<u8>> {
        let sender = self.world.process_at_rank(from as i32);
        let (message, status) = sender.immediate_matched_probe_with_tag(tag(channel))?;
        self.poll = POLL;
        let began = self.now();
        let until = began + Nanos::from(self.arrival);
        let mut bytes = vec![0; status.count(u8::equivalent_datatype()).unsigned_abs() as usize];
        scope(|scope| {
            let mut request = message.immediate_matched_receive_into(scope, &mut bytes[..]);
            while let Err(incomplete) = request.test() {
                request = incomplete;
                if self.now() >= until {
                    self.lose(from, began);
                }
                thread::yield_now();
            }
        });
        Some(bytes)
    }

    fn wait(&mut self, until: Nanos) {
        thread::sleep(self.poll.min(until.since(self.now()).into()));
        self.poll = (self.poll * 2).min(POLL_MAX);
    }

    fn spin(&mut self) {
        thread::yield_now();
    }

    fn release(&mut self, until: Nanos) -> bool {
        let mut request = self.world.immediate_barrier();
        loop {
            match request.test() {
                Ok(_) => return true,
                Err(incomplete) => request = incomplete,
            }
            if self.now() >= until {
                // It has no buffer. Dropped, it would end this process without a word.
                mem::forget(request);
                return false;
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if thread::panicking() {
            self.abort();
        }
    }
}
