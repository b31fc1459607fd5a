//! What is mounted, what arrives, and what is refused.

use crate::support::{attached_below, disk, kinds, mounted_below, until};
use disk::filesystem::{FileSystemKind, FilesystemError};
use forget::{Cut, ForgetError, ForgettingDisk, Unsupported, unsupported};
use rustix::fs::FallocateFlags;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;

#[test]
fn nothing_is_mounted_when_a_disk_is_closed() {
    for kind in kinds() {
        let disk = disk(kind);
        let work = disk.path().parent().expect("in a directory").to_owned();
        assert_eq!(mounted_below(&work).len(), 2);
        assert_eq!(attached_below(&work).len(), 1);
        assert!(std::fs::exists(format!("/sys/block/{}", disk.device())).expect("readable"));
        disk.close().expect("closed");
        assert!(!work.exists());
        assert!(mounted_below(&work).is_empty());
        assert!(until(|| attached_below(&work).is_empty()));
    }
}

#[test]
fn each_fdatasync_is_a_flush_and_each_flush_leaves_nothing_pending() {
    for kind in kinds() {
        let disk = disk(kind);
        let mut file = File::create_new(disk.path().join("wal")).expect("made");
        for _ in 0..20 {
            let before = disk.counts();
            file.write_all(&[1; 4096]).expect("written");
            file.sync_data().expect("synced");
            let after = disk.counts();
            assert!(after.flushes > before.flushes, "{before:?} {after:?}");
            assert!(after.written_bytes >= before.written_bytes + 4096, "{before:?} {after:?}");
        }
    }
}

/// What a discard does, by the file that is the disk. The file system is not disturbed: what is cleared is zero there
/// already.
#[test]
fn what_is_discarded_reads_as_zeros_and_is_no_more_durable_than_a_write() {
    for kind in kinds() {
        let disk = disk(kind);
        let file = disk.path().parent().expect("in a directory").join("device/disk");
        let file = OpenOptions::new().read(true).write(true).open(file).expect("opened");
        let at = kind.minimum_bytes() - 8192;
        let read = || {
            let mut bytes = [0; 8192];
            file.read_exact_at(&mut bytes, at).expect("read");
            bytes
        };
        let before = read();
        file.write_all_at(&[5; 8192], at).expect("written");
        file.sync_all().expect("synced");
        let clears = disk.counts().clears;
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        rustix::fs::fallocate(&file, flags, at + 100, 4096).expect("cleared");
        let bytes = read();
        assert!(bytes[..100].iter().chain(&bytes[4196..]).all(|byte| *byte == 5));
        assert!(bytes[100..4196].iter().all(|byte| *byte == 0));
        let mut flushed = [0; 8192];
        disk.cut(Cut::FlushedOnly).read(at, &mut flushed).expect("read");
        assert_eq!(flushed, [5; 8192], "nothing flushed the discard");
        assert!(disk.counts().clears > clears);
        assert!(rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, 4096).is_err());
        file.write_all_at(&before, at).expect("written");
    }
}

#[test]
fn what_is_unsupported_is_a_value() {
    let folder = crate::support::folder();
    let copies = unsupported(FileSystemKind::Btrfs, 1 << 30);
    assert!(matches!(copies, Some(Unsupported::Kind { kind: FileSystemKind::Btrfs })), "{copies:?}");
    match ForgettingDisk::new(1 << 20, folder, FileSystemKind::Ext4) {
        Err(ForgetError::Unsupported(Unsupported::FileSystem(FilesystemError::TooSmall {
            minimum_bytes,
            ..
        }))) => assert_eq!(minimum_bytes, FileSystemKind::Ext4.minimum_bytes()),
        Err(ForgetError::Unsupported(reason)) => skip::because(reason),
        other => panic!("{other:?}"),
    }
}
