//! Threads that write at the same time share the syncs of the log.

use crate::gated::{Gated, until};
use crate::support::{Model, content, key, open, small};
use model::{DurabilityClass, IoMode};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};
use store::{Batch, Commit, LogPacking, LogSync, Options, Store, StoreError, verify_on};

#[test]
fn what_comes_during_a_sync_is_the_next_group() {
    const WRITERS: u8 = 9;
    let storage = Gated::default();
    let mut options = Options { memtable_bytes: 1 << 20, ..small(DurabilityClass::Power) };
    options.log.depth = 1;
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

/// Threads that wait for the log, for its leadership or for room in the memtable end with the failure of the thread
/// that had it.
#[test]
fn whoever_waits_for_a_thread_that_fails_is_told() {
    const WRITERS: u8 = 6;
    let storage = Gated::default();
    let options = Options { memtable_bytes: 900, background_threads: 2, ..small(DurabilityClass::Power) };
    let store = Store::open_on(Arc::new(storage.clone()), &options).unwrap();
    store.put(&key(0), b"first").unwrap();
    storage.gate.close();
    let outcomes = thread::scope(|scope| {
        let store = &store;
        // The first one leads, some wait for it, and then the memtable is full.
        let put = move |writer: u8| store.put(&key(writer), &[7; 80]);
        let first = scope.spawn(move || put(0));
        let leads = until(|| store.statistics().counts.log_groups == 2);
        let writers: Vec<_> = (1..WRITERS).map(|writer| scope.spawn(move || put(writer))).collect();
        let others = [scope.spawn(|| store.sync()), scope.spawn(|| store.drain())];
        let all_wait = leads && until(|| store.statistics().counts.batches >= 5);
        storage.disk.plan(Fault { at: storage.disk.operations(), kind: FaultKind::Stop });
        storage.gate.open();
        assert!(all_wait, "{:?}", store.statistics().counts);
        writers
            .into_iter()
            .chain(others)
            .chain([first])
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(outcomes.len(), usize::from(WRITERS) + 2);
    for outcome in outcomes {
        assert!(matches!(outcome, Err(StoreError::Stopped { .. })), "{outcome:?}");
    }
}

/// Options with which writes of groups overlap.
fn overlapping() -> Options {
    let mut options = Options { memtable_bytes: 1 << 20, ..small(DurabilityClass::Power) };
    (options.log.io, options.log.packing, options.log.sync) =
        (IoMode::Direct, LogPacking::Padded, LogSync::Dsync);
    options.log.depth = 2;
    options
}

/// A store, and what the disk has when a second group is durable and the first one is not: its write waits at the gate.
fn second_before_first(
    storage: &Gated,
    at_the_gate: impl FnOnce(),
) -> (Store, Disk, [Result<(), StoreError>; 2]) {
    let store = Store::open_on(Arc::new(storage.clone()), &overlapping()).unwrap();
    store.put(&key(0), b"before").unwrap();
    storage.gate.hold_one();
    let (disk, outcomes) = thread::scope(|scope| {
        let store = &store;
        let first = scope.spawn(move || store.put(&key(1), b"first"));
        let is_held = until(|| storage.gate.held() == 1);
        let before = storage.disk.operations();
        let second = scope.spawn(move || store.put(&key(2), b"second"));
        let is_written = until(|| storage.disk.operations() > before);
        for _ in 0..1000 {
            thread::yield_now();
        }
        let is_early = second.is_finished() || store.get(&key(2)).unwrap().is_some();
        let disk = storage.disk.duplicate();
        at_the_gate();
        storage.gate.open();
        // Whatever was found, all threads end.
        assert!(is_held && is_written && !is_early, "{is_held} {is_written} {is_early}");
        (disk, [first, second].map(|thread| thread.join().unwrap()))
    });
    (store, disk, outcomes)
}

#[test]
fn a_group_is_acknowledged_after_the_one_before_it() {
    let storage = Gated::default();
    let (store, _, outcomes) = second_before_first(&storage, || ());
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    let expected = [(key(0), b"before".to_vec()), (key(1), b"first".to_vec()), (key(2), b"second".to_vec())];
    let expected = Model::from(expected);
    assert_eq!(content(&store).unwrap(), expected);
    let counts = store.statistics().counts;
    assert_eq!((counts.log_groups, counts.log_syncs), (3, 3));
    drop(store);
    storage.disk.restart(Survival::Synced);
    assert_eq!(content(&open(&storage.disk, &overlapping()).unwrap()).unwrap(), expected);
}

/// The log ends before a group that is not there, although the group behind it is.
#[test]
fn a_group_behind_a_lost_one_is_not_recovered() {
    for survival in [Survival::Everything, Survival::Synced] {
        let (store, disk, _) = second_before_first(&Gated::default(), || ());
        drop(store);
        disk.restart(survival);
        let mut expected = Model::from([(key(0), b"before".to_vec())]);
        // The sequence numbers of the lost groups are used again, by groups of other segments.
        for life in 3..8 {
            let store = open(&disk, &overlapping()).unwrap();
            assert_eq!(content(&store).unwrap(), expected);
            store.put(&key(life), b"later").unwrap();
            expected.insert(key(life), b"later".to_vec());
            drop(store);
            disk.restart(survival);
        }
        open(&disk, &overlapping()).unwrap().close().unwrap();
        let problems = verify_on(Arc::new(disk)).unwrap().problems;
        assert!(problems.is_empty(), "{problems:?}");
    }
}

#[test]
fn a_group_behind_one_that_failed_is_not_acknowledged() {
    let storage = Gated::default();
    let plan = || storage.disk.plan(Fault { at: storage.disk.operations(), kind: FaultKind::InputOutput });
    let (store, _, outcomes) = second_before_first(&storage, plan);
    assert!(
        outcomes.iter().all(|outcome| matches!(outcome, Err(StoreError::Stopped { .. }))),
        "{outcomes:?}"
    );
    assert_eq!(store.get(&key(2)).unwrap(), None);
}

fn put_async<'a>(store: &'a Store, number: u8, value: &[u8]) -> Commit<'a> {
    let mut batch = Batch::new();
    batch.put(&key(number), value).unwrap();
    store.write_async(&batch).unwrap()
}

#[test]
fn one_thread_has_many_writes_in_one_group() {
    let disk = Disk::new();
    let options = Options { memtable_bytes: 1 << 20, ..small(DurabilityClass::Power) };
    let store = open(&disk, &options).unwrap();
    let commits: Vec<_> = (0..64).map(|number| put_async(&store, number, b"value")).collect();
    assert!(commits.iter().all(|commit| !commit.is_done()));
    assert_eq!(store.get(&key(3)).unwrap(), None, "it is not seen before it is durable");
    let mut commits = commits.into_iter().rev();
    commits.next().unwrap().wait().unwrap();
    assert!(commits.all(|commit| commit.is_done()));
    let counts = store.statistics().counts;
    assert_eq!((counts.batches, counts.log_groups, counts.log_syncs), (64, 1, 1));
    assert_eq!(content(&store).unwrap().len(), 64);
    drop(store);
    disk.restart(Survival::Synced);
    assert_eq!(content(&open(&disk, &options).unwrap()).unwrap().len(), 64);
}

/// A `Commit` that is dropped neither loses its write nor holds up another one, whatever comes next.
#[test]
fn what_nobody_waits_for_is_written_with_what_comes_next() {
    type Next = (&'static str, fn(&Store));
    let next: [Next; 4] = [
        ("put", |store| store.put(&key(1), b"next").unwrap()),
        ("wait", |store| put_async(store, 1, b"next").wait().unwrap()),
        ("sync", |store| store.sync().unwrap()),
        ("drain", |store| store.drain().unwrap()),
    ];
    for background_threads in [0, 1] {
        for (name, next) in next {
            let disk = Disk::new();
            let options = Options { background_threads, ..small(DurabilityClass::Power) };
            let store = open(&disk, &options).unwrap();
            drop(put_async(&store, 0, b"dropped"));
            next(&store);
            assert_eq!(store.get(&key(0)).unwrap().as_deref(), Some(&b"dropped"[..]), "{name}");
            drop(store);
            disk.restart(Survival::Synced);
            let found = content(&open(&disk, &options).unwrap()).unwrap();
            assert_eq!(found[&key(0)], b"dropped", "{name}");
        }
    }
}

/// More writes than fit into the memtables and into the window of writes under way: the writer makes its own room.
#[test]
fn a_thread_that_never_waits_goes_on() {
    for (background_threads, memtable_bytes) in [(0, 4 << 10), (2, 4 << 10), (2, 1 << 20)] {
        for durability in [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power] {
            let disk = Disk::new();
            let options = Options { background_threads, memtable_bytes, ..small(durability) };
            let store = open(&disk, &options).unwrap();
            for number in 0..10_000_u32 {
                drop(put_async(&store, (number % 100) as u8, &number.to_be_bytes()));
            }
            put_async(&store, 100, b"last").wait().unwrap();
            let found = content(&store).unwrap();
            assert_eq!(found[&key(99)], 9_999_u32.to_be_bytes());
            store.close().unwrap();
            assert_eq!(content(&open(&disk, &options).unwrap()).unwrap(), found);
        }
    }
}

#[test]
fn a_write_or_sync_that_fails_fails_every_write_of_its_group_and_stops_the_store() {
    for after in [0, 1] {
        let disk = Disk::new();
        let options = Options { memtable_bytes: 1 << 20, ..small(DurabilityClass::Power) };
        let store = open(&disk, &options).unwrap();
        store.put(&key(0), b"before").unwrap();
        let commits: Vec<_> = (1..20).map(|number| put_async(&store, number, b"lost")).collect();
        disk.plan(Fault { at: disk.operations() + after, kind: FaultKind::InputOutput });
        for commit in commits {
            assert!(matches!(commit.wait(), Err(StoreError::Stopped { .. })));
        }
        let mut batch = Batch::new();
        batch.put(&key(1), b"later").unwrap();
        assert!(matches!(store.write_async(&batch), Err(StoreError::Stopped { .. })));
        assert_eq!(content(&store).unwrap(), Model::from([(key(0), b"before".to_vec())]));
    }
}

/// A task that waits while a thread leads is woken, and then leads for those that came after it.
#[test]
fn a_task_is_woken_when_it_is_its_turn() {
    let storage = Gated::default();
    let mut options = Options { memtable_bytes: 1 << 20, ..small(DurabilityClass::Power) };
    options.log.depth = 1;
    let store = Store::open_on(Arc::new(storage.clone()), &options).unwrap();
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    storage.gate.hold_one();
    let later = thread::scope(|scope| {
        let first = scope.spawn(|| store.put(&key(0), b"first").unwrap());
        let is_held = until(|| storage.gate.held() == 1);
        let later = put_async(&store, 2, b"later");
        let mut task = pin!(put_async(&store, 1, b"task"));
        // Nothing is lost with a task that is given up.
        let is_early = pin!(put_async(&store, 3, b"given up")).poll(&mut context).is_ready()
            || task.as_mut().poll(&mut context).is_ready();
        let was_woken = woken.0.load(Ordering::SeqCst);
        storage.gate.open();
        first.join().unwrap();
        let is_woken = until(|| woken.0.load(Ordering::SeqCst));
        assert!(
            is_held && !is_early && !was_woken && is_woken,
            "{is_held} {is_early} {was_woken} {is_woken}"
        );
        assert!(matches!(task.as_mut().poll(&mut context), Poll::Ready(Ok(()))));
        later
    });
    assert!(later.is_done());
    assert_eq!(store.statistics().counts.log_groups, 2);
    assert_eq!(content(&store).unwrap().len(), 4);
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}
