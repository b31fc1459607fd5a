//! Threads that write at the same time share the syncs of the log.

use crate::gated::{Gated, until};
use crate::support::{Model, content, key, open, small};
use model::{DurabilityClass, IoMode};
use std::sync::Arc;
use std::thread;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};
use store::{LogPacking, LogSync, Options, Store, StoreError, verify_on};

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
