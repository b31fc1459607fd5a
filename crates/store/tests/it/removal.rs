//! Files that nobody reads any more.

use crate::gated::{Gated, until};
use crate::support::{key, small};
use model::DurabilityClass;
use std::sync::Arc;
use store::{Options, Store};

/// To free the blocks of a large file takes milliseconds, and the last reader of a run may be a get.
#[test]
fn the_last_reader_of_a_run_does_not_remove_its_file() {
    let storage = Gated::default();
    let options = Options { background_threads: 1, ..small(DurabilityClass::Power) };
    let store = Store::open_on(Arc::new(storage.clone()), &options).unwrap();
    let fill = || {
        (0..40_u8).for_each(|number| store.put(&key(number), &[number; 60]).unwrap());
        store.drain().unwrap();
    };
    fill();
    let snapshot = store.snapshot();
    let names =
        || storage.disk.listing().into_iter().map(|(name, _)| name).filter(|name| name.contains(".run"));
    assert!(until(|| names().count() == store.statistics().runs), "what was merged is gone");
    let read: Vec<_> = names().collect();
    fill();
    assert_eq!(snapshot.get(&key(7)).unwrap(), Some(vec![7; 60]));
    assert!(read.iter().all(|name| names().any(|other| other == *name)), "the snapshot reads them");
    drop(snapshot);
    store.close().unwrap();
    let removed = read.iter().filter(|name| names().all(|other| other != **name)).count();
    let removers = storage.removers.lock().unwrap();
    assert!(removed > 0 && removers.len() >= removed, "{removed} of {read:?}");
    assert!(removers.iter().all(|name| name.as_deref() == Some("store-transfer")), "{removers:?}");
}
