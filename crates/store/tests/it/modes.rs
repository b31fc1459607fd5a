//! Every I/O mode and read engine, on a real file system.

use crate::support::{Random, leveled, logs, small, tiered};
use model::{DurabilityClass, IoMode};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use store::{
    CompactionOptions, FilterKind, Keys, LogLayout, LogPacking, LogSync, Options, ReadEngine, Store,
    StoreError, verify,
};

/// Below the crate's own directory: temporary directories are often in memory, and direct I/O needs a disk.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Opens, or reports what the machine does not have and returns nothing.
fn open(path: &std::path::Path, options: &Options) -> Option<Store> {
    match Store::open(path, options) {
        Ok(store) => Some(store),
        Err(StoreError::Options { option, reason }) => {
            skip::because(format_args!("{option}: {reason}"));
            None
        }
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::Unsupported => {
            skip::because(source);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Whether this machine has what the options require.
fn fill_and_compare(options: &Options, seed: u64) -> bool {
    let directory = directory();
    let Some(store) = open(directory.path(), options) else { return false };
    let mut random = Random::new(seed);
    let mut map = BTreeMap::new();
    for number in 0..3000_u32 {
        let key = (random.below(1500) as u32).to_be_bytes();
        if random.below(10) == 0 {
            store.delete(&key).unwrap();
            map.remove(&key[..]);
        } else {
            let bytes = if random.below(300) == 0 { 9000 } else { 100 };
            let value: Vec<u8> = number.to_be_bytes().iter().copied().cycle().take(bytes).collect();
            store.put(&key, &value).unwrap();
            map.insert(key.to_vec(), value);
        }
    }
    compare(&store, &map);
    store.drain().unwrap();
    compare(&store, &map);
    if options.durability == DurabilityClass::None {
        store.close().unwrap();
    } else {
        drop(store);
    }
    let store = Store::open(directory.path(), options).unwrap();
    compare(&store, &map);
    store.close().unwrap();
    let verification = verify(directory.path()).unwrap();
    assert!(verification.problems.is_empty(), "{:?}", verification.problems);
    assert!(verification.runs > 0 && verification.entries > 0);
    true
}

fn compare(store: &Store, map: &BTreeMap<Vec<u8>, Vec<u8>>) {
    let keys: Vec<_> = (0..1600_u32).map(u32::to_be_bytes).collect();
    for part in keys.chunks(97) {
        for (key, value) in part.iter().zip(store.multi_get(part).unwrap()) {
            assert_eq!(value.as_ref(), map.get(&key[..]));
        }
    }
    let mut each = vec![0; keys.len()];
    let found = |place: usize, value: Option<&[u8]>| {
        each[place] += 1;
        assert_eq!(value, map.get(&keys[place][..]).map(Vec::as_slice));
        if place.is_multiple_of(101) {
            // What takes a value may read others.
            let others = store.multi_get(&keys[place..place + 3]).unwrap();
            assert_eq!((others[0].as_deref(), store.get(&keys[place]).unwrap().as_deref()), (value, value));
        }
    };
    store.get_each(keys.iter(), found).unwrap();
    assert!(each.iter().all(|found| *found == 1), "each key once");
    for key in keys.iter().step_by(7) {
        assert_eq!(store.get(key).unwrap().as_ref(), map.get(&key[..]));
    }
    let mut found = BTreeMap::new();
    store
        .scan(&Keys::all(), |key, value| {
            found.insert(key.to_vec(), value.to_vec());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(&found, map);
    for (key, limit) in keys.iter().step_by(111).zip(1..) {
        let mut found = Vec::new();
        store
            .scan(&Keys::range(&key[..]..).limit(limit * limit), |key, value| {
                found.push((key.to_vec(), value.to_vec()));
                ControlFlow::Continue(())
            })
            .unwrap();
        let expected = map.range(key.to_vec()..).take((limit * limit) as usize);
        assert!(found.iter().map(|(key, value)| (key, value)).eq(expected), "{limit}");
    }
}

fn options(durability: DurabilityClass) -> Options {
    let mut options = Options {
        memtable_bytes: 40 << 10,
        large_value_bytes: 8000,
        background_threads: 2,
        partitions: 2,
        ..small(durability)
    };
    options.log.segment_bytes = 64 << 10;
    options.data.write_bytes = 16 << 10;
    options
}

#[test]
fn data_in_every_mode_with_every_read_engine() {
    for io in [IoMode::Buffered, IoMode::Direct, IoMode::DontCache, IoMode::Mmap] {
        for (engine, separate_bytes) in
            [(ReadEngine::Psync, 0), (ReadEngine::Auto, 0), (ReadEngine::Psync, 50), (ReadEngine::Auto, 50)]
        {
            let mut options = options(DurabilityClass::Process);
            options.log.io = IoMode::Buffered;
            options.data.io = io;
            options.reads.engine = engine;
            options.values.separate_bytes = separate_bytes;
            let ran = fill_and_compare(&options, 1);
            assert!(ran || !is_here(io), "{io:?} was skipped, although this machine has it");
        }
    }
}

/// Whether this machine has a mode, by another way than the store's. It does not know about dontcache.
fn is_here(io: IoMode) -> bool {
    match io {
        IoMode::Buffered | IoMode::Mmap => true,
        IoMode::Direct => disk::files::direct_support(directory().path()).is_ok(),
        IoMode::DontCache => false,
    }
}

#[test]
fn several_large_reads_and_writes_in_flight_in_every_mode() {
    for io in [IoMode::Buffered, IoMode::Direct, IoMode::Mmap] {
        let mut options = options(DurabilityClass::Process);
        (options.log.io, options.data.io) = (IoMode::Buffered, io);
        (options.data.write_depth, options.data.compaction_read_depth) = (4, 3);
        (options.data.write_bytes, options.data.compaction_read_bytes) = (4096, 8192);
        for separate_bytes in [0, 50] {
            (options.values.separate_bytes, options.values.garbage_percent) = (separate_bytes, 1);
            let ran = fill_and_compare(&options, 4);
            assert!(ran || !is_here(io), "{io:?}");
        }
    }
}

#[test]
fn compactions_read_in_a_mode_of_their_own() {
    for (io, compaction_read_io) in [
        (IoMode::Buffered, IoMode::Direct),
        (IoMode::Direct, IoMode::Buffered),
        (IoMode::Mmap, IoMode::Direct),
    ] {
        let mut options = options(DurabilityClass::Process);
        (options.log.io, options.data.io) = (IoMode::Buffered, io);
        options.data.compaction_read_io = Some(compaction_read_io);
        for separate_bytes in [0, 50] {
            (options.values.separate_bytes, options.values.garbage_percent) = (separate_bytes, 1);
            let ran = fill_and_compare(&options, 5);
            assert!(ran || !is_here(IoMode::Direct), "{io:?}");
        }
    }
}

/// What is verified is named; what is not is read as it is.
#[test]
fn reads_verify_checksums_unless_they_need_not() {
    // Behind the header of the page, the numbers of the entry and the key: in the value.
    damage_a_value(0, "run", 60, 0);
    damage_a_value(50, "values", 60, 0);
}

/// Damages a byte of the only value, which is in the only file of this kind.
fn damage_a_value(separate_bytes: usize, kind: &str, byte: usize, named: u64) {
    let directory = directory();
    let mut options = options(DurabilityClass::Power);
    options.values.separate_bytes = separate_bytes;
    (options.log.io, options.data.io) = (IoMode::Buffered, IoMode::Buffered);
    options.partitions = 1;
    let store = Store::open(directory.path(), &options).unwrap();
    store.put(b"key", &[7; 100]).unwrap();
    store.close().unwrap();
    let names = std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
    let run = names.into_iter().find(|path| path.extension().is_some_and(|it| it == kind)).unwrap();
    let mut bytes = std::fs::read(&run).unwrap();
    bytes[byte] ^= 1;
    std::fs::write(&run, bytes).unwrap();
    let read = |options: &Options| Store::open(directory.path(), options).unwrap().get(b"key");
    match read(&options) {
        Err(StoreError::Damaged { path, offset, .. }) => assert_eq!((path, offset), (run, named)),
        other => panic!("{other:?}"),
    }
    options.reads.verify_checksums = false;
    let value = read(&options).unwrap().unwrap();
    assert_eq!(value.iter().position(|byte| *byte != 7).map(|at| value[at]), Some(6));
}

#[test]
fn a_log_in_every_mode_and_layout() {
    let mapped = [
        (LogLayout::Prefilled, LogPacking::Padded, LogSync::Dsync, IoMode::Mmap),
        (LogLayout::Recycled, LogPacking::Packed, LogSync::Fdatasync, IoMode::Mmap),
    ];
    for (layout, packing, sync, io) in logs().into_iter().chain(mapped) {
        for durability in [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power] {
            let mut options = options(durability);
            (options.log.layout, options.log.packing, options.log.sync, options.log.io) =
                (layout, packing, sync, io);
            options.data.io = IoMode::Buffered;
            let ran = fill_and_compare(&options, 2);
            assert!(ran || !is_here(io), "{io:?} was skipped, although this machine has it");
        }
    }
}

#[test]
fn other_pages_filters_caches_and_policies() {
    for (page_bytes, filter, cache_bytes, compaction) in [
        (4096, FilterKind::None, 1 << 20, tiered()),
        (16 << 10, FilterKind::Fuse8, 0, leveled()),
        (64 << 10, FilterKind::Fuse16, 64 << 10, leveled()),
    ] {
        let mut options = options(DurabilityClass::Process);
        (options.data.page_bytes, options.data.filter) = (page_bytes, filter);
        (options.cache_bytes, options.compaction) = (cache_bytes, compaction);
        options.data.prefix_compression = page_bytes > 4096;
        assert!(fill_and_compare(&options, 3) || !is_here(IoMode::Direct));
    }
}

/// What makes cold reads cheap: page index and filter are in memory.
#[test]
fn a_hit_is_one_read_of_a_page_and_a_miss_is_none() {
    let directory = directory();
    let mut options = options(DurabilityClass::Process);
    options.data.io = IoMode::Buffered;
    options.log.io = IoMode::Buffered;
    options.compaction = CompactionOptions::Off;
    let store = Store::open(directory.path(), &options).unwrap();
    for number in 0..4000_u32 {
        store.put(&number.to_be_bytes(), &[9; 50]).unwrap();
    }
    store.drain().unwrap();
    assert!(store.statistics().runs_deep > 1, "there is more than one run to look into");
    let reads = || store.statistics().counts.page_reads;
    let before = reads();
    let keys: Vec<_> = (0..4000_u32).map(u32::to_be_bytes).collect();
    assert!(store.multi_get(&keys).unwrap().iter().all(Option::is_some));
    assert!((4000..=4004).contains(&(reads() - before)), "{}", reads() - before);
    let before = reads();
    // Between the keys that are there, so that only the filter can know.
    let absent: Vec<_> = (0..4000_u32).map(|number| [number.to_be_bytes(), [0; 4]].concat()).collect();
    assert!(store.multi_get(&absent).unwrap().iter().all(Option::is_none));
    assert!(reads() - before <= 4, "{}", reads() - before);
    let statistics = store.statistics();
    assert!(statistics.filter_bytes_per_key().unwrap() < 4.0);
    assert!(statistics.index_bytes_per_key().unwrap() < 2.0);
}

/// Memory for a mapped log is that of one segment, however many wait for a flush.
#[test]
fn a_mapped_log_takes_the_memory_of_the_segment_that_is_written() {
    const SEGMENT_BYTES: usize = 1 << 20;
    let directory = directory();
    let path = directory.path().canonicalize().unwrap();
    let mut options = options(DurabilityClass::Process);
    (options.log.io, options.log.layout, options.data.io) =
        (IoMode::Mmap, LogLayout::Recycled, IoMode::Buffered);
    (options.log.segment_bytes, options.memtable_bytes) = (SEGMENT_BYTES as u64, 1 << 30);
    let store = Store::open(&path, &options).unwrap();
    for number in 0..1500_u32 {
        store.put(&number.to_be_bytes(), &[7; 4000]).unwrap();
    }
    let segments = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
    let segments = segments.filter(|path| path.extension().is_some_and(|it| it == "log")).count();
    assert!(segments >= 6, "{segments}");
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let (mut is_log, mut resident_kib) = (false, 0);
    for line in maps.lines() {
        match line.strip_prefix("Rss:") {
            Some(kib) if is_log => {
                resident_kib += kib.trim_end_matches("kB").trim().parse::<usize>().unwrap();
            }
            Some(_) => {}
            // The line of a mapping ends with its file; the lines of its properties do not.
            None if line.contains('/') => is_log = line.contains(path.to_str().unwrap()),
            None => is_log &= !line.contains("-p "),
        }
    }
    let at_most = (SEGMENT_BYTES + 64 * 4096) / 1024;
    assert!((1..=at_most).contains(&resident_kib), "{resident_kib} KiB of {segments} segments");
}
