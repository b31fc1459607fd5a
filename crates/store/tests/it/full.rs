//! A file system that is full: the store refuses puts, takes deletes, and gives their room back.

use crate::support::{Random, small};
use model::{DurabilityClass, IoMode};
use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use store::storage::simulated::{Disk, Survival};
use store::storage::{Access, Durable, Storage, StorageFile};
use store::{
    CompactionOptions, Keys, LogLayout, LogPacking, Options, SizeTieredOptions, Store, StoreError, verify_on,
};

/// Bytes that files take, by name.
type Taken = Arc<Mutex<BTreeMap<String, usize>>>;

/// A simulated disk with room for some bytes.
#[derive(Clone, Debug)]
struct Small {
    disk: Disk,
    room: usize,
    taken: Taken,
    /// Whether each write goes to another place, as on btrfs: it needs room although the file has those bytes.
    copies: bool,
    /// How long each sync of a run takes.
    run_sync: Duration,
}

#[derive(Debug)]
struct File {
    inner: Arc<dyn StorageFile>,
    name: String,
    room: usize,
    taken: Taken,
    copies: bool,
    sync: Duration,
}

fn no_space() -> io::Error {
    io::Error::from_raw_os_error(rustix::io::Errno::NOSPC.raw_os_error())
}

/// Lets a file take bytes up to `end`, if there is room.
fn take(taken: &Taken, room: usize, name: &str, end: usize) -> io::Result<()> {
    let mut taken = taken.lock().unwrap();
    let has = taken.get(name).copied().unwrap_or(0);
    let all: usize = taken.values().sum();
    if end > has && all + (end - has) > room {
        return Err(no_space());
    }
    taken.insert(name.to_owned(), has.max(end));
    Ok(())
}

impl Small {
    fn new(room: usize) -> Self {
        Self { disk: Disk::new(), room, taken: Taken::default(), copies: false, run_sync: Duration::ZERO }
    }

    fn copying(room: usize) -> Self {
        Self { copies: true, ..Self::new(room) }
    }

    fn flushing_slowly(room: usize) -> Self {
        Self { run_sync: Duration::from_millis(100), ..Self::new(room) }
    }

    fn free(&self) -> usize {
        self.room - self.taken.lock().unwrap().values().sum::<usize>()
    }

    fn file(&self, name: &str, file: Arc<dyn StorageFile>) -> Arc<dyn StorageFile> {
        let (name, taken) = (name.to_owned(), Arc::clone(&self.taken));
        let is_run = Path::new(&name).extension().is_some_and(|found| found == "run");
        let sync = if is_run { self.run_sync } else { Duration::ZERO };
        Arc::new(File { inner: file, name, room: self.room, taken, copies: self.copies, sync })
    }
}

impl StorageFile for File {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        self.inner.read_at(into, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64, durable: Durable) -> io::Result<()> {
        let all: usize = self.taken.lock().unwrap().values().sum();
        if self.copies && all + bytes.len() > self.room {
            return Err(no_space());
        }
        take(&self.taken, self.room, &self.name, offset as usize + bytes.len())?;
        self.inner.write_at(bytes, offset, durable)
    }

    fn sync(&self) -> io::Result<()> {
        thread::sleep(self.sync);
        self.inner.sync()
    }

    fn bytes(&self) -> io::Result<u64> {
        self.inner.bytes()
    }
}

impl Storage for Small {
    fn create(&self, name: &str, io: IoMode) -> io::Result<Arc<dyn StorageFile>> {
        // A name takes room too.
        take(&self.taken, self.room, name, 512)?;
        Ok(self.file(name, self.disk.create(name, io)?))
    }

