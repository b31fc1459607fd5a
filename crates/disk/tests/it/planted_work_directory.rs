//! Marked directories that somebody put into a shared directory: they block nobody, and nothing is removed that is not
//! Syncline's.

use crate::support;

use disk::work_directory::{Cleared, NAME_PREFIX, WorkDirectory, WorkDirectoryError};
use rustix::fs::{AtFlags, CWD, IFlags, Mode, OFlags};
use std::fs;
use std::path::{Path, PathBuf};
use support::{alone, scratch};

const MARKER: &str = "SYNCLINE-WORK-DIRECTORY";

/// A directory as a killed Syncline leaves it, with a file in it.
fn planted(parent: &Path, name: &str) -> PathBuf {
    let directory = parent.canonicalize().expect("there").join(format!("{NAME_PREFIX}{name}"));
    fs::create_dir(&directory).expect("made");
    mark(&directory);
    fs::write(directory.join("file"), "x").expect("written");
    directory
}

fn mark(directory: &Path) {
    let elsewhere = scratch();
    let work = WorkDirectory::create(elsewhere.path()).expect("made");
    fs::copy(work.path().join(MARKER), directory.join(MARKER)).expect("copied");
}

fn clean(parent: &Path) -> Cleared {
    WorkDirectory::clean_abandoned(parent).expect("nothing planted keeps anybody from going on")
}

/// The one that is left, and why.
#[track_caller]
fn left(cleared: Cleared) -> WorkDirectoryError {
    let mut left = cleared.left.into_iter();
    let (Some((_, why)), None) = (left.next(), left.next()) else { panic!("one is left") };
    why
}

/// Issue: 30,000 nested directories overflowed the stack, and SIGABRT was the end of everybody's runs there.
#[test]
fn thirty_thousand_nested_directories_are_removed() {
    const DEPTH: usize = 30_000;
    // The depth matters and the file system does not, and one in memory removes a directory in microseconds.
    let parent = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| scratch());
    let directory = planted(parent.path(), "deep");
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut here = rustix::fs::open(&directory, flags, Mode::empty()).expect("opened");
    for _ in 0..DEPTH {
        rustix::fs::mkdirat(&here, "d", Mode::RWXU).expect("made");
        here = rustix::fs::openat(&here, "d", flags, Mode::empty()).expect("opened");
    }
    drop(here);
    let cleared = clean(parent.path());
    assert_eq!(cleared.removed, [directory.as_path()], "{:?}", cleared.left);
    assert!(!directory.exists());
}

/// Issue: an immutable file inside ended every run there with 1.
#[test]
fn an_immutable_file_is_told_and_everything_else_goes() {
    let parent = scratch();
    let directory = planted(parent.path(), "stuck");
    fs::create_dir_all(directory.join("a/b")).expect("made");
    fs::write(directory.join("a/b/immutable"), "x").expect("written");
    fs::write(directory.join("a/b/gigabytes"), "x").expect("written");
    let other = planted(parent.path(), "other");
    let immutable = fs::File::open(directory.join("a/b/immutable")).expect("opened");
    let before = rustix::fs::ioctl_getflags(&immutable);
    let made = before.and_then(|flags| rustix::fs::ioctl_setflags(&immutable, flags | IFlags::IMMUTABLE));
    if let Err(errno) = made {
        skip::because(format_args!("no file can be made immutable here: {errno}"));
        return;
    }
    let cleared = clean(parent.path());
    let restored = before.and_then(|flags| rustix::fs::ioctl_setflags(&immutable, flags));
    restored.expect("made mutable again");
    assert_eq!(cleared.removed, [other.as_path()]);
    let why = left(cleared);
    let WorkDirectoryError::Kernel(failure) = &why else { panic!("{why}") };
    assert_eq!(failure.path, directory.join("a/b/immutable"));
    assert!(directory.join(MARKER).exists() && directory.join("a/b/immutable").exists());
    assert!(!directory.join("a/b/gigabytes").exists() && !directory.join("file").exists());
    assert_eq!(clean(parent.path()).removed, [directory.as_path()]);
}

#[test]
fn another_users_directory_is_left_alone() {
    if !rustix::process::geteuid().is_root() {
        skip::because("giving a directory away needs root");
        return;
    }
    let parent = scratch();
    let (whole, marker) = (planted(parent.path(), "whole"), planted(parent.path(), "marker"));
    let other = Some(rustix::fs::Uid::from_raw(12_345));
    rustix::fs::chownat(CWD, &whole, other, None, AtFlags::empty()).expect("given away");
    rustix::fs::chownat(CWD, marker.join(MARKER), other, None, AtFlags::empty()).expect("given away");
    let cleared = clean(parent.path());
    assert_eq!((cleared.removed.len(), cleared.left.len()), (0, 2));
    for (_, why) in &cleared.left {
        assert!(matches!(why, WorkDirectoryError::OtherUser { owner: 12_345, .. }), "{why}");
    }
    assert!(whole.join("file").exists() && marker.join("file").exists());
}

/// Issue: a foreign mount inside ended every run there with 1.
#[test]
fn where_something_is_mounted_inside_nothing_is_removed() {
    if let Some(reason) = support::cannot_mount(&["mount"]) {
        skip::because(reason);
        return;
    }
    alone("planted_work_directory::where_something_is_mounted_inside_nothing_is_removed", |parent| {
        let precious = parent.join("precious");
        fs::create_dir(&precious).expect("made");
        fs::write(precious.join("file"), "mine").expect("written");
        let directory = planted(parent, "mounted");
        let point = directory.join("a/b");
        fs::create_dir_all(&point).expect("made");
        rustix::mount::mount_bind(&precious, &point).expect("bound");
        let other = planted(parent, "other");
        let cleared = clean(parent);
        assert_eq!(cleared.removed, [other.as_path()]);
        let why = left(cleared);
        assert!(matches!(&why, WorkDirectoryError::ForeignMount { path } if *path == point), "{why}");
        assert_eq!(fs::read_to_string(precious.join("file")).expect("still there"), "mine");
        assert!(directory.join("file").exists(), "nothing of it is touched");
    });
}

/// Issue: where the marked directory was itself a mount point, what is mounted there was deleted before anybody
/// noticed.
#[test]
fn a_marked_directory_that_is_a_mount_point_keeps_everything() {
    if let Some(reason) = support::cannot_mount(&["mount"]) {
        skip::because(reason);
        return;
    }
    alone("planted_work_directory::a_marked_directory_that_is_a_mount_point_keeps_everything", |parent| {
        let precious = parent.join("precious");
        fs::create_dir(&precious).expect("made");
        fs::write(precious.join("file"), "mine").expect("written");
        mark(&precious);
        let directory = planted(parent, "point");
        rustix::mount::mount_bind(&precious, &directory).expect("bound");
        let why = left(clean(parent));
        assert!(matches!(&why, WorkDirectoryError::ForeignMount { path } if *path == directory), "{why}");
        assert_eq!(fs::read_to_string(precious.join("file")).expect("still there"), "mine");
        assert!(precious.join(MARKER).exists());
    });
}
