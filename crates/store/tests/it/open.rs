//! Opening: locks, options that do not fit, formats, limits.

use crate::support::{Model, content, key, open, small, value};
use model::{DurabilityClass, IoMode};
use std::sync::Arc;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};
use store::{Options, Store, StoreError, verify, verify_on};

fn buffered() -> Options {
    let mut options = small(DurabilityClass::Power);
    (options.log.io, options.data.io) = (IoMode::Buffered, IoMode::Buffered);
    options
}

#[test]
fn a_second_handle_is_kept_out_until_the_first_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new");
    let store = Store::open(&path, &buffered()).unwrap();
    assert!(matches!(Store::open(&path, &buffered()), Err(StoreError::Locked { .. })));
    assert!(matches!(verify(&path), Err(StoreError::Locked { .. })));
    store.close().unwrap();
    Store::open(&path, &buffered()).unwrap();
}

#[test]
fn options_that_do_not_fit_are_named() {
    let disk = Disk::new();
    let options = small(DurabilityClass::Power);
    open(&disk, &options).unwrap().close().unwrap();
    let other = Options { partitions: 5, ..options };
    match open(&disk, &other) {
        Err(StoreError::Options { option, .. }) => assert_eq!(option, "partitions"),
        other => panic!("{other:?}"),
    }
    // In memory nothing is direct.
    if let Ok(directory) = tempfile::tempdir_in("/dev/shm") {
        match Store::open(directory.path(), &small(DurabilityClass::Power)) {
            Err(StoreError::Options { option, .. }) => assert_eq!(option, "data.io"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_directory_of_something_else_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let mine = directory.path().join("notes.txt");
    std::fs::write(&mine, "mine").unwrap();
    Store::open(directory.path(), &buffered()).unwrap().close().unwrap();
    assert_eq!(std::fs::read(&mine).unwrap(), b"mine");
    assert_eq!(verify(directory.path()).unwrap().unknown_files, ["notes.txt"]);
    assert!(verify(&directory.path().join("absent")).is_err());
    let empty = tempfile::tempdir().unwrap();
    assert!(verify(empty.path()).is_err(), "no store there");
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0);
}

#[test]
fn after_a_failure_reads_continue_and_writes_do_not() {
    let disk = Disk::new();
    let store = open(&disk, &small(DurabilityClass::Power)).unwrap();
    store.put(&key(1), b"one").unwrap();
    disk.plan(Fault { at: disk.operations(), kind: FaultKind::InputOutput });
    assert!(matches!(store.put(&key(1), b"two"), Err(StoreError::Stopped { .. })));
    assert_eq!(store.get(&key(1)).unwrap(), Some(b"one".to_vec()));
    for refused in [store.put(&key(2), b"x"), store.sync(), store.drain()] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("cannot write") && error.contains(".log"), "{error}");
    }
}

#[test]
fn an_empty_batch_and_the_longest_key_are_taken() {
    let store = open(&Disk::new(), &small(DurabilityClass::Process)).unwrap();
    store.write(&store::Batch::new()).unwrap();
    let longest = vec![7; store::KEY_BYTES_MAX];
    store.put(&longest, b"value").unwrap();
    store.drain().unwrap();
    assert_eq!(store.get(&longest).unwrap(), Some(b"value".to_vec()));
    assert!(matches!(store.put(b"", b""), Err(StoreError::KeyBytes { bytes: 0 })));
}

/// An open reads what the log has and flushes it later. Until then the log stays, also over further crashes.
#[test]
fn what_is_recovered_is_flushed_later_and_survives_further_crashes() {
    let disk = Disk::new();
    let large_memtable = Options { memtable_bytes: 100_000, ..small(DurabilityClass::Power) };
    let mut map = Model::new();
    for life in 0..4_u8 {
        let store = open(&disk, &large_memtable).unwrap();
        for number in 0..6 {
            // Each life replaces a key of the life before, and its values are large now and then.
            let (key, value) = (key(4 * life + number), value(u16::from(life) * 7 + u16::from(number)));
            store.put(&key, &value).unwrap();
            map.insert(key, value);
        }
        assert_eq!(content(&store).unwrap(), map);
        drop(store);
        disk.restart(Survival::Synced);
    }
    let store = open(&disk, &Options { memtable_bytes: 200, ..large_memtable }).unwrap();
    let statistics = store.statistics();
    assert!(statistics.memtables > 3, "{statistics:?}");
    assert_eq!((statistics.counts.flushes, statistics.runs), (0, 0));
    assert_eq!(content(&store).unwrap(), map);
    store.drain().unwrap();
    assert_eq!(store.statistics().memtables, 1);
    assert_eq!(content(&store).unwrap(), map);
    let segments = disk.listing().iter().filter(|(name, _)| name.contains(".log")).count();
    assert!(segments <= 5, "the current one, and spare ones: {:?}", disk.listing());
    store.close().unwrap();
    assert!(verify_on(Arc::new(disk)).unwrap().problems.is_empty());
}

/// Memory is what is bounded: entries that are all overhead fill a memtable too.
#[test]
fn small_entries_fill_a_memtable_with_the_memory_that_they_take() {
    let options = Options { memtable_bytes: 5_000, ..small(DurabilityClass::None) };
    let store = open(&Disk::new(), &options).unwrap();
    for number in 0..200_u8 {
        store.put(&[number], b"").unwrap();
    }
    let statistics = store.statistics();
    assert_eq!((statistics.counts.flushes, statistics.memtables), (1, 1), "{statistics:?}");
    assert!((1..5_000).contains(&statistics.memtable_bytes), "{statistics:?}");
}
