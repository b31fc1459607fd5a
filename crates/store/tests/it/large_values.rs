//! Values in files of their own.

use crate::support::{content, key, open, small};
use model::DurabilityClass;
use store::Batch;
use store::storage::simulated::{Disk, Survival};

fn value_files(disk: &Disk) -> usize {
    disk.listing().iter().filter(|(name, _)| name.rsplit('.').next() == Some("value")).count()
}

#[test]
fn a_large_value_is_written_once_and_removed_when_nothing_refers_to_it() {
    let mut options = small(DurabilityClass::Power);
    options.partitions = 1;
    let disk = Disk::new();
    let store = open(&disk, &options).unwrap();
    let mut batch = Batch::new();
    batch.put(&key(1), &[1; 5000]).unwrap().put(&key(2), &[2; 600]).unwrap().put(&key(3), b"small").unwrap();
    store.write(&batch).unwrap();
    assert_eq!(value_files(&disk), 2);
    store.drain().unwrap();
    assert_eq!(store.get(&key(1)).unwrap(), Some(vec![1; 5000]));
    assert_eq!(store.statistics().counts.large_value_bytes, 5600);
    let snapshot = store.snapshot();
    // Replaced in the same memtable, and in a later one.
    store.put(&key(1), &[3; 700]).unwrap();
    store.put(&key(1), &[4; 800]).unwrap();
    store.delete(&key(2)).unwrap();
    for _ in 0..6 {
        store.put(&key(9), &[7; 300]).unwrap();
        store.drain().unwrap();
    }
    assert_eq!(snapshot.get(&key(1)).unwrap(), Some(vec![1; 5000]), "a snapshot keeps what it refers to");
    assert_eq!(snapshot.get(&key(2)).unwrap(), Some(vec![2; 600]));
    drop(snapshot);
    for _ in 0..6 {
        store.put(&key(9), &[7; 300]).unwrap();
        store.drain().unwrap();
    }
    assert_eq!(value_files(&disk), 1, "{:?}", disk.listing());
    assert_eq!(store.get(&key(1)).unwrap(), Some(vec![4; 800]));
    assert_eq!(content(&store).unwrap().len(), 3);
}

#[test]
fn a_value_that_a_later_write_of_its_batch_replaces_has_no_file() {
    let disk = Disk::new();
    let store = open(&disk, &small(DurabilityClass::Power)).unwrap();
    let mut batch = Batch::new();
    batch.put(&key(1), &[1; 5000]).unwrap().put(&key(2), &[2; 600]).unwrap().put(&key(1), &[3; 700]).unwrap();
    batch.delete(&key(2)).unwrap().put(&key(3), b"small").unwrap();
    store.write(&batch).unwrap();
    assert_eq!(value_files(&disk), 1, "{:?}", disk.listing());
    assert_eq!((store.get(&key(1)).unwrap(), store.get(&key(2)).unwrap()), (Some(vec![3; 700]), None));
}

/// The value's file is there before the log names it. If the log never does, the next open removes it.
#[test]
fn a_large_value_without_a_log_record_is_removed() {
    let options = small(DurabilityClass::Power);
    let disk = Disk::new();
    let store = open(&disk, &options).unwrap();
    store.put(&key(1), &[1; 700]).unwrap();
    drop(store);
    disk.restart(Survival::Synced);
    let file = store::storage::Storage::create(&disk, "000000000999.value", model::IoMode::Direct).unwrap();
    file.sync().unwrap();
    let store = open(&disk, &options).unwrap();
    assert_eq!((value_files(&disk), store.get(&key(1)).unwrap()), (1, Some(vec![1; 700])));
}
