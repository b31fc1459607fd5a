//! A Syncline that is killed between making its work directory and marking it used to leave that directory for ever: it
//! carried no marker, so no later run took it for its own. Whatever is in it now was put there by somebody else.

use crate::support;

use disk::work_directory::{NAME_PREFIX, WorkDirectory};
use rustix::fs::FlockOperation;
use std::fs::File;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use support::scratch;

const MARKER: &str = "SYNCLINE-WORK-DIRECTORY";
const OLD: Duration = Duration::from_mins(1);

/// A directory as `mkdir` leaves it.
fn make(parent: &Path, name: &str) -> PathBuf {
    let path = parent.canonicalize().expect("there").join(name);
    std::fs::create_dir(&path).expect("made");
    path
}

/// Sets back the time of a directory's last change.
fn age(directory: &Path, by: Duration) {
    let changed = SystemTime::now().checked_sub(by).expect("after 1970");
    File::open(directory).and_then(|directory| directory.set_modified(changed)).expect("ours");
}

#[track_caller]
fn assert_stays(parent: &Path, directory: &Path) {
    assert_eq!(WorkDirectory::clean_abandoned(parent).expect("listed").removed, Vec::<PathBuf>::new());
    assert!(directory.exists());
}

#[test]
fn what_a_killed_maker_leaves_is_removed() {
    let parent = scratch();
    let unmarked = make(parent.path(), &format!("{NAME_PREFIX}a"));
    let empty_marker = make(parent.path(), &format!("{NAME_PREFIX}b"));
    File::create(empty_marker.join(MARKER)).expect("made");
    age(&unmarked, OLD);
    age(&empty_marker, OLD);
    let mut removed = WorkDirectory::clean_abandoned(parent.path()).expect("cleaned").removed;
    removed.sort();
    assert_eq!(removed, [unmarked.as_path(), &empty_marker]);
    assert!(!unmarked.exists() && !empty_marker.exists());
}

#[test]
fn a_young_one_stays_because_its_maker_may_be_at_work() {
    let parent = scratch();
    let young = make(parent.path(), &format!("{NAME_PREFIX}young"));
    assert_stays(parent.path(), &young);
    File::create(young.join(MARKER)).expect("made");
    assert_stays(parent.path(), &young);
    age(&young, Duration::from_secs(5));
    assert_stays(parent.path(), &young);
    let changed = SystemTime::now() + OLD;
    File::open(&young).and_then(|directory| directory.set_modified(changed)).expect("ours");
    assert_stays(parent.path(), &young);
}

#[test]
fn one_with_anything_in_it_stays() {
    let parent = scratch();
    for name in ["file", MARKER] {
        for beside in [false, true] {
            let directory = make(parent.path(), &format!("{NAME_PREFIX}{name}-{beside}"));
            std::fs::write(directory.join(name), if beside { "" } else { "mine" }).expect("written");
            if beside {
                std::fs::write(directory.join("beside"), "").expect("written");
            }
            age(&directory, OLD);
            assert_stays(parent.path(), &directory);
            assert!(directory.join(name).exists());
        }
    }
    // A marker that is not a file: a directory, a link to an empty file.
    let directory = make(parent.path(), &format!("{NAME_PREFIX}directory"));
    std::fs::create_dir(directory.join(MARKER)).expect("made");
    let linked = make(parent.path(), &format!("{NAME_PREFIX}linked"));
    let empty = parent.path().join("empty");
    File::create(&empty).expect("made");
    symlink(&empty, linked.join(MARKER)).expect("linked");
    age(&directory, OLD);
    age(&linked, OLD);
    assert_stays(parent.path(), &directory);
    assert!(linked.join(MARKER).is_symlink() && empty.exists());
}

#[test]
fn one_whose_marker_is_held_stays() {
    let parent = scratch();
    let directory = make(parent.path(), &format!("{NAME_PREFIX}held"));
    let marker = File::create(directory.join(MARKER)).expect("made");
    age(&directory, OLD);
    rustix::fs::flock(&marker, FlockOperation::NonBlockingLockExclusive).expect("free");
    assert_stays(parent.path(), &directory);
    drop(marker);
    assert_eq!(
        WorkDirectory::clean_abandoned(parent.path()).expect("cleaned").removed,
        [directory.as_path()]
    );
}

#[test]
fn other_names_links_and_files_stay() {
    let parent = scratch();
    let other = make(parent.path(), "syncline-work-other");
    age(&other, OLD);
    symlink(&other, parent.path().join(format!("{NAME_PREFIX}link"))).expect("linked");
    File::create(parent.path().join(format!("{NAME_PREFIX}file"))).expect("made");
    assert_stays(parent.path(), &other);
    assert_eq!(std::fs::read_dir(parent.path()).expect("listed").count(), 3);
}

#[test]
fn one_of_another_user_stays() {
    if !rustix::process::geteuid().is_root() {
        skip::because("needs root to give a directory away");
        return;
    }
    let parent = scratch();
    let directory = make(parent.path(), &format!("{NAME_PREFIX}theirs"));
    chown(&directory, Some(65534), None).expect("given away");
    age(&directory, OLD);
    assert_stays(parent.path(), &directory);
    // Ours, with an empty marker of theirs in it.
    let marked = make(parent.path(), &format!("{NAME_PREFIX}marked"));
    File::create(marked.join(MARKER)).expect("made");
    chown(marked.join(MARKER), Some(65534), None).expect("given away");
    age(&marked, OLD);
    assert_stays(parent.path(), &marked);
}

#[test]
fn a_mount_point_stays() {
    if let Some(reason) = support::cannot_mount(&["mount"]) {
        skip::because(reason);
        return;
    }
    support::alone("unfinished_work_directory::a_mount_point_stays", |parent| {
        let precious = make(parent, "precious");
        File::create(precious.join(MARKER)).expect("made");
        age(&precious, OLD);
        let point = make(parent, &format!("{NAME_PREFIX}mounted"));
        rustix::mount::mount_bind(&precious, &point).expect("bound");
        assert_stays(parent, &point);
        assert!(precious.join(MARKER).exists());
    });
}
