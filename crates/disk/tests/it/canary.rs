//! The compression canary: figures if there is direct I/O, a reason if there is none, and nothing left behind.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use crate::support;

use disk::canary::measure;
use disk::filesystem::{FileSystemKind, mount};
use disk::work_directory::WorkDirectory;
use std::path::{Path, PathBuf};
use support::{alone, scratch, work};

fn content(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn both_kinds_of_data_are_measured_and_the_files_are_removed() {
    let directory = work();
    let before = content(directory.path());
    let began = std::time::Instant::now();
    let canary = measure(directory.path());
    let took_s = began.elapsed().as_secs_f64();
    println!("{took_s} s: {canary:?}");
    let canary = canary.value().unwrap();
    assert_eq!(canary.bytes, 8 << 20);
    assert!((1..=6).contains(&canary.pairs.len()));
    for pair in &canary.pairs {
        for seconds in [pair.random_write_s, pair.zero_write_s, pair.random_read_s, pair.zero_read_s] {
            assert!(seconds > 0.0 && seconds < took_s, "{pair:?}");
        }
    }
    assert_eq!(content(directory.path()), before);
}

#[test]
fn without_direct_io_there_is_a_reason() {
    let Ok(parent) = tempfile::tempdir_in("/dev/shm") else {
        skip::because("no /dev/shm");
        return;
    };
    let directory = WorkDirectory::create(parent.path()).unwrap();
    let before = content(directory.path());
    let canary = measure(directory.path());
    insta::assert_snapshot!(canary.reason().unwrap(), @"this file system is in memory: its O_DIRECT is the page cache");
    assert_eq!(content(directory.path()), before);
}

#[test]
fn nothing_is_written_outside_a_work_directory_or_over_another_file() {
    let foreign = scratch();
    let canary = measure(foreign.path());
    assert!(canary.reason().is_some(), "{canary:?}");
    assert!(content(foreign.path()).is_empty());

    let directory = work();
    let name = format!(".syncline-canary-zero-{}", std::process::id());
    let theirs = directory.path().join(name);
    std::fs::write(&theirs, "theirs").unwrap();
    let before = content(directory.path());
    let canary = measure(directory.path());
    assert!(canary.reason().unwrap().contains("File exists"), "{canary:?}");
    // The other file was made first and is gone again.
    assert_eq!(content(directory.path()), before);
    assert_eq!(std::fs::read(&theirs).unwrap(), b"theirs");
}

/// A file system that is full ends the canary with a reason and without its files.
#[test]
fn a_full_file_system_is_a_reason() {
    const NAME: &str = "canary::a_full_file_system_is_a_reason";
    if let Some(reason) = support::cannot_mount(&["mount", "losetup", "mkfs.ext4"]) {
        skip::because(reason);
        return;
    }
    alone(NAME, |parent| {
        let work = WorkDirectory::create(parent).unwrap();
        let mounted = mount(work.path(), FileSystemKind::Ext4, FileSystemKind::Ext4.minimum_bytes()).unwrap();
        let room = disk::files::space_available(&mounted.point).unwrap();
        let ballast = std::fs::File::create(mounted.point.join("ballast")).unwrap();
        rustix::fs::fallocate(&ballast, rustix::fs::FallocateFlags::empty(), 0, room - (4 << 20)).unwrap();
        let before = content(&mounted.point);
        // Root may use the blocks that are reserved for it, so leave it none.
        let reserve = std::fs::File::create(mounted.point.join("reserve")).unwrap();
        let mut bytes = 256 << 20;
        while bytes >= 4096 {
            let size = reserve.metadata().unwrap().len();
            match rustix::fs::fallocate(&reserve, rustix::fs::FallocateFlags::empty(), size, bytes) {
                Ok(()) => {}
                Err(_) => bytes /= 2,
            }
        }
        let canary = measure(&mounted.point);
        assert!(canary.reason().unwrap().contains("No space left"), "{canary:?}");
        assert_eq!(content(&mounted.point).len(), before.len() + 1, "only the reserve is new");
    });
}
