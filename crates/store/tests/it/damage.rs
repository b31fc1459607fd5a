//! Flipped bits, cut and missing files: each is detected and named, or changes nothing.

use crate::support::{Model, content, history, key, open, separated, small, value};
use model::DurabilityClass::{self, Power, Process};
use model::IoMode;
use std::path::Path;
use std::sync::Arc;
use store::storage::simulated::{Disk, Survival};
use store::storage::{Access, Storage};
use store::{LogLayout, LogPacking, Options, StoreError, ValueOptions, verify_on};

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
    for values in [ValueOptions::default(), separated()] {
        flip_bits_of_a_closed_store(&Options { values, ..small(Power) });
    }
}

fn flip_bits_of_a_closed_store(options: &Options) {
    let disk = Disk::new();
    let store = open(&disk, options).unwrap();
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
                // Zeroes up to the next block, or a value that is garbage: nobody reads them.
                let store = open(&copy, options).unwrap();
                assert_eq!(content(&store).unwrap(), before, "{name}, byte {byte}");
            } else {
                detected += 1;
                assert!(problems.iter().any(|problem| names(problem, &name)), "{name}: {problems:?}");
                // A read fails or is right; it is never wrong.
                if let Ok(store) = open(&copy, options)
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
    let mut options = small(Power);
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
    for values in [ValueOptions::default(), separated()] {
        remove_each_file(&Options { values, ..small(Power) });
    }
}

fn remove_each_file(options: &Options) {
    let disk = Disk::new();
    let store = open(&disk, options).unwrap();
    for step in history(2, 60, 30) {
        step.perform(&store).unwrap();
    }
    store.close().unwrap();
    for (name, _) in disk.listing() {
        if name == "LOCK" || name.contains(".log") {
            continue;
        }
        let copy = disk.duplicate();
        copy.remove(&name).unwrap();
        let verification = verify_on(Arc::new(copy.clone()));
        let is_found = verification.is_err() || !verification.unwrap().problems.is_empty();
        assert!(is_found, "{name}");
    }
}

/// A log of several segments, of a process that died after 400 writes. With `synced` the last of them were followed by
/// a sync.
fn log_of_several_segments(options: &Options, synced: bool) -> (Disk, Vec<String>) {
    let disk = Disk::new();
    let store = open(&disk, options).unwrap();
    for number in 0..400_u16 {
        store.put(&key((number % 200) as u8), &value(number * 16 + 5)).unwrap();
    }
    if synced {
        store.sync().unwrap();
    }
    drop(store);
    let has_records = |name: &String| {
        let file = disk.open(name, IoMode::Buffered, Access::Read).unwrap();
        let mut bytes = vec![0; 4096];
        file.bytes().unwrap() > 4096
            && file.read_at(&mut bytes, 4096).is_ok()
            && bytes.iter().any(|byte| *byte != 0)
    };
    let logs: Vec<String> =
        disk.listing().into_iter().map(|(name, _)| name).filter(|name| name.contains(".log")).collect();
    let logs: Vec<String> = logs.into_iter().filter(has_records).collect();
    assert!(logs.len() >= 2, "{logs:?}");
    (disk, logs)
}

fn with_log(durability: DurabilityClass, layout: LogLayout) -> Options {
    let mut options = Options { memtable_bytes: 1 << 20, ..small(durability) };
    options.log.layout = layout;
    options
}

/// The error of an open names the file; `None` if it opens and has everything.
fn found(disk: &Disk, options: &Options, whole: &Model) -> Option<StoreError> {
    match open(disk, options) {
        Err(error) => Some(error),
        Ok(store) => {
            assert_eq!(content(&store).unwrap(), *whole, "it opens with less than it had");
            None
        }
    }
}

fn whole(disk: &Disk, options: &Options) -> Model {
    content(&open(&disk.duplicate(), options).unwrap()).unwrap()
}