    fn open(&self, name: &str, io: IoMode, access: Access) -> io::Result<Arc<dyn StorageFile>> {
        Ok(self.file(name, self.disk.open(name, io, access)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)?;
        let mut taken = self.taken.lock().unwrap();
        let bytes = taken.remove(from).unwrap();
        taken.insert(to.to_owned(), bytes);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let is_reserve = name == "RESERVE" && self.taken.lock().unwrap().contains_key(name);
        if !is_reserve {
            self.disk.remove(name)?;
        }
        self.taken.lock().unwrap().remove(name);
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = self.disk.names()?;
        names.extend(self.taken.lock().unwrap().contains_key("RESERVE").then(|| "RESERVE".to_owned()));
        Ok(names)
    }

    fn sync_names(&self) -> io::Result<()> {
        self.disk.sync_names()
    }

    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        self.disk.lock(name)
    }

    fn reserve(&self, name: &str, bytes: u64) -> io::Result<()> {
        take(&self.taken, self.room, name, bytes as usize)?;
        self.taken.lock().unwrap().insert(name.to_owned(), bytes as usize);
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.disk.path(name)
    }

    fn check(&self, name: &str, io: IoMode) -> Result<(), String> {
        self.disk.check(name, io)
    }
}

const ROOM: usize = 4 << 20;

fn options(layout: LogLayout, background_threads: usize) -> Options {
    let mut options = Options {
        memtable_bytes: 100 << 10,
        background_threads,
        reserve_bytes: Some(512 << 10),
        large_value_bytes: 20_000,
        ..small(DurabilityClass::Power)
    };
    options.log.layout = layout;
    options.log.segment_bytes = 64 << 10;
    options
}

fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

fn value(number: u32) -> Vec<u8> {
    let bytes = if number.is_multiple_of(50) { 25_000 } else { 1000 };
    number.to_be_bytes().iter().copied().cycle().take(bytes).collect()
}

fn open(disk: &Small, options: &Options) -> Store {
    Store::open_on(Arc::new(disk.clone()), options).unwrap()
}

/// Puts until there is no room; opens the store again if a write to the log has failed. Returns how many were
/// acknowledged.
fn fill(disk: &Small, options: &Options, store: &mut Option<Store>) -> u32 {
    let mut number = 0;
    loop {
        let open_store = store.take().unwrap_or_else(|| open(disk, options));
        match open_store.put(&key(number), &value(number)) {
            Ok(()) => {
                number += 1;
                *store = Some(open_store);
            }
            Err(StoreError::Stopped { cause }) => {
                assert!(cause.is_full(), "{cause}");
                drop(open_store);
                disk.disk.restart(Survival::Everything);
            }
            Err(error) => {
                assert!(error.is_full(), "{error}");
                *store = Some(open_store);
                return number;
            }
        }
    }
}

/// On every layout of the log, beside background threads or not, in one life or over a restart.
#[test]
fn deletes_are_taken_and_their_room_comes_back() {
    for layout in [LogLayout::Recycled, LogLayout::Prefilled, LogLayout::Append] {
        for (threads, is_reopened, separate_bytes) in
            [(0, false, 0), (0, true, 500), (2, false, 500), (2, true, 0), (0, false, 500), (2, true, 500)]
        {
            let story = format!(
                "{layout:?}, {threads} threads, reopened: {is_reopened}, separated from {separate_bytes} bytes"
            );
            let (disk, mut options) = (Small::new(ROOM), options(layout, threads));
            options.values.separate_bytes = separate_bytes;
            let mut store = Some(open(&disk, &options));
            let filled = fill(&disk, &options, &mut store);
            assert!(filled > 800, "{story}: {filled}");
            if is_reopened {
                drop(store.take());
                disk.disk.restart(Survival::Everything);
                let read_only = Store::open_read_only_on(Arc::new(disk.clone()), &options).unwrap();
                assert_eq!(read_only.get(&key(filled - 1)).unwrap(), Some(value(filled - 1)), "{story}");
                drop(read_only);
                disk.disk.restart(Survival::Everything);
            }
            let store = store.unwrap_or_else(|| open(&disk, &options));
            for number in 0..filled {
                assert_eq!(store.get(&key(number)).unwrap(), Some(value(number)), "{story}: {number}");
            }
            let kept = filled / 20;
            for number in kept..filled {
                store.delete(&key(number)).unwrap_or_else(|error| panic!("{story}: {number}: {error}"));
            }
            store.drain().unwrap_or_else(|error| panic!("{story}: {error}"));
            assert!(disk.free() > ROOM / 2, "{story}: {} of {ROOM} are free", disk.free());
            store.put(&key(filled), &value(filled)).unwrap_or_else(|error| panic!("{story}: {error}"));
            let mut found = 0;
            let count = |_: &[u8], _: &[u8]| {
                found += 1;
                std::ops::ControlFlow::Continue(())
            };
            store.scan(&Keys::all(), count).unwrap();
            assert_eq!(found, kept + 1, "{story}");
            store.close().unwrap();
            let verification = verify_on(Arc::new(disk.disk.clone())).unwrap();
            assert!(verification.problems.is_empty(), "{story}: {:?}", verification.problems);
            assert!(verification.unknown_files.is_empty(), "{story}: {:?}", verification.unknown_files);
        }
    }
}

