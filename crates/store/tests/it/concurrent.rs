//! Many threads, on a real file system.

use crate::support::{leveled, small, tiered};
use model::{DurabilityClass, IoMode};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use store::{Batch, Keys, Options, Store, verify};

fn busy(durability: DurabilityClass) -> Options {
    let mut options =
        Options { memtable_bytes: 20 << 10, background_threads: 2, partitions: 3, ..small(durability) };
    (options.log.io, options.data.io) = (IoMode::Buffered, IoMode::Buffered);
    options
}

/// Each writer counts up in its own pair of keys, both in one batch: a reader sees both the same, and never less than
/// was acknowledged before it looked.
#[test]
fn readers_see_whole_batches_and_everything_that_was_acknowledged() {
    const WRITERS: usize = 3;
    const WRITES: u64 = 1200;
    let classes = [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power];
    for (durability, compaction) in classes.into_iter().zip([tiered(), leveled(), tiered()]) {
        let directory = tempfile::tempdir().unwrap();
        let options = Options { compaction, ..busy(durability) };
        let store = Store::open(directory.path(), &options).unwrap();
        let acknowledged: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
        let is_done = AtomicBool::new(false);
        let pair = |writer: usize| [format!("a/{writer}").into_bytes(), format!("b/{writer}").into_bytes()];
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let (store, acknowledged) = (&store, &acknowledged);
                    scope.spawn(move || {
                        for count in 1..=WRITES {
                            let mut batch = Batch::new();
                            let value = count.to_be_bytes().repeat(8);
                            for key in pair(writer) {
                                batch.put(&key, &value).unwrap();
                            }
                            store.write(&batch).unwrap();
                            acknowledged[writer].store(count, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            for _ in 0..2 {
                scope.spawn(|| {
                    let count = |value: &[u8]| u64::from_be_bytes(value[..8].try_into().unwrap());
                    while !is_done.load(Ordering::Relaxed) {
                        let before: Vec<u64> =
                            acknowledged.iter().map(|count| count.load(Ordering::SeqCst)).collect();
                        let snapshot = store.snapshot();
                        for (writer, before) in before.iter().enumerate() {
                            let [a, b] = pair(writer);
                            let values = snapshot.multi_get(&[&a, &b]).unwrap();
                            assert_eq!(values[0], values[1], "a batch is seen whole");
                            let seen = values[0].as_deref().map_or(0, count);
                            assert!(seen >= *before, "{seen} seen, {before} acknowledged");
                            let now = store.get(&a).unwrap().as_deref().map_or(0, count);
                            assert!(now >= seen, "time does not run backwards");
                            assert_eq!(snapshot.get(&b).unwrap(), values[1]);
                        }
                        let mut pairs = Vec::new();
                        let scanned = snapshot.scan(&Keys::all(), |_, value| {
                            pairs.push(count(value));
                            ControlFlow::Continue(())
                        });
                        assert_eq!(scanned.unwrap() as usize, pairs.len());
                        let (a, b) = pairs.split_at(pairs.len() / 2);
                        assert_eq!(a, b, "a scan is of one moment");
                    }
                });
            }
            let outcomes: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            // Readers end also if a writer has failed.
            is_done.store(true, Ordering::Relaxed);
            for outcome in outcomes {
                outcome.unwrap();
            }
        });
        assert!(store.statistics().counts.flushes > 3);
        store.close().unwrap();
        assert!(verify(directory.path()).unwrap().problems.is_empty());
        let store = Store::open(directory.path(), &options).unwrap();
        for writer in 0..WRITERS {
            for key in pair(writer) {
                assert_eq!(store.get(&key).unwrap(), Some(WRITES.to_be_bytes().repeat(8)));
            }
        }
    }
}
