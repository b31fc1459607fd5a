//! Large reads and writes, and removals of files, that are in flight while the thread that requested them goes on.
//! Threads perform them, so every storage has them, and they can be of any I/O mode.

use crate::block::AlignedBuffer;
use crate::storage::{Durable, Storage, StorageFile};
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// What a transfer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// A transfer in flight.
#[derive(Debug)]
pub(crate) struct Transfer(Receiver<io::Result<AlignedBuffer>>);

impl Transfer {
    /// Waits until it is complete; returns its memory.
    pub(crate) fn wait(self) -> io::Result<AlignedBuffer> {
        let outcome = self.0.recv();
        outcome.unwrap_or_else(|_| Err(io::Error::other("the thread that performed the transfer panicked")))
    }
}

/// The threads that perform transfers. One is added whenever a transfer would have to wait for another one, up to the
/// most that may be in flight at once.
#[derive(Debug)]
pub(crate) struct Transfers {
    in_flight_max: usize,
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Notified when no removal is left.
    removed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Threads that have no job, and look for one before they sleep.
    idle: usize,
    /// Removals that wait or are under way.
    removals: usize,
    is_stopping: bool,
}

#[derive(Debug)]
enum Job {
    Transfer {
        direction: Direction,
        file: Arc<dyn StorageFile>,
        buffer: AlignedBuffer,
        bytes: usize,
        offset: u64,
        outcome: SyncSender<io::Result<AlignedBuffer>>,
    },
    Removal {
        storage: Arc<dyn Storage>,
        name: String,
    },
}

