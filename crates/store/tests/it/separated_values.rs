//! Values in value files beside the runs, and the collection of their garbage.

use crate::support::{Model, Step, content, history, key, leveled, open, small, tiered};
use model::{DurabilityClass, IoMode};
use std::ops::ControlFlow;
use store::storage::Storage;
use store::storage::simulated::{Disk, Survival};
use store::{Keys, Options, Statistics, Store, StoreError, ValueOptions, verify_on};

fn options(garbage_percent: u8) -> Options {
    let values = ValueOptions { separate_bytes: 50, garbage_percent };
    Options { values, partitions: 1, memtable_bytes: 4000, ..small(DurabilityClass::Power) }
}

fn value_files(disk: &Disk) -> usize {
    disk.listing().iter().filter(|(name, _)| name.rsplit('.').next() == Some("values")).count()
}

/// Puts values of 100 bytes to 100 keys, in an order that is another one in each round.
fn put(store: &Store, round: u8) {
    put_below(store, round, 100);
}

/// The same for the keys below a number.
fn put_below(store: &Store, round: u8, end: u16) {
    let step = [1, 3, 7, 9, 11, 13, 17, 19, 21][usize::from(round)];
    for number in (0..100_u16).map(|number| number * step % 100).filter(|number| *number < end) {
        store.put(&key(number as u8), &[round; 100]).unwrap();
    }
}

/// Puts all keys several times and at last some of them, with a drain after each.
fn overwrite(store: &Store) -> Statistics {
    for (round, end) in [(1, 100), (2, 100), (3, 100), (4, 40), (5, 40), (6, 100), (7, 100), (8, 40)] {
        put_below(store, round, end);
        store.drain().unwrap();
    }
    store.statistics()
}

#[test]
fn a_drain_leaves_no_file_with_more_garbage_than_the_limit() {
    for compaction in [tiered(), leveled()] {
        for garbage_percent in [1, 30, 70] {
            let options = Options { compaction: compaction.clone(), ..options(garbage_percent) };
            let disk = Disk::new();
            let store = open(&disk, &options).unwrap();
            let statistics = overwrite(&store);
            let Statistics { value_files, value_bytes, garbage_bytes, counts, .. } = statistics;
            let story = format!("{garbage_percent}: {statistics:?}");
            assert!(garbage_bytes * 100 <= value_bytes * u64::from(garbage_percent), "{story}");
            assert!(counts.flush_value_bytes >= 62_000, "{story}");
            assert!(counts.compaction_value_bytes > 0 || garbage_percent == 70, "{story}");
            assert_eq!(self::value_files(&disk), value_files, "{story}");
            assert!(value_files > 0 && value_bytes - garbage_bytes >= 10_000, "{story}");
            let found = content(&store).unwrap();
            for number in 0..100 {
                let round = if number < 40 { 8 } else { 7 };
                assert_eq!(found[&key(number)], [round; 100], "{story}");
            }
            (0..100).for_each(|number| store.delete(&key(number)).unwrap());
            store.drain().unwrap();
            let statistics = store.statistics();
            assert_eq!((statistics.value_files, statistics.value_bytes, self::value_files(&disk)), (0, 0, 0));
        }
    }
}

#[test]
fn without_a_limit_values_stay_where_they_were_written() {
    for compaction in [tiered(), leveled()] {
        let disk = Disk::new();
        let store = open(&disk, &Options { compaction, ..options(100) }).unwrap();
        let statistics = overwrite(&store);
        assert_eq!(statistics.counts.compaction_value_bytes, 0);
        assert!(statistics.counts.compaction_bytes > 0 && statistics.garbage_bytes > 0, "{statistics:?}");
        assert_eq!(statistics.value_files, value_files(&disk), "what nothing refers to is removed");
    }
}

#[test]
fn a_snapshot_keeps_the_files_that_it_refers_to() {
    let disk = Disk::new();
    let store = open(&disk, &options(1)).unwrap();
    put(&store, 1);
    store.drain().unwrap();
    let before = content(&store).unwrap();
    let snapshot = store.snapshot();
    overwrite(&store);
    assert!(value_files(&disk) > store.statistics().value_files);
    let mut found = Model::new();
    let take = |key: &[u8], value: &[u8]| {
        found.insert(key.to_vec(), value.to_vec());
        ControlFlow::Continue(())
    };
    snapshot.scan(&Keys::all(), take).unwrap();
    assert_eq!(found, before);
    let keys: Vec<_> = before.keys().collect();
    let values = snapshot.multi_get(&keys).unwrap();
    assert!(keys.iter().zip(values).all(|(key, value)| value.as_ref() == before.get(*key)));
    drop(snapshot);
    assert_eq!(value_files(&disk), store.statistics().value_files);
}