/// Deletes came faster than flushes, each memtable of them had a log segment, and four segments were more than the
/// reserve: a delete failed on a loaded machine.
#[test]
fn deletes_wait_for_flushes_that_give_room() {
    let (disk, options) = (Small::flushing_slowly(ROOM), options(LogLayout::Prefilled, 2));
    let mut options = Options { memtables_max: 16, reserve_bytes: Some(1 << 20), ..options };
    options.log.segment_bytes = 128 << 10;
    let mut store = Some(open(&disk, &options));
    let filled = fill(&disk, &options, &mut store);
    let store = store.unwrap_or_else(|| open(&disk, &options));
    for number in 0..20_000 {
        store.delete(&key(number % filled)).unwrap_or_else(|error| panic!("{number}: {error}"));
    }
    store.close().unwrap();
}

/// What the store has does not fit twice: the merge is refused, the store is not.
#[test]
fn a_merge_without_room_is_put_off() {
    let (disk, options) = (Small::new(ROOM), options(LogLayout::Recycled, 0));
    let mut store = Some(open(&disk, &options));
    let filled = fill(&disk, &options, &mut store);
    let store = store.unwrap();
    assert!(matches!(store.drain(), Err(StoreError::Full { .. })));
    let mut random = Random::new(1);
    for _ in 0..100 {
        let number = random.below(u64::from(filled)) as u32;
        assert_eq!(store.get(&key(number)).unwrap(), Some(value(number)));
    }
    store.delete(&key(0)).unwrap();
    store.close().unwrap();
}

/// The merge that scans have paid for does not fit: the runs stay, and neither a drain nor a writer suffers.
#[test]
fn a_merge_for_scans_without_room_is_left_undone() {
    let (disk, options) = (Small::new(ROOM), options(LogLayout::Recycled, 0));
    let tiers = SizeTieredOptions { runs_merged: 20, ..SizeTieredOptions::default() };
    let options = Options { partitions: 1, compaction: CompactionOptions::SizeTiered(tiers), ..options };
    let store = open(&disk, &options);
    let mut filled = 0;
    while disk.free() as u64 > store.statistics().run_bytes {
        store.put(&key(filled), &value(filled)).unwrap();
        filled += 1;
        if filled % 100 == 0 {
            store.drain().unwrap();
        }
    }
    let (runs, run_bytes) = (store.statistics().runs, store.statistics().run_bytes);
    assert!(runs > 2);
    while store.statistics().counts.scan_reads_in_vain < run_bytes >> 10 {
        let all = Keys::all().limit(3);
        store.scan(&all, |_, _| std::ops::ControlFlow::Continue(())).unwrap();
    }
    let compactions = store.statistics().counts.compactions;
    store.drain().unwrap();
    let after = store.statistics();
    assert!(after.counts.compactions > compactions, "it was tried");
    assert!(after.runs >= runs, "{} of {runs}", after.runs);
    store.put(&key(filled), &value(filled)).unwrap();
    store.close().unwrap();
}