impl Job {
    fn perform(self, before_its_end: impl FnOnce(), removed: impl FnOnce()) {
        match self {
            Self::Transfer { direction, file, mut buffer, bytes, offset, outcome } => {
                let part = &mut buffer[..bytes];
                let done = match direction {
                    Direction::Read => file.read_at(part, offset),
                    Direction::Write => file.write_at(part, offset, Durable::Later),
                };
                before_its_end();
                // Nobody takes the outcome if the one who started the transfer has failed meanwhile.
                let _ = outcome.send(done.map(|()| buffer));
            }
            Self::Removal { storage, name } => {
                // Best effort: the next open removes what the store does not need.
                let _ = storage.remove(&name);
                before_its_end();
                removed();
            }
        }
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn removed(&self) {
        let mut state = self.state();
        state.removals -= 1;
        if state.removals == 0 {
            self.removed.notify_all();
        }
    }

    fn perform_until_stopped(&self) {
        let mut state = self.state();
        state.idle += 1;
        loop {
            if let Some(job) = state.waiting.pop_front() {
                state.idle -= 1;
                drop(state);
                // The thread is idle before the end is known, so that no other one is added for the next transfer.
                job.perform(|| self.state().idle += 1, || self.removed());
                state = self.state();
            } else if state.is_stopping {
                return;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl Transfers {
    pub(crate) fn new(in_flight_max: usize) -> Self {
        Self { in_flight_max, queue: Arc::default(), threads: Mutex::default() }
    }

    /// Starts to move the first `bytes` of `buffer` from or to `offset` of a file.
    pub(crate) fn start(
        &self,
        direction: Direction,
        file: Arc<dyn StorageFile>,
        buffer: AlignedBuffer,
        bytes: usize,
        offset: u64,
    ) -> Transfer {
        let (sender, receiver) = sync_channel(1);
        self.enqueue(Job::Transfer { direction, file, buffer, bytes, offset, outcome: sender });
        Transfer(receiver)
    }

    /// Starts to remove a file. If that fails, the file stays.
    pub(crate) fn start_removal(&self, storage: Arc<dyn Storage>, name: String) {
        self.queue.state().removals += 1;
        self.enqueue(Job::Removal { storage, name });
    }

    /// Waits until no removal is left.
    pub(crate) fn await_removals(&self) {
        let state = self.queue.state();
        let left = |state: &mut State| state.removals > 0;
        drop(self.queue.removed.wait_while(state, left).unwrap_or_else(PoisonError::into_inner));
    }

    fn enqueue(&self, job: Job) {
        let is_short_of_threads = {
            let mut state = self.queue.state();
            state.waiting.push_back(job);
            state.waiting.len() > state.idle
        };
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_short_of_threads || threads.len() >= self.in_flight_max {
            self.queue.changed.notify_one();
        } else if self.add_thread(&mut threads).is_err() {
            // This thread performs what no other one can.
            let job = self.queue.state().waiting.pop_front();
            if let Some(job) = job {
                job.perform(|| (), || self.queue.removed());
            }
        }
    }

    fn add_thread(&self, threads: &mut Vec<JoinHandle<()>>) -> io::Result<()> {
        let queue = Arc::clone(&self.queue);
        let thread = thread::Builder::new().name("store-transfer".to_owned());
        let thread = thread.spawn(move || queue.perform_until_stopped())?;
        threads.push(thread);
        Ok(())
    }
}

impl Drop for Transfers {
    fn drop(&mut self) {
        self.queue.state().is_stopping = true;
        self.queue.changed.notify_all();
        for thread in self.threads.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // A thread that panicked has printed why.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::storage::Access;
    use crate::storage::simulated::{Disk, Fault, FaultKind};
    use model::IoMode;

    fn filled(byte: u8) -> AlignedBuffer {
        let mut buffer = AlignedBuffer::zeroed(4096);
        buffer.fill(byte);
        buffer
    }

    #[test]
    fn what_is_in_flight_at_once_completes_each_with_its_own_memory() {
        let file = Disk::new().create("a", IoMode::Direct).unwrap();
        let transfers = Transfers::new(3);
        for _ in 0..50 {
            let write = |at: u8| {
                transfers.start(Direction::Write, Arc::clone(&file), filled(at), 4096, u64::from(at) * 4096)
            };
            let writes: Vec<Transfer> = (0..4).map(write).collect();
            for (at, write) in (0..).zip(writes) {
                assert_eq!(write.wait().unwrap()[0], at);
            }
            let read =
                |at: u64| transfers.start(Direction::Read, Arc::clone(&file), filled(9), 4096, at * 4096);
            let reads: Vec<Transfer> = (0..4).map(read).collect();
            for (at, read) in (0..).zip(reads) {
                assert!(read.wait().unwrap().iter().all(|byte| *byte == at));
            }
        }
        let threads = transfers.threads.lock().unwrap().len();
        assert!((1..=3).contains(&threads), "four were started at once: {threads}");
    }

    #[test]
    fn a_failure_is_the_transfers_own() {
        let disk = Disk::new();
        let file = disk.create("a", IoMode::Direct).unwrap();
        let transfers = Transfers::new(1);
        disk.plan(Fault { at: disk.operations(), kind: FaultKind::InputOutput });
        let failed = transfers.start(Direction::Write, Arc::clone(&file), filled(1), 4096, 0).wait();
        assert_eq!(failed.unwrap_err().raw_os_error(), Some(rustix::io::Errno::IO.raw_os_error()));
        transfers.start(Direction::Write, Arc::clone(&file), filled(1), 4096, 0).wait().unwrap();
        // One that nobody waits for is completed before the threads end.
        drop(transfers.start(Direction::Write, Arc::clone(&file), filled(2), 4096, 4096));
        drop(transfers);
        let mut found = [0; 1];
        let file = disk.open("a", IoMode::Direct, Access::Read).unwrap();
        file.read_at(&mut found, 4096).unwrap();
        assert_eq!(found, [2]);
    }

    #[test]
    fn removals_are_complete_when_the_threads_end() {
        let disk = Disk::new();
        for name in ["a", "b", "c"] {
            disk.create(name, IoMode::Direct).unwrap();
        }
        let transfers = Transfers::new(1);
        for name in ["a", "absent", "c"] {
            transfers.start_removal(Arc::new(disk.clone()), name.to_owned());
        }
        drop(transfers);
        assert_eq!(disk.names().unwrap(), ["b"]);
    }
}
