//! Threads that write at the same time share the syncs of the log.

use crate::support::{key, small};
use model::{DurabilityClass, IoMode};
use std::any::Any;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use store::storage::simulated::{Disk, Fault, FaultKind};
use store::storage::{Access, Durable, Storage, StorageFile};
use store::{Options, Store, StoreError};

/// Far longer than what is waited for takes, so that a test that is wrong fails and does not hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// A disk on which a sync waits as long as the gate is closed.
#[derive(Clone, Debug, Default)]
struct Gated {
    disk: Disk,
    gate: Arc<Gate>,
}

#[derive(Debug, Default)]
struct Gate {
    is_closed: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn close(&self) {
        *self.is_closed.lock().unwrap() = true;
    }

    fn open(&self) {
        *self.is_closed.lock().unwrap() = false;
        self.opened.notify_all();
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
        self.file.write_at(bytes, offset, durable)
    }

    fn sync(&self) -> io::Result<()> {
        let closed = self.gate.is_closed.lock().unwrap();
        drop(self.gate.opened.wait_while(closed, |closed| *closed).unwrap());
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
        self.disk.remove(name)
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

    fn check(&self, io: IoMode) -> Result<(), String> {
        self.disk.check(io)
    }
}

/// Waits until something holds, for a while: whether it does.
fn until(holds: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while !holds() && began.elapsed() < PATIENCE {
        thread::yield_now();
    }
    holds()
}

#[test]
fn what_comes_during_a_sync_is_the_next_group() {
    const WRITERS: u8 = 9;
    let storage = Gated::default();
    let options = Options { memtable_bytes: 1 << 20, ..small(DurabilityClass::Power) };
    let store = Store::open_on(Arc::new(storage.clone()), &options).unwrap();
    let counts = || store.statistics().counts;
    storage.gate.close();
    thread::scope(|scope| {
        let store = &store;
        scope.spawn(move || store.put(&key(0), b"first").unwrap());
        // The first write is in its group once that group is counted; then its thread waits at the gate.
        let leads = until(|| counts().log_groups == 1);
        for writer in 1..WRITERS {
            scope.spawn(move || store.put(&key(writer), b"other").unwrap());
        }
        let all_wait = leads && until(|| counts().batches == u64::from(WRITERS));
        let seen = store.get(&key(1)).unwrap();
        // Whatever was found, all threads end.
        storage.gate.open();
        assert!(leads && all_wait, "{:?}", counts());
        assert_eq!(seen, None, "it is not seen before it is durable");
    });
    let counts = counts();
    assert_eq!((counts.batches, counts.log_groups, counts.log_syncs), (u64::from(WRITERS), 2, 2));
    for writer in 1..WRITERS {
        assert_eq!(store.get(&key(writer)).unwrap().as_deref(), Some(&b"other"[..]));
    }
}

/// Threads that wait for the log, for its leadership or for room in the memtable end with the failure of the thread that had it.
#[test]
fn whoever_waits_for_a_thread_that_fails_is_told() {
    const WRITERS: u8 = 6;
    let storage = Gated::default();
    let options = Options { memtable_bytes: 400, background_threads: 2, ..small(DurabilityClass::Power) };
    let store = Store::open_on(Arc::new(storage.clone()), &options).unwrap();
    store.put(&key(0), b"first").unwrap();
    storage.gate.close();
    let outcomes = thread::scope(|scope| {
        let store = &store;
        // The first one leads, some wait for it, and then the memtable is full.
        let put = move |writer: u8| store.put(&key(writer), &[7; 80]);
        let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || put(writer))).collect();
        let others = [scope.spawn(|| store.sync()), scope.spawn(|| store.drain())];
        let all_wait = until(|| store.statistics().counts.batches >= 5);
        storage.disk.plan(Fault { at: storage.disk.operations(), kind: FaultKind::Stop });
        storage.gate.open();
        assert!(all_wait, "{:?}", store.statistics().counts);
        writers.into_iter().chain(others).map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(outcomes.len(), usize::from(WRITERS) + 2);
    for outcome in outcomes {
        assert!(matches!(outcome, Err(StoreError::Stopped { .. })), "{outcome:?}");
    }
}
