//! What the RocksDB adapter promises beyond the conformance suite.

#![cfg(feature = "rocksdb")]

use engine::adapter::{RocksDb, open};
use engine::{Engine, Options};
use model::IoMode;
use model::mechanism::Measured;
use rustix::fs::OFlags;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn scratch() -> tempfile::TempDir {
    // tmpfs has no O_DIRECT, and /tmp may be one.
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn put_some(engine: &RocksDb, entries: u32) {
    for index in 0..entries {
        // Scattered, so that tables overlap and have to be compacted.
        engine.put(&index.wrapping_mul(2_654_435_761).to_be_bytes(), &[index as u8; 100]).unwrap();
    }
}

/// The flags with which this process has files with this extension open below `directory`.
fn open_flags(directory: &Path, extension: &str) -> Vec<OFlags> {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().map_while(Result::ok);
    descriptors
        .filter_map(|descriptor| {
            let file = fs::read_link(descriptor.path()).ok()?;
            let wanted =
                file.starts_with(directory) && file.extension().is_some_and(|found| found == extension);
            let number = descriptor.file_name();
            wanted.then(|| fs::read_to_string(Path::new("/proc/self/fdinfo").join(number)).unwrap())
        })
        .map(|facts| {
            let flags = facts.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
            OFlags::from_bits_retain(u32::from_str_radix(flags.trim(), 8).unwrap())
        })
        .collect()
}

/// Flushes and compactions have their outputs open for moments only: what RocksDB understood is in its OPTIONS file.
fn options_file(data: &Path) -> String {
    let mut entries = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let path =
        entries.find(|path| path.file_name().unwrap().to_string_lossy().starts_with("OPTIONS-")).unwrap();
    fs::read_to_string(path).unwrap()
}

#[test]
fn direct_io_opens_its_tables_with_o_direct_and_buffered_io_does_not() {
    for io in [IoMode::Direct, IoMode::Buffered] {
        let directory = scratch();
        let mut options = Options::new(directory.path().canonicalize().unwrap().join("store"));
        options.io = io;
        let engine: RocksDb = open(&options).unwrap();
        put_some(&engine, 1000);
        engine.drain().unwrap();
        let flags = open_flags(&options.directory, "sst");
        let direct = io == IoMode::Direct;
        assert!(!flags.is_empty(), "{io:?}");
        assert!(flags.iter().all(|flags| flags.contains(OFlags::DIRECT) == direct), "{io:?}: {flags:?}");
        let understood = options_file(&options.directory.join("data"));
        for setting in ["use_direct_reads", "use_direct_io_for_flush_and_compaction"] {
            assert!(understood.contains(&format!("{setting}={direct}")), "{io:?}: {setting}");
        }
        engine.close().unwrap();
    }
}

/// Names and sizes of the tables: allocated blocks are the file system's to change, when others have it write out.
fn tables(data: &Path) -> BTreeMap<PathBuf, u64> {
    let paths = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    let tables = paths.filter(|path| path.extension().is_some_and(|extension| extension == "sst"));
    tables.map(|path| (path.clone(), fs::metadata(path).unwrap().len())).collect()
}

#[test]
fn draining_leaves_nothing_to_compact() {
    let directory = scratch();
    let mut options = Options::new(directory.path().join("store")).durability("no_wal");
    options.write_buffer_bytes = Some(1 << 18);
    let engine: RocksDb = open(&options).unwrap();
    put_some(&engine, 100_000);
    assert!(matches!(engine.drain().unwrap(), Measured::Value(seconds) if seconds > 0.0));
    let drained = tables(&options.directory.join("data"));
    assert!(!drained.is_empty());
    // Closing waits for whatever goes on behind the measurement.
    engine.close().unwrap();
    assert_eq!(tables(&options.directory.join("data")), drained);
}

#[test]
fn writers_that_are_held_up_are_counted() {
    let directory = scratch();
    let mut options = Options::new(directory.path().join("store")).durability("no_wal");
    // Two memtables of this size, and flushes that have to keep up.
    options.write_buffer_bytes = Some(1 << 16);
    let engine: RocksDb = open(&options).unwrap();
    put_some(&engine, 200_000);
    let stalled = engine.stats().write_stall_s;
    assert!(matches!(stalled, Measured::Value(seconds) if seconds > 0.0), "{stalled:?}");
    engine.close().unwrap();
}
