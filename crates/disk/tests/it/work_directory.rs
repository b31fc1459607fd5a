//! Work directories: Syncline's are cleaned up, nothing else is ever touched.

use crate::support;

use disk::work_directory::{NAME_PREFIX, WorkDirectory, WorkDirectoryError, require_marked};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::{alone, scratch};

const MARKER: &str = "SYNCLINE-WORK-DIRECTORY";

#[test]
fn it_is_marked_while_it_lives_and_gone_afterwards() {
    let parent = scratch();
    let work = WorkDirectory::create(parent.path()).expect("made");
    let path = work.path().to_owned();
    assert!(path.ends_with(format!("{NAME_PREFIX}{}", work.id())));
    let mode = path.metadata().expect("there").permissions().mode();
    assert_eq!(mode & 0o711, 0o711, "a server that must not run as root gets through: {mode:o}");
    require_marked(&path).expect("marked");
    let marker = std::fs::read_to_string(path.join(MARKER)).expect("readable");
    let process = format!("process {}", std::process::id());
    assert!(marker.lines().any(|line| line == process), "{marker}");
    std::fs::create_dir_all(path.join("a/b")).expect("made");
    std::fs::write(path.join("a/b/c"), "x").expect("written");
    work.remove().expect("removed");
    assert!(!path.exists());

    let path = WorkDirectory::create(parent.path()).expect("made").path().to_owned();
    assert!(!path.exists(), "dropped");
}

#[test]
fn a_parent_that_will_not_do_gives_one_clear_error() {
    let parent = scratch();
    let file = parent.path().join("file");
    std::fs::write(&file, "x").expect("written");
    let error = WorkDirectory::create(&parent.path().join("none")).expect_err("missing");
    assert!(matches!(error, WorkDirectoryError::Missing { .. }), "{error}");
    for path in [&file, &file.join("below")] {
        let error = WorkDirectory::create(path).expect_err("a file");
        assert!(matches!(error, WorkDirectoryError::NotADirectory { .. }), "{error}");
    }
    assert!(WorkDirectory::create(Path::new("/proc")).is_err());
    assert!(WorkDirectory::create(Path::new("/sys/kernel")).is_err());
}

#[test]
fn a_directory_without_our_marker_is_never_touched() {
    let parent = scratch();
    // Empty and just made: its maker may be about to mark it (see `unfinished_work_directory.rs`).
    let unmarked = parent.path().join(format!("{NAME_PREFIX}empty"));
    let foreign = parent.path().join(format!("{NAME_PREFIX}foreign"));
    let linked = parent.path().join(format!("{NAME_PREFIX}linked"));
    let elsewhere = parent.path().join("elsewhere");
    for directory in [&unmarked, &foreign, &elsewhere] {
        std::fs::create_dir(directory).expect("made");
    }
    std::fs::write(foreign.join(MARKER), "something else\n").expect("written");
    std::fs::write(foreign.join("precious"), "mine").expect("written");
    // Marked, abandoned, but reached through a symbolic link, or without Syncline's name.
    leave_behind(&elsewhere);
    symlink(&elsewhere, &linked).expect("linked");
    assert_eq!(WorkDirectory::clean_abandoned(parent.path()).expect("listed").removed, Vec::<PathBuf>::new());
    assert!(unmarked.exists() && foreign.join("precious").exists() && elsewhere.join(MARKER).exists());
    assert!(matches!(require_marked(&foreign), Err(WorkDirectoryError::NotOurs { .. })));
    assert!(matches!(require_marked(&linked), Err(WorkDirectoryError::NotOurs { .. })));
}

/// Turns a directory into what a killed Syncline leaves.
fn leave_behind(directory: &Path) {
    let parent = scratch();
    let work = WorkDirectory::create(parent.path()).expect("made");
    std::fs::copy(work.path().join(MARKER), directory.join(MARKER)).expect("copied");
}

#[test]
fn what_nobody_holds_is_cleaned_and_what_is_held_is_not() {
    let parent = scratch();
    let held = WorkDirectory::create(parent.path()).expect("made");
    let abandoned = parent.path().join(format!("{NAME_PREFIX}abandoned"));
    std::fs::create_dir_all(abandoned.join("deep/er")).expect("made");
    std::fs::write(abandoned.join("deep/er/file"), "x").expect("written");
    leave_behind(&abandoned);
    let canonical = abandoned.canonicalize().expect("there");
    assert_eq!(WorkDirectory::clean_abandoned(parent.path()).expect("cleaned").removed, [canonical]);
    assert!(!abandoned.exists());
    assert!(held.path().exists());
}

#[test]
fn a_symbolic_link_inside_is_removed_and_not_followed() {
    let parent = scratch();
    let precious = parent.path().join("precious");
    std::fs::create_dir(&precious).expect("made");
    std::fs::write(precious.join("file"), "mine").expect("written");
    let work = WorkDirectory::create(parent.path()).expect("made");
    symlink(&precious, work.path().join("directory")).expect("linked");
    symlink(precious.join("file"), work.path().join("file")).expect("linked");
    symlink("/", work.path().join("root")).expect("linked");
    work.remove().expect("removed");
    assert_eq!(std::fs::read_to_string(precious.join("file")).expect("still there"), "mine");
}

