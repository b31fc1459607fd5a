//! A child of `fork` has a copy of the store, without its threads: what it wrote was acknowledged and lost.

use crate::support::{key, small};
use disk::kernel::fork::in_child;
use model::DurabilityClass;
use store::{Keys, Options, Store, StoreError};

fn is_refused<T>(outcome: &Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::Forked { .. }))
}

#[test]
fn a_child_is_refused_and_leaves_the_store_to_its_parent() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (durability, background_threads) in
        [(DurabilityClass::Process, 2), (DurabilityClass::Power, 2), (DurabilityClass::None, 0)]
    {
        let path = directory.path().join(durability.to_string());
        let mut options = Options { background_threads, ..small(durability) };
        options.log.io = store::IoMode::Buffered;
        options.data.io = store::IoMode::Buffered;
        let store = Store::open(&path, &options).unwrap();
        store.put(&key(1), b"parent").unwrap();
        let snapshot = store.snapshot();
        let other = directory.path().join(format!("{durability}-own"));
        let refused = in_child(|| {
            let calls = [
                is_refused(&store.put(&key(1), b"child")),
                is_refused(&store.delete(&key(1))),
                is_refused(&store.get(&key(1))),
                is_refused(&store.multi_get(&[key(1)])),
                is_refused(&store.scan(&Keys::all(), |_, _| std::ops::ControlFlow::Continue(()))),
                is_refused(&snapshot.get(&key(1))),
                is_refused(&store.sync()),
                is_refused(&store.drain()),
                matches!(Store::open(&path, &options), Err(StoreError::Locked { .. })),
                // What the child opens is its own.
                Store::open(&other, &options).and_then(|own| own.put(b"a", b"b").and(own.close())).is_ok(),
            ];
            calls.iter().filter(|is_right| !**is_right).count() as u8
        });
        assert_eq!(refused.unwrap(), 0, "{durability}");
        drop(snapshot);
        // A child that drops its copy ends, and the parent's goes on.
        let mut store = Some(store);
        assert_eq!(in_child(|| u8::from(store.take().is_none())).unwrap(), 0);
        assert_eq!(
            in_child(|| u8::from(!store.take().is_some_and(|store| is_refused(&store.close())))).unwrap(),
            0
        );
        let store = store.unwrap();
        for number in 0..200 {
            store.put(&key(number), &[number; 50]).unwrap();
        }
        store.drain().unwrap();
        assert_eq!(store.get(&key(1)).unwrap(), Some(vec![1; 50]));
        store.close().unwrap();
    }
}

/// The file of the lock is open in the child too.
#[test]
fn a_child_that_drops_its_copy_leaves_the_store_locked() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut options = small(DurabilityClass::Process);
    (options.log.io, options.data.io) = (store::IoMode::Buffered, store::IoMode::Buffered);
    let mut store = Some(Store::open(directory.path(), &options).unwrap());
    // The child drops its copy, and the parent's stays locked.
    assert_eq!(in_child(|| u8::from(store.take().is_none())).unwrap(), 0);
    assert!(matches!(Store::open(directory.path(), &options), Err(StoreError::Locked { .. })));
    drop(store);
    Store::open(directory.path(), &options).unwrap().close().unwrap();
}
