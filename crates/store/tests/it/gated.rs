//! A simulated disk on which what makes the log durable waits at a gate.

use model::IoMode;
use std::any::Any;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};
use store::storage::simulated::Disk;
use store::storage::{Access, Durable, Storage, StorageFile};

/// Far longer than what is waited for takes, so that a test that is wrong fails and does not hang.
const PATIENCE: Duration = Duration::from_mins(5);

/// Waits until something holds, for a while: whether it does.
pub(crate) fn until(holds: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while !holds() && began.elapsed() < PATIENCE {
        thread::yield_now();
    }
    holds()
}

/// A disk on which a sync, or a write that is durable at once, waits at the gate before it begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gated {
    pub(crate) disk: Disk,
    pub(crate) gate: Arc<Gate>,
    /// The names of the threads that removed sorted runs.
    pub(crate) removers: Arc<Mutex<Vec<Option<String>>>>,
}

#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Operations that are held when they come; `usize::MAX` for all.
    holds: usize,
    /// Operations that are held now.
    held: usize,
    /// Times that the gate was opened.
    openings: u64,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Holds everything that comes.
    pub(crate) fn close(&self) {
        self.state().holds = usize::MAX;
    }

    /// Holds the next operation, and lets those behind it pass.
    pub(crate) fn hold_one(&self) {
        self.state().holds = 1;
    }

    /// Operations that wait at the gate.
    pub(crate) fn held(&self) -> usize {
        self.state().held
    }

    pub(crate) fn open(&self) {
        let mut state = self.state();
        (state.holds, state.held) = (0, 0);
        state.openings += 1;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let mut state = self.state();
        if state.holds == 0 {
            return;
        }
        if state.holds < usize::MAX {
            state.holds -= 1;
        }
        state.held += 1;
        let before = state.openings;
        drop(self.opened.wait_while(state, |state| state.openings == before).unwrap());
    }
}

#[derive(Debug)]
struct File {
    file: Arc<dyn StorageFile>,
    gate: Arc<Gate>,
}

impl StorageFile for File {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_at(into, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64, durable: Durable) -> io::Result<()> {
        if durable == Durable::Now {
            self.gate.pass();
        }
        self.file.write_at(bytes, offset, durable)
    }

    fn sync(&self) -> io::Result<()> {
        self.gate.pass();
        self.file.sync()
    }

    fn bytes(&self) -> io::Result<u64> {
        self.file.bytes()
    }
}

impl Storage for Gated {
    fn create(&self, name: &str, io: IoMode) -> io::Result<Arc<dyn StorageFile>> {
        Ok(Arc::new(File { file: self.disk.create(name, io)?, gate: Arc::clone(&self.gate) }))
    }

    fn open(&self, name: &str, io: IoMode, access: Access) -> io::Result<Arc<dyn StorageFile>> {
        Ok(Arc::new(File { file: self.disk.open(name, io, access)?, gate: Arc::clone(&self.gate) }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)?;
        if name.contains(".run") {
            self.removers.lock().unwrap().push(thread::current().name().map(str::to_owned));
        }
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.disk.names()
    }

    fn sync_names(&self) -> io::Result<()> {
        self.disk.sync_names()
    }

    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        self.disk.lock(name)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.disk.path(name)
    }

    fn check(&self, name: &str, io: IoMode) -> Result<(), String> {
        self.disk.check(name, io)
    }
}
