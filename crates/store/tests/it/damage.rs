//! Flipped bits: each is detected and named, or changes nothing.

use crate::support::{content, history, key, open, small, value};
use model::DurabilityClass;
use std::path::Path;
use std::sync::Arc;
use store::storage::simulated::{Disk, Survival};
use store::{StoreError, verify_on};

fn names(error: &StoreError, name: &str) -> bool {
    match error {
        StoreError::Damaged { path, .. } | StoreError::Format { path, .. } => {
            path.file_name() == Path::new(name).file_name()
        }
        _ => false,
    }
}

#[test]
fn a_flipped_bit_anywhere_in_a_closed_store_is_named_or_in_padding() {
    let options = small(DurabilityClass::Power);
    let disk = Disk::new();
    let store = open(&disk, &options).unwrap();
    for step in history(2, 60, 30) {
        step.perform(&store).unwrap();
    }
    let before = content(&store).unwrap();
    store.close().unwrap();
    let mut detected = 0;
    for (name, bytes) in disk.listing() {
        if name == "LOCK" || name.contains(".log") {
            continue;
        }
        for byte in (0..bytes).step_by(37) {
            let copy = disk.duplicate();
            copy.flip(&name, byte, (byte % 8) as u8);
            let problems = match verify_on(Arc::new(copy.clone())) {
                Ok(verification) => verification.problems,
                Err(error) => vec![error],
            };
            if problems.is_empty() {
                // Zeroes up to the next block: nobody reads them.
                let store = open(&copy, &options).unwrap();
                assert_eq!(content(&store).unwrap(), before, "{name}, byte {byte}");
            } else {
                detected += 1;
                assert!(problems.iter().any(|problem| names(problem, &name)), "{name}: {problems:?}");
                // A read fails or is right; it is never wrong.
                if let Ok(store) = open(&copy, &options)
                    && let Ok(found) = content(&store)
                {
                    assert_eq!(found, before, "{name}, byte {byte}");
                }
            }
        }
    }
    assert!(detected > 100, "{detected}");
}

#[test]
fn a_flipped_bit_in_the_log_is_named_unless_it_is_in_the_last_group() {
    let mut options = small(DurabilityClass::Power);
    options.memtable_bytes = 1 << 20;
    let disk = Disk::new();
    let store = open(&disk, &options).unwrap();
    for number in 0..40 {
        store.put(&key(number), &value(u16::from(number) * 16 + 5)).unwrap();
    }
    drop(store);
    disk.restart(Survival::Synced);
    let (log, _) = disk.listing().into_iter().find(|(name, _)| name.contains(".log")).unwrap();
    // Each record has 24 bytes before the payload of 36 and 4 bytes of padding.
    let (begin, record) = (4096, 24 + 40);
    for byte in (0..begin + 39 * record).step_by(11) {
        let copy = disk.duplicate();
        copy.flip(&log, byte, 3);
        let error = open(&copy, &options).map(drop).expect_err("a damaged log is not opened");
        assert!(names(&error, &log), "byte {byte}: {error}");
    }
    let copy = disk.duplicate();
    copy.flip(&log, begin + 39 * record + 30, 3);
    let found = content(&open(&copy, &options).unwrap()).unwrap();
    assert_eq!(found.len(), 39, "as if power had been lost before the last write was acknowledged");
}

#[test]
fn a_missing_file_is_named() {
    let options = small(DurabilityClass::Power);
    let disk = Disk::new();
    let store = open(&disk, &options).unwrap();
    for step in history(2, 60, 30) {
        step.perform(&store).unwrap();
    }
    store.close().unwrap();
    for (name, _) in disk.listing() {
        if name == "LOCK" || name.contains(".log") {
            continue;
        }
        let copy = disk.duplicate();
        store::storage::Storage::remove(&copy, &name).unwrap();
        let verification = verify_on(Arc::new(copy.clone()));
        let is_found = verification.is_err() || !verification.unwrap().problems.is_empty();
        assert!(is_found, "{name}");
    }
}
