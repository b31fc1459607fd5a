//! What a file table opens, and what it refuses to.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::{FileTable, FileTableError};
use driver::{Backend, MonotonicClock};
use model::{BlockKind, BlockOp, IoMode};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn refusal(path: &Path) -> FileTableError {
    FileTable::new().open(path, IoMode::Buffered, true).unwrap_err()
}

/// What the path is instead of a regular file.
fn found(path: &Path) -> &'static str {
    match refusal(path) {
        FileTableError::NotRegular { found, .. } => found,
        error => panic!("{error}"),
    }
}

#[test]
fn only_regular_files_are_opened() {
    let directory = temporary();
    let path = |name: &str| directory.path().join(name);
    File::create(path("file")).unwrap();
    std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
    // Opening a pipe without a writer would block for ever.
    mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    assert_eq!(found(directory.path()), "directory");
    assert_eq!(found(&path("link")), "symbolic link");
    assert_eq!(found(&path("pipe")), "named pipe");
    assert_eq!(found(Path::new("/dev/null")), "character device");
    let missing = refusal(&path("missing"));
    assert!(
        matches!(&missing, FileTableError::Open { source, .. } if source.kind() == ErrorKind::NotFound),
        "{missing}"
    );
    let mut files = FileTable::new();
    for index in 0..3 {
        assert_eq!(files.open(&path("file"), IoMode::Buffered, true).unwrap(), index);
    }
    assert_eq!(files.len(), 3);
    assert_eq!(files.get(2).unwrap().path, path("file"));
    assert!(files.get(3).is_none());
}

#[test]
fn a_block_device_is_refused_without_opening_it() {
    let device = temporary();
    let path = device.path().join("device");
    // A device number without a driver: opening it would be ENXIO, so a refusal by type proves it was not opened.
    match mknodat(CWD, &path, FileType::BlockDevice, Mode::RUSR | Mode::WUSR, rustix::fs::makedev(4094, 7)) {
        Ok(()) => assert_eq!(found(&path), "block device"),
        Err(errno) => skip::because(format_args!("mknod: {errno}")),
    }
}

#[test]
fn alignment_is_checked_for_direct_files_only() {
    let directory = temporary();
    let path = directory.path().join("file");
    File::create(&path).unwrap();
    let mut files = FileTable::new();
    let buffered = files.open(&path, IoMode::Buffered, true).unwrap();
    let direct = files.open(&path, IoMode::Direct, true).unwrap();
    let aligned =
        BlockOp { id: 0, kind: BlockKind::Write, file: direct, offset: 1024, length: 512, buffer: 256 };
    let check = |operation: BlockOp| files.check_alignment(512, 256, &operation);
    check(aligned).unwrap();
    check(BlockOp { file: buffered, offset: 1, length: 1, buffer: 1, ..aligned }).unwrap();
    check(BlockOp { kind: BlockKind::DataSync, offset: 1, length: 0, buffer: 1, ..aligned }).unwrap();
    let wrong = [
        (BlockOp { offset: 100, ..aligned }, ("an offset", 512, 100)),
        (BlockOp { length: 513, ..aligned }, ("a length", 512, 513)),
        (BlockOp { buffer: 128, ..aligned }, ("a buffer", 256, 128)),
    ];
    for (operation, expected) in wrong {
        let error = check(operation).unwrap_err();
        let FileTableError::Misaligned { what, alignment, value, .. } = error else { panic!("{error}") };
        assert_eq!((what, alignment, value), expected);
    }
    let error = check(BlockOp { file: 2, ..aligned }).unwrap_err();
    assert!(matches!(error, FileTableError::NoSuchFile { index: 2, files: 2 }), "{error}");
}

#[test]
fn tmpfs_has_neither_direct_nor_dontcache() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        skip::because("no /dev/shm");
        return;
    };
    let path = directory.path().join("file");
    File::create(&path).unwrap().set_len(8192).unwrap();
    let mut files = FileTable::new();
    let refused = files.open(&path, IoMode::Direct, true).unwrap_err();
    assert!(matches!(refused, FileTableError::DirectUnsupported { .. }), "{refused}");
    files.open(&path, IoMode::DontCache, true).unwrap();
    let setup = Setup {
        files: Arc::new(files),
        arena: Arc::new(Arena::new(4096).unwrap()),
        clock: MonotonicClock::start(),
        in_flight_max: 2,
        registered: true,
    };
    for kind in [BackendKind::Psync, BackendKind::Uring] {
        if let Err(reason) = kind.supported() {
            skip::because(reason);
            continue;
        }
        let mut backend = kind.build(&setup).unwrap();
        let operation = BlockOp { id: 0, kind: BlockKind::Read, file: 0, offset: 0, length: 4096, buffer: 0 };
        let write = BlockOp { id: 1, kind: BlockKind::WriteDsync, ..operation };
        backend.submit(&[operation, write]).unwrap();
        let mut out = Vec::new();
        backend.reap(2, None, &mut out).unwrap();
        assert!(out.iter().all(|completion| completion.result == -libc::EOPNOTSUPP), "{kind:?}: {out:?}");
    }
}

#[test]
fn a_ring_without_locked_memory_still_works_and_says_so() {
    if let Err(reason) = BackendKind::Uring.supported() {
        skip::because(reason);
        return;
    }
    // Capabilities and the ring belong to a thread; the limit, to the process: 64 MiB is above every default of it.
    let limit = rustix::process::getrlimit(rustix::process::Resource::Memlock);
    if limit.current.is_none_or(|bytes| bytes >= 64 << 20) {
        skip::because(format_args!("RLIMIT_MEMLOCK is {limit:?}"));
        return;
    }
    let without_ipc_lock = std::thread::spawn(|| {
        let mut sets = rustix::thread::capabilities(None).unwrap();
        sets.effective.remove(rustix::thread::CapabilitySet::IPC_LOCK);
        rustix::thread::set_capabilities(None, sets).unwrap();
        let directory = temporary();
        let path = directory.path().join("file");
        std::fs::write(&path, [42_u8; 4096]).unwrap();
        let mut files = FileTable::new();
        files.open(&path, IoMode::Buffered, true).unwrap();
        let mut arena = Arc::new(Arena::new(64 << 20).unwrap());
        let clock = MonotonicClock::start();
        let setup = Setup {
            files: Arc::new(files),
            arena: Arc::clone(&arena),
            clock,
            in_flight_max: 2,
            registered: true,
        };
        let mut backend = BackendKind::Uring.build(&setup).unwrap();
        assert!(backend.notes()[0].contains("RLIMIT_MEMLOCK"), "{:?}", backend.notes());
        let read =
            BlockOp { id: 0, kind: BlockKind::Read, file: 0, offset: 0, length: 4096, buffer: 32 << 20 };
        let write = BlockOp { id: 1, kind: BlockKind::Write, offset: 4096, buffer: 0, ..read };
        backend.submit(&[read, write]).unwrap();
        let mut out = Vec::new();
        backend.reap(2, None, &mut out).unwrap();
        assert!(out.iter().all(|completion| completion.result == 4096), "{out:?}");
        drop((backend, setup));
        assert_eq!(Arc::get_mut(&mut arena).unwrap().bytes(32 << 20, 4096), [42; 4096]);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 8192);
    });
    without_ipc_lock.join().unwrap();
}
