//! Opening for reading only: nothing is written, whatever the store was in the middle of.

use crate::support::{Model, Step, content, history, key, small};
use model::{DurabilityClass, IoMode};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use store::storage::simulated::{Disk, Fault, FaultKind, Survival};
use store::{Options, Store, StoreError, verify};

/// Below the crate's own directory: direct I/O needs a disk.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Names, contents, and the time of the directory's last change.
fn state(path: &Path) -> (BTreeMap<String, Vec<u8>>, std::time::SystemTime) {
    let files = fs::read_dir(path).unwrap().map(|entry| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    });
    (files.collect(), fs::metadata(path).unwrap().modified().unwrap())
}

fn fill(path: &Path, options: &Options) -> Model {
    let mut model = Model::new();
    let store = Store::open(path, options).unwrap();
    for step in history(3, 60, 20) {
        step.perform(&store).unwrap();
        step.apply(&mut model);
    }
    let last = Step::Write(vec![(1, Some(7)), (2, None)]);
    last.perform(&store).unwrap();
    last.apply(&mut model);
    model
}

#[test]
fn the_log_is_read_and_nothing_is_written() {
    for (data, log) in [
        (IoMode::Buffered, IoMode::Buffered),
        (IoMode::Direct, IoMode::Direct),
        (IoMode::DontCache, IoMode::DontCache),
        (IoMode::Mmap, IoMode::Mmap),
    ] {
        let directory = directory();
        let mut options = small(DurabilityClass::Process);
        (options.log.io, options.data.io) = (log, data);
        if let Err(StoreError::Options { option, reason }) = Store::open(directory.path(), &options) {
            skip::because(format_args!("{option}: {reason}"));
            continue;
        }
        let model = fill(directory.path(), &options);
        fs::write(directory.path().join("000000000099.run"), "an interrupted flush").unwrap();
        let before = state(directory.path());
        let store = Store::open_read_only(directory.path(), &options).unwrap();
        assert_eq!(content(&store).unwrap(), model);
        assert_eq!(store.snapshot().get(&key(2)).unwrap(), None);
        for refused in [store.put(b"a", b"b"), store.delete(b"a"), store.sync(), store.drain()] {
            assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
        }
        // Readers share the store and keep out what writes.
        let other = Store::open_read_only(directory.path(), &options).unwrap();
        assert!(verify(directory.path()).unwrap().problems.is_empty());
        assert!(matches!(Store::open(directory.path(), &options), Err(StoreError::Locked { .. })));
        drop(other);
        store.close().unwrap();
        assert_eq!(state(directory.path()), before, "{data:?}");
        let writer = Store::open(directory.path(), &options).unwrap();
        assert!(matches!(Store::open_read_only(directory.path(), &options), Err(StoreError::Locked { .. })));
        drop(writer);
        fs::remove_file(directory.path().join("LOCK")).unwrap();
        let store = Store::open_read_only(directory.path(), &options).unwrap();
        assert_eq!(content(&store).unwrap(), model);
        assert!(!directory.path().join("LOCK").exists());
    }
}

#[test]
fn there_must_be_a_store() {
    let directory = directory();
    let options = small(DurabilityClass::Power);
    for path in [directory.path().to_owned(), directory.path().join("absent")] {
        match Store::open_read_only(&path, &options) {
            Err(StoreError::Io { source, .. }) => assert_eq!(source.kind(), std::io::ErrorKind::NotFound),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// Whatever operation found the disk full: what was acknowledged can be read while it is.
#[test]
fn a_store_on_a_full_disk_can_be_read() {
    let options = small(DurabilityClass::Power);
    let steps = history(17, 40, 12);
    // The state that was acknowledged last, and the one that the next step would have made.
    let run = |disk: &Disk| {
        let (mut model, mut next) = (Model::new(), Model::new());
        let Ok(store) = Store::open_on(Arc::new(disk.clone()), &options) else { return [model, next] };
        for step in &steps {
            step.apply(&mut next);
            if step.perform(&store).is_err() {
                break;
            }
            model.clone_from(&next);
        }
        [model, next]
    };
    let whole = Disk::new();
    run(&whole);
    for at in 0..whole.operations() {
        let disk = Disk::new();
        disk.plan(Fault { at, kind: FaultKind::NoSpace });
        let possible = run(&disk);
        if disk.listing().iter().all(|(name, _)| name != "MANIFEST") {
            continue;
        }
        let operations = disk.operations();
        let store = Store::open_read_only_on(Arc::new(disk.clone()), &options).unwrap();
        assert!(possible.contains(&content(&store).unwrap()), "full at {at}");
        assert_eq!(disk.operations(), operations, "nothing was written");
        drop(store);
        disk.restart(Survival::Everything);
        Store::open_on(Arc::new(disk), &options).unwrap();
    }
}
