//! Runs that are removed, whole or not at all, whatever else is in them.

use super::*;
use crate::open_directory::kill;
use std::fs;
use std::path::Path;

const ASIDE: &str = ".aside";

fn make(folder: &Path) {
    let run = folder.join("run");
    fs::create_dir_all(run.join(SIDECARS)).unwrap();
    for name in [PLAN, HOST, TRIALS, REPORT, "sidecars/commit-r000-c000.json", ".syncline-part-1-2"] {
        fs::write(run.join(name), "x").unwrap();
    }
}

#[test]
fn a_run_is_removed_whole_and_a_kill_between_any_two_steps_leaves_nothing_that_looks_like_one() {
    for steps in 0.. {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let opened = OpenDirectory::open(folder.path()).unwrap();
        let (_, survived) = kill::after(steps, || remove(&opened, "run", ASIDE));
        let is_whole = folder.path().join("run/sidecars/commit-r000-c000.json").exists();
        assert!(is_whole || !folder.path().join("run").exists(), "{steps}");
        assert_eq!(clear(&opened, ASIDE).unwrap(), Removal::Removed);
        assert!(!folder.path().join(ASIDE).exists(), "{steps}");
        if survived {
            assert!(!folder.path().join("run").exists());
            return;
        }
    }
}

#[test]
fn what_no_run_has_keeps_it() {
    for name in ["notes.txt", "sidecars/notes.txt", "advice/postgresql.conf"] {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let path = folder.path().join("run").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        let opened = OpenDirectory::open(folder.path()).unwrap();
        assert!(matches!(remove(&opened, "run", ASIDE).unwrap(), Removal::Kept { .. }), "{name}");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        assert!(folder.path().join("run").join(PLAN).exists());
    }
}