#[test]
fn a_directory_that_was_swapped_for_another_is_left_alone() {
    let parent = scratch();
    let work = WorkDirectory::create(parent.path()).expect("made");
    let path = work.path().to_owned();
    std::fs::rename(&path, parent.path().join("moved")).expect("moved");
    std::fs::create_dir(&path).expect("made");
    std::fs::write(path.join("precious"), "mine").expect("written");
    assert!(matches!(work.remove(), Err(WorkDirectoryError::NotOurs { .. })));
    assert!(path.join("precious").exists());
}

#[test]
fn another_mount_inside_is_left_alone() {
    if let Some(reason) = support::cannot_mount(&["mount"]) {
        skip::because(reason);
        return;
    }
    alone("work_directory::another_mount_inside_is_left_alone", |parent| {
        let precious = parent.join("precious");
        std::fs::create_dir(&precious).expect("made");
        std::fs::write(precious.join("file"), "mine").expect("written");
        let work = WorkDirectory::create(parent).expect("made");
        let point = work.path().join("bound");
        std::fs::create_dir(&point).expect("made");
        // A bind mount of the same file system has the same device number: only the mount number differs.
        rustix::mount::mount_bind(&precious, &point).expect("bound");
        assert!(matches!(work.remove(), Err(WorkDirectoryError::ForeignMount { .. })));
        assert_eq!(std::fs::read_to_string(precious.join("file")).expect("still there"), "mine");
    });
}

#[test]
fn a_killed_process_leaves_what_the_next_one_cleans() {
    let parent = scratch();
    let mut child = support::helper("work_directory::helper_holds_a_work_directory", parent.path())
        .spawn()
        .expect("starts");
    let made = PathBuf::from(support::answer(&mut child, "made "));
    assert!(
        WorkDirectory::clean_abandoned(parent.path()).expect("listed").removed.is_empty(),
        "held by the child"
    );
    child.kill().expect("killed");
    child.wait().expect("reaped");
    assert!(made.exists());
    assert_eq!(WorkDirectory::clean_abandoned(parent.path()).expect("cleaned").removed, [made.as_path()]);
    assert!(!made.exists());
}

#[test]
#[ignore = "run by a_killed_process_leaves_what_the_next_one_cleans"]
fn helper_holds_a_work_directory() {
    let work = WorkDirectory::create(&support::path_of_parent()).expect("made");
    std::fs::write(work.path().join("file"), "x").expect("written");
    println!("made {}", work.path().display());
    std::thread::sleep(support::UNTIL_KILLED);
}

/// A server whose worker was killed goes on for a moment. Once its new files were in the way of the directory's end.
#[test]
fn what_is_made_while_it_is_removed_goes_too() {
    let parent = scratch();
    let work = WorkDirectory::create(parent.path()).expect("made");
    let data = work.path().join("data");
    std::fs::create_dir(&data).expect("made");
    let file = |number: u32| data.join(number.to_string());
    std::thread::scope(|scope| {
        // Ends by itself, or with the directory.
        scope.spawn(|| (0..4000).take_while(|number| std::fs::write(file(*number), "x").is_ok()).count());
        while !file(0).exists() {
            std::thread::yield_now();
        }
        work.remove().expect("what was made meanwhile goes too");
    });
    assert_eq!(std::fs::read_dir(parent.path()).expect("listed").count(), 0);
}

/// On FUSE and NFS a file that is removed while it is open stays under a hidden name: "Directory not empty" ended every
/// run.
#[test]
fn hidden_files_of_processes_that_are_ending_are_waited_for() {
    let parent = scratch();
    let work = WorkDirectory::create(parent.path()).unwrap();
    let hidden = work.path().join(".fuse_hidden0000000100000001");
    // As a file system does that gives the file its hidden name again, until its holder ends.
    let holder = std::thread::spawn(move || {
        let ends = Instant::now() + Duration::from_millis(400);
        while Instant::now() < ends && hidden.parent().is_some_and(Path::exists) {
            let _ = fs::write(&hidden, "");
        }
        let _ = fs::remove_file(&hidden);
    });
    while fs::read_dir(work.path()).unwrap().count() < 2 {
        std::thread::yield_now();
    }
    work.remove().unwrap();
    holder.join().unwrap();
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

/// Whatever the process has open when a run ends, its directory goes: room for that is kept from the start.
#[test]
fn a_directory_is_removed_although_no_more_files_can_be_opened() {
    let script = format!(
        "ulimit -n 24; exec {:?} --exact work_directory::in_a_process_without_descriptors --ignored",
        std::env::current_exe().unwrap()
    );
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
#[ignore = "the test above starts it in a process of its own"]
fn in_a_process_without_descriptors() {
    let parent = scratch();
    let work = WorkDirectory::create(parent.path()).unwrap();
    fs::create_dir_all(work.path().join("a/b")).unwrap();
    fs::write(work.path().join("a/b/file"), "").unwrap();
    let files: Vec<fs::File> = std::iter::from_fn(|| fs::File::open("/dev/null").ok()).take(100).collect();
    assert!(files.len() < 100, "the limit does not hold");
    let removed = work.remove();
    drop(files);
    removed.unwrap();
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}