#[test]
fn the_option_can_change_at_each_open() {
    let on = options(1);
    let off = Options { values: ValueOptions { separate_bytes: 0, garbage_percent: 1 }, ..on.clone() };
    let disk = Disk::new();
    let store = open(&disk, &off).unwrap();
    put(&store, 1);
    store.drain().unwrap();
    assert_eq!((store.statistics().value_files, value_files(&disk)), (0, 0));
    let mut expected = content(&store).unwrap();
    store.close().unwrap();
    // A compaction separates what the flush did not.
    let store = open(&disk, &on).unwrap();
    store.delete(&key(1)).unwrap();
    expected.remove(&key(1));
    store.drain().unwrap();
    assert!(store.statistics().counts.compaction_value_bytes > 0 && value_files(&disk) > 0);
    assert_eq!(content(&store).unwrap(), expected);
    store.close().unwrap();
    assert_eq!(verify_on(std::sync::Arc::new(disk.clone())).unwrap().separated_values, expected.len());
    // What was separated is read, and collected into the runs.
    let store = open(&disk, &off).unwrap();
    assert_eq!(content(&store).unwrap(), expected);
    overwrite(&store);
    // A merge of all runs.
    store.delete(&key(2)).unwrap();
    store.drain().unwrap();
    assert_eq!((store.statistics().value_files, value_files(&disk)), (0, 0));
}

#[test]
fn a_value_file_that_no_run_names_is_removed() {
    let disk = Disk::new();
    let store = open(&disk, &options(50)).unwrap();
    put(&store, 1);
    store.drain().unwrap();
    let (files, before) = (value_files(&disk), content(&store).unwrap());
    drop(store);
    disk.restart(Survival::Synced);
    disk.create("000000009999.values", IoMode::Direct).unwrap().sync().unwrap();
    let store = open(&disk, &options(50)).unwrap();
    assert_eq!((value_files(&disk), content(&store).unwrap()), (files, before));
}

#[test]
fn a_missing_value_file_is_an_error_of_the_reads_that_need_it() {
    let disk = Disk::new();
    let store = open(&disk, &options(50)).unwrap();
    put(&store, 1);
    store.close().unwrap();
    let names = disk.listing().into_iter().map(|(name, _)| name);
    let names: Vec<_> = names.filter(|name| name.contains(".values")).collect();
    for name in &names {
        disk.remove(name).unwrap();
    }
    let store = open(&disk, &options(50)).unwrap();
    let is_io = |error: StoreError| matches!(error, StoreError::Io { .. });
    assert!(store.get(&key(1)).is_err_and(is_io));
    assert!(store.multi_get(&[key(0), key(1)]).is_err_and(is_io));
    assert!(store.scan(&Keys::all(), |_, _| ControlFlow::Continue(())).is_err_and(is_io));
    assert_eq!(store.get(b"absent").unwrap(), None);
}

/// Runs share files, and a file goes with the last of them, also if several threads merge at once.
#[test]
fn background_threads_collect_and_remove() {
    for compaction in [tiered(), leveled()] {
        let mut options = Options { compaction, partitions: 2, background_threads: 2, ..options(20) };
        (options.values.separate_bytes, options.large_value_bytes) = (20, 1 << 20);
        let (disk, mut model) = (Disk::new(), Model::new());
        let store = open(&disk, &options).unwrap();
        for step in history(9, 3000, 60) {
            if !matches!(step, Step::Drain) {
                step.perform(&store).unwrap();
                step.apply(&mut model);
            }
        }
        store.drain().unwrap();
        assert_eq!(content(&store).unwrap(), model);
        let statistics = store.statistics();
        assert!(statistics.garbage_bytes * 100 <= statistics.value_bytes * 20, "{statistics:?}");
        assert_eq!(value_files(&disk), statistics.value_files);
        store.close().unwrap();
        let verification = verify_on(std::sync::Arc::new(disk)).unwrap();
        assert!(
            verification.problems.is_empty() && verification.unknown_files.is_empty(),
            "{verification:?}"
        );
    }
}
