//! Real file systems of a few MiB: one that is full, one that becomes read-only.
//!
//! Without the test harness: a mount namespace belongs to a process that has no other thread yet.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use disk::filesystem::{FileSystemKind, mount};
use disk::kernel::scheduling::private_mounts;
use disk::work_directory::WorkDirectory;
use model::{DurabilityClass, IoMode};
use rustix::mount::{MountFlags, mount_remount};
use std::fs;
use std::io::Write;
use std::path::Path;
use store::{CompactionOptions, LogLayout, Options, SizeTieredOptions, Store, StoreError, verify};

const DISK_BYTES: u64 = 64 << 20;
/// Values that a store has when something else fills the file system.
const BEFORE: u32 = 3000;

fn main() {
    private_mounts().unwrap_or_else(|error| {
        skip::because(error);
        std::process::exit(0);
    });
    let work = WorkDirectory::create(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let mounted = match mount(work.path(), FileSystemKind::Ext4, DISK_BYTES) {
        Ok(mounted) => mounted,
        Err(error) => {
            skip::because(error);
            work.remove().unwrap();
            return;
        }
    };
    for (log, layout, data) in [
        (IoMode::Direct, LogLayout::Recycled, IoMode::Direct),
        (IoMode::Buffered, LogLayout::Append, IoMode::DontCache),
        (IoMode::Mmap, LogLayout::Prefilled, IoMode::Buffered),
    ] {
        full(&mounted.point, log, layout, data);
    }
    read_only(&mounted.point);
    work.remove().unwrap();
}

fn options(log: IoMode, layout: LogLayout, data: IoMode) -> Options {
    let mut options = Options {
        durability: DurabilityClass::Process,
        memtable_bytes: 1 << 20,
        compaction: CompactionOptions::SizeTiered(SizeTieredOptions::default()),
        ..Options::default()
    };
    (options.log.io, options.log.layout, options.data.io) = (log, layout, data);
    options.log.segment_bytes = 1 << 20;
    options
}

fn free_bytes(point: &Path) -> u64 {
    let facts = rustix::fs::statvfs(point).unwrap();
    facts.f_bavail * facts.f_frsize
}

fn value(number: u32) -> Vec<u8> {
    number.to_be_bytes().iter().copied().cycle().take(4000).collect()
}

fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

/// Takes all that is free.
fn fill_up(filler: &Path) {
    let mut file = fs::File::options().append(true).create(true).open(filler).unwrap();
    let mut bytes = 1 << 20;
    while bytes >= 4096 {
        if file.write_all(&vec![7; bytes]).and_then(|()| file.sync_all()).is_err() {
            bytes /= 2;
        }
    }
}

/// A store on a file system that is full opens, can be read, takes deletes, and gives their room back.
fn full(point: &Path, log: IoMode, layout: LogLayout, data: IoMode) {
    let context = format!("log {log} {layout:?}, data {data}");
    let (path, options) = (point.join("store"), options(log, layout, data));
    let mut store = match Store::open(&path, &options) {
        Err(StoreError::Options { option, reason }) => {
            skip::because(format_args!("{context}: {option}: {reason}"));
            return;
        }
        opened => opened.unwrap(),
    };
    let mut filled = 0;
    while filled < BEFORE {
        store.put(&key(filled), &value(filled)).unwrap();
        filled += 1;
    }
    let filler = point.join("filler");
    fill_up(&filler);
    loop {
        match store.put(&key(filled), &value(filled)) {
            Ok(()) => filled += 1,
            Err(StoreError::Full { .. }) => break,
            // A write to a log that grows found no room.
            Err(error) => {
                assert!(error.is_full(), "{context}: {error}");
                drop(store);
                store = Store::open(&path, &options).unwrap_or_else(|error| panic!("{context}: {error}"));
            }
        }
    }
    println!("{context}: {filled} values, then {} bytes free", free_bytes(point));
    drop(store);
    let read_only = Store::open_read_only(&path, &options).unwrap();
    assert_eq!(read_only.get(&key(filled - 1)).unwrap(), Some(value(filled - 1)), "{context}");
    drop(read_only);
    let store = Store::open(&path, &options).unwrap_or_else(|error| panic!("{context}: {error}"));
    for number in 0..filled {
        assert_eq!(store.get(&key(number)).unwrap(), Some(value(number)), "{context}: {number}");
    }
    let kept = filled / 20;
    for number in kept..filled {
        store.delete(&key(number)).unwrap_or_else(|error| panic!("{context}: {number}: {error}"));
    }
    store.drain().unwrap_or_else(|error| panic!("{context}: {error}"));
    let free = free_bytes(point);
    assert!(free > u64::from(BEFORE) * 4000 / 2, "{context}: {free} bytes are free");
    store.put(&key(filled), b"new").unwrap_or_else(|error| panic!("{context}: {error}"));
    for number in 0..=filled {
        assert_eq!(
            store.get(&key(number)).unwrap().is_some(),
            number < kept || number == filled,
            "{context}"
        );
    }
    store.close().unwrap();
    let verification = verify(&path).unwrap();
    assert!(verification.problems.is_empty(), "{context}: {:?}", verification.problems);
    assert!(verification.unknown_files.is_empty(), "{context}: {:?}", verification.unknown_files);
    fs::remove_dir_all(&path).unwrap();
    fs::remove_file(&filler).unwrap();
}

/// On a read-only mount the store can be read, the log included; to open it for writing fails.
fn read_only(point: &Path) {
    let path = point.join("store");
    let options = options(IoMode::Direct, LogLayout::Recycled, IoMode::Direct);
    let store = Store::open(&path, &options).unwrap();
    for number in 0..1000 {
        store.put(&key(number), &value(number)).unwrap();
    }
    drop(store);
    mount_remount(point, MountFlags::RDONLY, c"").unwrap();
    let store = Store::open_read_only(&path, &options).unwrap();
    for number in 0..1000 {
        assert_eq!(store.get(&key(number)).unwrap(), Some(value(number)));
    }
    assert!(matches!(store.put(b"a", b"b"), Err(StoreError::ReadOnly { .. })));
    store.close().unwrap();
    assert!(verify(&path).unwrap().problems.is_empty());
    match Store::open(&path, &options) {
        Err(StoreError::Io { source, .. }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::ReadOnlyFilesystem, "{source}");
        }
        other => panic!("{other:?}"),
    }
    mount_remount(point, MountFlags::empty(), c"").unwrap();
}