/// The store once dropped everything behind 44 of 56 flipped bits, without an error.
#[test]
fn a_flipped_bit_in_the_log_of_a_killed_process_is_named_unless_it_is_in_the_last_group() {
    for layout in [LogLayout::Append, LogLayout::Recycled] {
        let options = with_log(Process, layout);
        let (disk, logs) = log_of_several_segments(&options, false);
        disk.restart(Survival::Everything);
        let whole = whole(&disk, &options);
        let last = logs.last().unwrap();
        let mut named = 0;
        for log in &logs {
            let (_, bytes) = disk.listing().into_iter().find(|(name, _)| name == log).unwrap();
            // The last record: 24 bytes before 36 of payload and 4 of padding.
            let end = if log == last { records_end(&disk, log) - 64 } else { bytes };
            for byte in (0..end).step_by(61) {
                let copy = disk.duplicate();
                copy.flip(log, byte, (byte % 8) as u8);
                // Zeroes behind the records of a segment are read by nobody.
                if let Some(error) = found(&copy, &options, &whole) {
                    assert!(
                        matches!(error, StoreError::Damaged { .. }),
                        "{layout:?} {log}, byte {byte}: {error}"
                    );
                    named += 1;
                }
            }
        }
        assert!(named > 300, "{layout:?}: {named}");
    }
}

/// Where the zeroes at the end of a segment begin.
fn records_end(disk: &Disk, log: &str) -> usize {
    let file = disk.open(log, IoMode::Buffered, Access::Read).unwrap();
    let mut bytes = vec![0; file.bytes().unwrap() as usize];
    file.read_at(&mut bytes, 0).unwrap();
    let last = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    (last + 1).next_multiple_of(8)
}

/// To cut the first of three segments lost 3,499 of 9,000 keys of class process that a sync had made durable; to remove
/// or cut the last one was silent in class power too.
#[test]
fn a_cut_or_missing_segment_is_named() {
    for (durability, layout, survival) in [
        (Process, LogLayout::Recycled, Survival::Everything),
        (Process, LogLayout::Append, Survival::Everything),
        (Process, LogLayout::Recycled, Survival::Synced),
        (Power, LogLayout::Recycled, Survival::Synced),
        (Power, LogLayout::Prefilled, Survival::Everything),
        (Power, LogLayout::Append, Survival::Synced),
    ] {
        let options = with_log(durability, layout);
        let (disk, logs) = log_of_several_segments(&options, durability == Process);
        disk.restart(survival);
        let whole = whole(&disk, &options);
        for log in &logs {
            let story = format!("{durability} {layout:?} {survival:?} {log}");
            let copy = disk.duplicate();
            copy.remove(log).unwrap();
            let error = found(&copy, &options, &whole).unwrap_or_else(|| panic!("{story}: opens"));
            assert!(names(&error, log), "{story}: {error}");
            let (_, bytes) = disk.listing().into_iter().find(|(name, _)| name == log).unwrap();
            // Nothing says how far the last segment of a log that grows has come.
            let is_open_ended = layout == LogLayout::Append && Some(log) == logs.last();
            for cut in (0..bytes).step_by(509) {
                let copy = disk.duplicate();
                copy.cut(log, cut);
                match open(&copy, &options) {
                    Err(error) => {
                        assert!(matches!(error, StoreError::Damaged { .. }), "{story}, {cut}: {error}");
                    }
                    Ok(_) => assert!(is_open_ended && cut >= 4096, "{story}: opens when cut at {cut}"),
                }
            }
        }
    }
}

/// What a later life decided does not come back: it began without the records behind a hole, and gave their numbers to
/// other writes.
#[test]
fn records_that_a_life_did_not_find_are_void_for_all_later_ones() {
    let mut options = with_log(Process, LogLayout::Recycled);
    options.log.packing = LogPacking::Padded;
    for seed in 0..200 {
        let disk = Disk::new();
        let store = open(&disk, &options).unwrap();
        for number in 0..40 {
            store.put(&key(number), &value(5)).unwrap();
        }
        drop(store);
        disk.restart(Survival::Chance(seed));
        let store = open(&disk, &options).unwrap();
        let mut expected = content(&store).unwrap();
        for number in 100..103 {
            store.put(&key(number), &value(7)).unwrap();
            expected.insert(key(number), value(7));
        }
        drop(store);
        disk.restart(Survival::Everything);
        assert_eq!(content(&open(&disk, &options).unwrap()).unwrap(), expected, "seed {seed}");
    }
}
