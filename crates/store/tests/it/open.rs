//! Opening: locks, options that do not fit, formats, limits.

use crate::support::{key, open, small};
use model::{DurabilityClass, IoMode};
use store::storage::simulated::{Disk, Fault, FaultKind};
use store::{Options, Store, StoreError, verify};

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
