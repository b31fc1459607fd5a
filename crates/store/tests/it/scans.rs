//! Scans: what they return against a model, and what they read.

use crate::support::{Random, leveled, open, small, tiered};
use model::{DurabilityClass, IoMode};
use proptest::prelude::*;
use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::ops::{Bound, ControlFlow};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use store::storage::simulated::Disk;
use store::storage::{Access, Reads, Storage, StorageFile};
use store::{CompactionOptions, Keys, Options, SizeTieredOptions, Store, StoreError};

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// Runs have many pages, each with a few entries.
fn paged() -> Options {
    let mut options = Options { memtable_bytes: 60 << 10, ..small(DurabilityClass::Power) };
    options.log.segment_bytes = 64 << 10;
    options.data.scan_read_bytes = 16 << 10;
    options
}

fn key(number: u64) -> Vec<u8> {
    format!("key/{number:05}").into_bytes()
}

/// So long that a page has five to ten entries; now and then a value is in a file of its own.
fn value(random: &mut Random) -> Vec<u8> {
    let bytes = if random.below(200) == 0 { 700 } else { 400 + random.below(190) };
    let byte = random.below(256) as u8;
    vec![byte; bytes as usize]
}

fn scanned(store: &Store, keys: &Keys) -> Result<Pairs, StoreError> {
    let mut found = Vec::new();
    let visited = store.scan(keys, |key, value| {
        found.push((key.to_vec(), value.to_vec()));
        ControlFlow::Continue(())
    })?;
    assert_eq!(visited as usize, found.len());
    Ok(found)
}