/// A merge that separates values writes a value file beside its run. Both go if there is no room.
#[test]
fn a_value_file_of_a_merge_without_room_is_removed() {
    let (disk, mut options) = (Small::new(ROOM), options(LogLayout::Recycled, 0));
    let mut store = Some(open(&disk, &options));
    let filled = fill(&disk, &options, &mut store);
    drop(store);
    disk.disk.restart(Survival::Everything);
    options.values.separate_bytes = 500;
    let store = open(&disk, &options);
    // Deletes at both ends: a merge that drops them needs room for everything between.
    for number in (0..5).chain(filled - 5..filled) {
        store.delete(&key(number)).unwrap();
    }
    assert!(matches!(store.drain(), Err(StoreError::Full { .. })));
    let names = disk.names().unwrap();
    let files =
        names.iter().filter(|name| Path::new(name).extension().is_some_and(|found| found == "values"));
    assert_eq!(files.count(), store.statistics().value_files, "{names:?}");
    assert_eq!(store.get(&key(filled - 6)).unwrap(), Some(value(filled - 6)));
    store.close().unwrap();
}

/// A store for which room was made from outside takes puts again.
#[test]
fn room_from_elsewhere_is_taken_back() {
    let (mut disk, options) = (Small::new(ROOM), options(LogLayout::Recycled, 0));
    let mut store = Some(open(&disk, &options));
    fill(&disk, &options, &mut store);
    drop(store);
    disk.disk.restart(Survival::Everything);
    disk.room += 2 * ROOM;
    let store = open(&disk, &options);
    store.put(b"new", b"value").unwrap();
    store.drain().unwrap();
}

/// A disk that copies on write, with a store that has a spare segment, and less room than a block takes.
fn almost_full(options: &Options) -> (Small, Store) {
    let disk = Small::copying(ROOM);
    let store = open(&disk, options);
    for number in 0..90 {
        store.put(&key(number), &value(number)).unwrap();
    }
    store.drain().unwrap();
    let names = disk.names().unwrap();
    let is_segment = |name: &&String| Path::new(name).extension().is_some_and(|found| found == "log");
    assert!(names.iter().filter(is_segment).count() >= 2, "{names:?}");
    let filler = disk.free() - 3000;
    disk.taken.lock().unwrap().insert("filler".to_owned(), filler);
    (disk, store)
}

/// The note in the first block of a segment names the next one. On a full btrfs it found no room, and the store
/// stopped.
#[test]
fn a_change_of_segments_uses_the_reserve() {
    for layout in [LogLayout::Recycled, LogLayout::Prefilled] {
        let mut options = options(layout, 0);
        (options.log.io, options.log.packing) = (IoMode::Buffered, LogPacking::Packed);
        let (disk, store) = almost_full(&options);
        let mut acknowledged = 0;
        let refused = loop {
            let number = 1000 + acknowledged;
            // No large values: their files need room of their own.
            match store.put(&key(number), &[7; 1000]) {
                Ok(()) => acknowledged += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(refused, StoreError::Full { .. }), "{layout:?}, after {acknowledged}: {refused:?}");
        assert!(!disk.taken.lock().unwrap().contains_key("RESERVE"), "{layout:?}: the note needed it");
        store.delete(&key(1000)).unwrap();
        drop(store);
        disk.disk.restart(Survival::Synced);
        let store = open(&disk, &options);
        for number in 1001..1000 + acknowledged {
            assert!(store.get(&key(number)).unwrap().is_some(), "{layout:?}: {number} of {acknowledged}");
        }
    }
}

/// The note of a sync says how far the log is durable.
#[test]
fn a_sync_uses_the_reserve() {
    let mut options = Options { durability: DurabilityClass::Process, ..options(LogLayout::Recycled, 0) };
    (options.log.io, options.log.packing) = (IoMode::Buffered, LogPacking::Packed);
    let (_disk, store) = almost_full(&options);
    store.put(&key(1), &[7; 1000]).unwrap();
    store.sync().unwrap();
    assert_eq!(store.get(&key(1)).unwrap(), Some(vec![7; 1000]));
}
