//! Somebody else's directory: no link leads out of it, no pipe is waited for, no other name's content changes.

use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

struct Hostile {
    temporary: tempfile::TempDir,
    directory: OpenDirectory,
}

/// `inside/` and, beside it, `victim` with the content `mine`.
fn hostile() -> Hostile {
    let temporary = tempfile::tempdir().unwrap();
    fs::write(temporary.path().join("victim"), "mine").unwrap();
    fs::create_dir(temporary.path().join("inside")).unwrap();
    let directory = OpenDirectory::open(&temporary.path().join("inside")).unwrap();
    Hostile { temporary, directory }
}

impl Hostile {
    fn inside(&self, name: &str) -> PathBuf {
        self.temporary.path().join("inside").join(name)
    }

    fn victim(&self) -> PathBuf {
        self.temporary.path().join("victim")
    }

    #[track_caller]
    fn assert_untouched(&self) {
        assert_eq!(fs::read_to_string(self.victim()).unwrap(), "mine");
    }
}

#[track_caller]
fn refused<T>(result: io::Result<T>) -> Refusal {
    let error = result.err().expect("refused");
    Refusal::behind(&error).unwrap_or_else(|| panic!("{error}"))
}

#[test]
fn a_link_is_neither_read_nor_appended_to_and_a_replaced_one_leaves_its_target() {
    let hostile = hostile();
    symlink("../victim", hostile.inside("link")).unwrap();
    assert_eq!(refused(hostile.directory.file("link")), Refusal::SymbolicLink);
    assert_eq!(refused(hostile.directory.file_to_append("link")), Refusal::SymbolicLink);
    hostile.directory.replace("link", b"new").unwrap();
    hostile.assert_untouched();
    assert_eq!(fs::read(hostile.inside("link")).unwrap(), b"new");
    symlink("../victim", hostile.inside("again")).unwrap();
    hostile.directory.remove("again").unwrap();
    hostile.assert_untouched();
    symlink("nowhere", hostile.inside("dangling")).unwrap();
    assert_eq!(refused(hostile.directory.file_to_append("dangling")), Refusal::SymbolicLink);
    assert!(!hostile.inside("nowhere").exists());
}

#[test]
fn a_directory_that_is_a_link_is_not_entered() {
    let hostile = hostile();
    symlink("..", hostile.inside("advice")).unwrap();
    assert_eq!(refused(hostile.directory.directory("advice")), Refusal::SymbolicLink);
    assert_eq!(refused(hostile.directory.directory_or_new("advice")), Refusal::SymbolicLink);
}

#[test]
fn a_name_is_never_a_path() {
    let hostile = hostile();
    for name in ["../victim", "", ".", "..", "/etc/hostname", "a/b", "a\0b"] {
        assert_eq!(refused(hostile.directory.file(name)), Refusal::NotAName, "{name:?}");
        assert_eq!(refused(hostile.directory.replace(name, b"")), Refusal::NotAName, "{name:?}");
        assert_eq!(refused(hostile.directory.remove(name)), Refusal::NotAName, "{name:?}");
        assert_eq!(refused(hostile.directory.directory_or_new(name)), Refusal::NotAName, "{name:?}");
        assert_eq!(refused(hostile.directory.file_to_append(name)), Refusal::NotAName, "{name:?}");
    }
    hostile.assert_untouched();
}

/// A pipe without a writer: a process that opens it to read waits for one.
#[test]
fn a_pipe_and_a_directory_are_refused_at_once() {
    let hostile = hostile();
    rustix::fs::mkfifoat(CWD, hostile.inside("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
    fs::create_dir(hostile.inside("directory")).unwrap();
    for name in ["pipe", "directory"] {
        assert_eq!(refused(hostile.directory.file(name)), Refusal::NotRegular);
        assert_eq!(refused(hostile.directory.file_to_append(name)), Refusal::NotRegular);
    }
    hostile.directory.replace("pipe", b"a file now").unwrap();
    assert!(hostile.directory.replace("directory", b"").is_err());
    assert_eq!(hostile.directory.names().unwrap().len(), 2, "what could not be put in place is gone");
}

#[test]
fn a_hard_link_to_the_users_file_is_replaced_and_never_appended_to() {
    let hostile = hostile();
    fs::hard_link(hostile.victim(), hostile.inside("trials.jsonl")).unwrap();
    assert_eq!(refused(hostile.directory.file_to_append("trials.jsonl")), Refusal::SeveralNames(2));
    hostile.directory.replace("trials.jsonl", b"new").unwrap();
    hostile.assert_untouched();
}

#[test]
fn the_path_that_the_user_names_may_be_a_link() {
    let hostile = hostile();
    let named = hostile.temporary.path().join("latest");
    symlink("inside", &named).unwrap();
    OpenDirectory::open(&named).unwrap().replace("file", b"content").unwrap();
    assert_eq!(fs::read(hostile.inside("file")).unwrap(), b"content");
    OpenDirectory::make(&named).unwrap();
    OpenDirectory::make(&hostile.inside("some/more/directories")).unwrap();
    assert!(hostile.inside("some/more/directories").is_dir());
    assert!(OpenDirectory::make(&hostile.victim()).is_err());
}

#[test]
fn a_replaced_file_is_the_old_one_or_the_new_one_wherever_the_program_is_killed() {
    let hostile = hostile();
    let mut last = false;
    for changes in 0.. {
        fs::write(hostile.inside("file"), "old").unwrap();
        let (replaced, survived) = kill::after(changes, || hostile.directory.replace("file", b"the new one"));
        let content = fs::read_to_string(hostile.inside("file")).unwrap();
        assert!(content == "old" || content == "the new one", "after {changes} changes: {content:?}");
        // Only the directory's own sync is left to do once the name is taken.
        assert_eq!(replaced.is_ok(), survived, "after {changes} changes");
        hostile.directory.remove_parts().unwrap();
        assert_eq!(hostile.directory.names().unwrap(), ["file"]);
        last = survived;
        if survived {
            assert!(changes >= 5, "create, write, sync, rename, sync of the directory: {changes}");
            break;
        }
    }
    assert!(last);
}

#[test]
fn the_umask_decides_who_may_read_a_report() {
    let hostile = hostile();
    fs::write(hostile.inside("by the library"), "").unwrap();
    hostile.directory.replace("by us", b"").unwrap();
    let mode = |name| fs::metadata(hostile.inside(name)).unwrap().mode();
    assert_eq!(mode("by us"), mode("by the library"));
}