fn options() -> impl Strategy<Value = Options> {
    (
        prop::sample::select(vec![tiered(), leveled(), CompactionOptions::Off]),
        1_usize..4,
        prop::sample::select(vec![4096_usize, 8192]),
        prop::sample::select(vec![4096_usize, 16 << 10, 64 << 10]),
        prop::sample::select(vec![1_usize, 3, 32]),
        prop::sample::select(vec![0_u64, 64 << 10, 4 << 20]),
        prop::sample::select(vec![0_usize, 20, 500]),
    )
        .prop_map(
            |(compaction, partitions, page_bytes, read_bytes, depth, cache_bytes, separate_bytes)| {
                let mut options = Options { compaction, partitions, cache_bytes, ..paged() };
                (options.data.page_bytes, options.data.scan_read_bytes) = (page_bytes, read_bytes);
                options.reads.depth = depth;
                options.values.separate_bytes = separate_bytes;
                options
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Also when it reads on over the borders of pages and runs, and when some of the pages are in the cache.
    #[test]
    fn a_scan_is_a_part_of_the_map(
        options in options(),
        seed: u64,
        scans in prop::collection::vec((0_u64..1000, 0_u64..1000, 0_u64..400), 1..12),
    ) {
        let mut random = Random::new(seed);
        let (store, mut map) = (open(&Disk::new(), &options).unwrap(), BTreeMap::new());
        for _ in 0..800 {
            let key = key(random.below(1000));
            if random.below(8) == 0 {
                store.delete(&key).unwrap();
                map.remove(&key);
            } else {
                let value = value(&mut random);
                store.put(&key, &value).unwrap();
                map.insert(key, value);
            }
        }
        for (one, other, limit) in scans {
            let (low, high) = (key(one.min(other)), key(one.max(other) + 1));
            let prefix = &low[..7];
            for (bounds, keys) in [
                ((Bound::Included(low.clone()), Bound::Unbounded), Keys::range(low.clone()..)),
                ((Bound::Excluded(low.clone()), Bound::Included(high.clone())),
                    Keys::range((Bound::Excluded(low.clone()), Bound::Included(high.clone())))),
                ((Bound::Unbounded, Bound::Excluded(high.clone())), Keys::range(..high.clone())),
            ] {
                let all: Pairs = map.range(bounds).map(|(key, value)| (key.clone(), value.clone())).collect();
                prop_assert_eq!(scanned(&store, &keys).unwrap(), all.clone());
                let limited = &all[..all.len().min(limit as usize)];
                prop_assert_eq!(scanned(&store, &keys.limit(limit)).unwrap(), limited);
            }
            let expected = map.keys().filter(|key| key.starts_with(prefix)).count();
            prop_assert_eq!(scanned(&store, &Keys::prefix(prefix)).unwrap().len(), expected);
        }
    }
}

/// One run of 125 pages with eight entries each.
fn one_run(options: &Options) -> Store {
    let options =
        Options { partitions: 1, memtable_bytes: 1 << 30, large_value_bytes: 1 << 20, ..options.clone() };
    let store = open(&Disk::new(), &options).unwrap();
    for number in 0..1000 {
        store.put(&key(number), &[7; 480]).unwrap();
    }
    store.drain().unwrap();
    assert_eq!(store.statistics().runs, 1);
    store
}

/// The reads of a scan, and their pages.
fn reads_of(store: &Store, keys: &Keys, entries: u64) -> (u64, u64) {
    let before = store.statistics().counts;
    let mut left = entries;
    let visited = store.scan(keys, |_, _| {
        left -= 1;
        if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(visited.unwrap(), entries);
    let after = store.statistics().counts;
    let pages = (after.scan_read_bytes - before.scan_read_bytes) / 4096;
    (after.scan_reads - before.scan_reads, pages)
}

#[test]
fn the_reads_of_a_scan_grow_as_it_goes_on() {
    let store = one_run(&paged());
    let from = |number| Keys::range(key(number)..);
    assert_eq!(reads_of(&store, &from(0), 1), (1, 2));
    assert_eq!(reads_of(&store, &from(0), 16), (1, 2));
    assert_eq!(reads_of(&store, &from(0), 17), (2, 2 + 4));
    // Two pages, then four at a time: that is the most.
    assert_eq!(reads_of(&store, &Keys::all(), 1000), (1 + 31, 125));
}

#[test]
fn a_scan_reads_what_its_keys_ask_for() {
    let store = one_run(&paged());
    let from = |number| Keys::range(key(number)..);
    assert_eq!(reads_of(&store, &from(8).limit(3), 3), (1, 1), "less than half a page");
    assert_eq!(reads_of(&store, &from(8).limit(16), 16), (1, 3), "two pages that begin anywhere in a page");
    assert_eq!(reads_of(&store, &from(8).limit(100), 100).0, 4, "the longest reads are of four pages");
    assert_eq!(reads_of(&store, &Keys::range(key(8)..key(10)), 2), (1, 1), "no page behind the bound");
    assert_eq!(reads_of(&store, &Keys::prefix(b"key/0002"), 10), (1, 2));
    assert_eq!(store.scan(&Keys::all().limit(0), |_, _| ControlFlow::Continue(())).unwrap(), 0);
}

#[test]
fn a_scan_finds_pages_in_the_cache_and_long_ones_leave_it_to_others() {
    let store = one_run(&Options { cache_bytes: 1 << 20, ..paged() });
    let keys = Keys::range(key(8)..).limit(8);
    assert_eq!(reads_of(&store, &keys, 8), (1, 2));
    let hits = || store.statistics().counts.cache_hits;
    let before = hits();
    assert_eq!(reads_of(&store, &keys, 8), (0, 0));
    assert_eq!(hits() - before, 1, "eight entries are one page");
    // A get keeps a page that a scan then has in the middle of what it reads.
    store.get(&key(500)).unwrap();
    let begun = Keys::range(key(496)..);
    assert_eq!(
        reads_of(&store, &begun, 9),
        (1, 2),
        "the first page from the cache, the next two from the file"
    );
    let cached = store.statistics().cache_bytes;
    assert_eq!(
        reads_of(&store, &Keys::all(), 1000).1,
        125 - 2,
        "two are at the end of a read, and in the cache"
    );
    assert!(store.statistics().cache_bytes - cached <= 2 * 4096, "only the first read is short");
}

/// A disk whose reads of many are begun before any of them is complete, and complete in the reverse order.
#[derive(Clone, Debug, Default)]
struct Together {
    disk: Disk,
    /// Reads that were in flight together.
    batches: Arc<Mutex<Vec<usize>>>,
    /// Which read of each batch fails.
    failing: Arc<Mutex<Option<usize>>>,
}

impl Storage for Together {
    fn create(&self, name: &str, io: IoMode) -> io::Result<Arc<dyn StorageFile>> {
        self.disk.create(name, io)
    }

    fn open(&self, name: &str, io: IoMode, access: Access) -> io::Result<Arc<dyn StorageFile>> {
        self.disk.open(name, io, access)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.disk.names()
    }

    fn sync_names(&self) -> io::Result<()> {
        self.disk.sync_names()
    }

    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        self.disk.lock(name)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.disk.path(name)
    }

    fn check(&self, name: &str, io: IoMode) -> Result<(), String> {
        self.disk.check(name, io)
    }

    fn read_many(&self, reads: &mut dyn Reads) -> io::Result<()> {
        let failing = *self.failing.lock().unwrap();
        loop {
            let batch: Vec<_> = std::iter::from_fn(|| reads.next()).collect();
            if batch.is_empty() {
                return Ok(());
            }
            self.batches.lock().unwrap().push(batch.len());
            for (at, read) in batch.into_iter().enumerate().rev() {
                let mut bytes = vec![0; read.bytes];
                let outcome = match failing {
                    Some(failing) if failing == at => Err(io::ErrorKind::UnexpectedEof.into()),
                    Some(_) | None => read.file.read_at(&mut bytes, read.offset),
                };
                reads.complete(read.token, outcome.map(|()| &bytes[..]));
            }
        }
    }
}

#[test]
fn a_scan_reads_the_first_pages_of_all_runs_at_once() {
    let storage = Together::default();
    let options = Options { compaction: CompactionOptions::Off, partitions: 3, ..paged() };
    let store = Store::open_on(Arc::new(storage.clone()), &options).unwrap();
    for round in 0..4_u8 {
        for number in 0..300 {
            store.put(&key(number), &[round; 100]).unwrap();
        }
        store.drain().unwrap();
    }
    let runs = store.statistics().runs;
    assert!(runs >= 12, "{runs} runs in three partitions");
    let found = scanned(&store, &Keys::all()).unwrap();
    assert!(found.len() == 300 && found.iter().all(|(_, value)| *value == [3; 100]));
    assert_eq!(*storage.batches.lock().unwrap(), [runs]);
    // Each read of the batch may fail, and the scan with it.
    for failing in 0..runs {
        *storage.failing.lock().unwrap() = Some(failing);
        match scanned(&store, &Keys::all()) {
            Err(StoreError::Damaged { path, .. }) => assert!(path.extension().is_some_and(|it| it == "run")),
            other => panic!("{other:?}"),
        }
    }
    *storage.failing.lock().unwrap() = None;
    assert_eq!(scanned(&store, &Keys::all()).unwrap(), found);
}

#[test]
fn a_scan_reads_separated_values_together() {
    let storage = Together::default();
    let mut options = Options { partitions: 1, ..paged() };
    options.values.separate_bytes = 50;
    options.reads.depth = 32;
    let store = Store::open_on(Arc::new(storage.clone()), &options).unwrap();
    for number in 0..200 {
        // Every fourth value stays in the tree.
        store.put(&key(number), &vec![number as u8; if number % 4 == 0 { 20 } else { 100 }]).unwrap();
    }
    store.drain().unwrap();
    let batches = |keys: &Keys, entries| {
        let before = store.statistics().counts.value_reads;
        storage.batches.lock().unwrap().clear();
        let mut found = Vec::new();
        let visited = store.scan(keys, |_, value| {
            found.push(value[0]);
            if found.len() == entries { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(visited.unwrap(), entries as u64);
        assert!(found.windows(2).all(|pair| pair[0] + 1 == pair[1]), "in the order of the keys");
        (storage.batches.lock().unwrap().clone(), store.statistics().counts.value_reads - before)
    };
    assert_eq!(batches(&Keys::all().limit(100), 100), (vec![32, 32, 11], 75));
    // Without a limit it reads little ahead of what is visited.
    assert_eq!(batches(&Keys::range(key(1)..), 1), (vec![1], 1));
    assert_eq!(batches(&Keys::range(key(1)..), 3), (vec![1, 2], 3));
    assert_eq!(batches(&Keys::range(key(1)..), 100), (vec![1, 2, 4, 8, 16, 32, 32], 95));
    *storage.failing.lock().unwrap() = Some(9);
    match scanned(&store, &Keys::all().limit(100)) {
        Err(StoreError::Damaged { path, .. }) => assert!(path.extension().is_some_and(|it| it == "values")),
        other => panic!("{other:?}"),
    }
}

/// Four runs that have all keys and that the policy does not merge.
fn four_runs(merge_for_scans: bool, background_threads: usize) -> Store {
    let tiers = SizeTieredOptions { runs_merged: 5, merge_for_scans, ..SizeTieredOptions::default() };
    let compaction = CompactionOptions::SizeTiered(tiers);
    let options = Options { compaction, partitions: 1, background_threads, ..paged() };
    let store = open(&Disk::new(), &options).unwrap();
    for round in 0..4_u8 {
        for number in 0..300 {
            store.put(&key(number), &[round; 100]).unwrap();
        }
        store.drain().unwrap();
    }
    assert_eq!(store.statistics().runs, 4);
    store
}

/// Makes a scan of three entries.
fn scan_three(store: &Store) {
    assert_eq!(store.scan(&Keys::range(key(8)..).limit(3), |_, _| ControlFlow::Continue(())).unwrap(), 3);
}

#[test]
fn scans_that_read_in_vain_have_the_runs_merged_when_they_have_paid_for_it() {
    let store = four_runs(true, 0);
    let (expected, cost) =
        (scanned(&store, &Keys::all()).unwrap(), store.statistics().run_bytes.div_ceil(16 << 10));
    let in_vain = || store.statistics().counts.scan_reads_in_vain;
    let before = in_vain();
    scan_three(&store);
    let each = in_vain() - before;
    assert_eq!(each, 3, "of three of the four runs");
    while store.statistics().runs > 1 {
        assert!(in_vain() < cost);
        scan_three(&store);
        store.drain().unwrap();
    }
    assert!(in_vain() >= cost && in_vain() < cost + each);
    assert_eq!(scanned(&store, &Keys::all()).unwrap(), expected);
    let paid = in_vain();
    (0..1000).for_each(|_| scan_three(&store));
    assert_eq!(in_vain(), paid, "one run");

    let store = four_runs(false, 0);
    while store.statistics().counts.scan_reads_in_vain < 2 * cost {
        scan_three(&store);
    }
    store.drain().unwrap();
    assert_eq!(store.statistics().runs, 4);
}

#[test]
fn a_background_thread_merges_the_runs_while_nobody_writes() {
    let store = four_runs(true, 2);
    (0..200).for_each(|_| scan_three(&store));
    let begun = Instant::now();
    while store.statistics().runs > 1 {
        assert!(begun.elapsed() < Duration::from_mins(1));
        thread::sleep(Duration::from_millis(1));
    }
}
