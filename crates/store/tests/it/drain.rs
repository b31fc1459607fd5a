//! What a drain promises about deletes.

use crate::support::{leveled, open, small, tiered};
use model::DurabilityClass;
use std::ops::ControlFlow;
use store::storage::simulated::Disk;
use store::{CompactionOptions, Keys, Options, Store};

const KEYS: u32 = 2000;

fn fill(store: &Store) {
    for number in 0..KEYS {
        store.put(&number.to_be_bytes(), &[7; 40]).unwrap();
    }
    store.drain().unwrap();
}

fn keys(store: &Store) -> u64 {
    store.scan(&Keys::all(), |_, _| ControlFlow::Continue(())).unwrap()
}

/// A scan stepped over 200,000 deletes, and what they hid, to its first key.
#[test]
fn no_delete_and_nothing_that_one_hides_is_left() {
    for compaction in [tiered(), leveled()] {
        for (partitions, background_threads) in [(1, 0), (2, 0), (2, 2)] {
            let options = Options {
                compaction: compaction.clone(),
                partitions,
                background_threads,
                memtable_bytes: 20_000,
                ..small(DurabilityClass::Process)
            };
            let store = open(&Disk::new(), &options).unwrap();
            fill(&store);
            for number in (0..KEYS).filter(|number| number % 3 > 0) {
                store.delete(&number.to_be_bytes()).unwrap();
            }
            // Absent ones too.
            store.delete(b"absent").unwrap();
            store.drain().unwrap();
            let left = u64::from(KEYS.div_ceil(3));
            assert_eq!((store.statistics().entries, keys(&store)), (left, left), "{options:?}");
            for number in 0..KEYS {
                let found = store.get(&number.to_be_bytes()).unwrap();
                assert_eq!(found.is_some(), number.is_multiple_of(3), "{number}");
                store.delete(&number.to_be_bytes()).unwrap();
            }
            store.drain().unwrap();
            let statistics = store.statistics();
            assert_eq!((statistics.entries, statistics.runs, keys(&store)), (0, 0, 0), "{options:?}");
        }
    }
}

#[test]
fn a_snapshot_still_sees_what_a_drain_drops() {
    let options = Options { memtable_bytes: 20_000, ..small(DurabilityClass::Process) };
    let store = open(&Disk::new(), &options).unwrap();
    fill(&store);
    let snapshot = store.snapshot();
    (0..KEYS).for_each(|number| store.delete(&number.to_be_bytes()).unwrap());
    store.drain().unwrap();
    assert_eq!(snapshot.get(&7_u32.to_be_bytes()).unwrap(), Some(vec![7; 40]));
    assert_eq!(store.get(&7_u32.to_be_bytes()).unwrap(), None);
}

#[test]
fn without_compaction_deletes_stay() {
    let options = Options { compaction: CompactionOptions::Off, ..small(DurabilityClass::Process) };
    let store = open(&Disk::new(), &options).unwrap();
    store.put(b"key", b"value").unwrap();
    store.drain().unwrap();
    store.delete(b"key").unwrap();
    store.drain().unwrap();
    assert_eq!((store.statistics().entries, store.get(b"key").unwrap()), (2, None));
}
