//! Whether only the caller and root can have put a file where it is: what `StrictModes` of sshd_config(5) asks, for a
//! path of any kind.

use rustix::process::geteuid;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{self, Component, Path, PathBuf};

/// As many links as the kernel follows (path_resolution(7)).
const LINKS_MAX: usize = 40;
const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// Why a path is not trusted.
#[derive(Debug, thiserror::Error)]
pub enum Distrust {
    /// It, or a directory or a link on the way to it, belongs to somebody else.
    #[error("{path} belongs to user {user}", path = path.display())]
    Stranger {
        /// What belongs to them.
        path: PathBuf,
        user: u32,
    },
    /// It belongs to the caller or root, and others may write there.
    #[error("others may write to {path}: chmod go-w {path}", path = path.display())]
    Writable { path: PathBuf },
    /// It cannot be looked at.
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable {
        path: PathBuf,
        /// What the kernel answered.
        source: io::Error,
    },
}

/// Requires that a path and everything on the way to it, links included, belong to the caller or root, and that nobody
/// else may write there. On the way others may write to a directory with the sticky bit, such as `/tmp`: what is in it
/// is its owner's (inode(7)). The directory that holds the path itself, or a link to it, must be closed to others even
/// so.
///
/// # Errors
/// The first thing on the way that is not so.
pub fn require_trusted(path: &Path) -> Result<(), Distrust> {
    let unreadable = |path: &Path, source| Distrust::Unreadable { path: path.to_owned(), source };
    let absolute = path::absolute(path).map_err(|source| unreadable(path, source))?;
    let mut reached = PathBuf::from("/");
    let mut before = require_own(&reached, None)?;
    let mut links = 0;
    let mut ahead: VecDeque<OsString> = parts(&absolute);
    while let Some(part) = ahead.pop_front() {
        if part == ".." {
            reached.pop();
            before = require_own(&reached, None)?;
            continue;
        }
        reached.push(&part);
        let is_last = ahead.is_empty();
        if is_last && is_open(&before) {
            return Err(Distrust::Writable { path: reached.parent().unwrap_or(&reached).to_owned() });
        }
        let facts = require_own(&reached, Some(is_last))?;
        if !facts.is_symlink() {
            before = facts;
            continue;
        }
        links += 1;
        if links > LINKS_MAX {
            return Err(unreadable(&reached, rustix::io::Errno::LOOP.into()));
        }
        let target = fs::read_link(&reached).map_err(|source| unreadable(&reached, source))?;
        reached = if target.is_absolute() {
            PathBuf::from("/")
        } else {
            reached.parent().unwrap_or(&reached).to_owned()
        };
        before = require_own(&reached, None)?;
        for part in parts(&target).into_iter().rev() {
            ahead.push_front(part);
        }
    }
    Ok(())
}

/// The names that a path goes through, `..` among them: only the kernel knows where that leads behind a link.
fn parts(path: &Path) -> VecDeque<OsString> {
    let parts = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

/// One step: it belongs to the caller or root, and what others may write to is a directory on the way, with the sticky
/// bit.
fn require_own(path: &Path, is_last: Option<bool>) -> Result<Metadata, Distrust> {
    let facts = fs::symlink_metadata(path)
        .map_err(|source| Distrust::Unreadable { path: path.to_owned(), source })?;
    if facts.uid() != 0 && facts.uid() != geteuid().as_raw() {
        return Err(Distrust::Stranger { path: path.to_owned(), user: facts.uid() });
    }
    let is_shared_way = facts.is_dir() && facts.mode() & STICKY != 0 && is_last != Some(true);
    if is_open(&facts) && !facts.is_symlink() && !is_shared_way {
        return Err(Distrust::Writable { path: path.to_owned() });
    }
    Ok(facts)
}

/// Whether somebody beside the owner may write there.
fn is_open(facts: &Metadata) -> bool {
    let by_group = facts.mode() & GROUP_WRITES != 0 && !is_private_group(facts.gid(), facts.uid());
    by_group || facts.mode() & OTHERS_WRITE != 0
}

/// Whether a group is its user's alone, as `USERGROUPS_ENAB` of login.defs(5) makes them: then the umask lets the group
/// write. The group has its user's number and no other members.
fn is_private_group(group: u32, user: u32) -> bool {
    group == user && fs::read_to_string("/etc/group").is_ok_and(|groups| has_no_members(&groups, group))
}

/// Lines of group(5): `name:password:number:members`.
fn has_no_members(groups: &str, group: u32) -> bool {
    let of_group = |line: &&str| line.split(':').nth(2).and_then(|number| number.parse().ok()) == Some(group);
    groups.lines().find(of_group).is_some_and(|line| line.split(':').nth(3).is_none_or(str::is_empty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    const STRANGER: u32 = 54_321;

    /// A directory of the caller's with `inside/file`, closed to others whatever the umask.
    fn place() -> tempfile::TempDir {
        let top = tempfile::tempdir_in("/var/tmp").unwrap();
        fs::create_dir(top.path().join("inside")).unwrap();
        fs::write(top.path().join("inside/file"), "").unwrap();
        open(&top.path().join("inside"), 0o755);
        open(&top.path().join("inside/file"), 0o644);
        top
    }

    fn open(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn writable(path: &Path) -> Option<PathBuf> {
        match require_trusted(path) {
            Err(Distrust::Writable { path }) => Some(path),
            Err(other) => panic!("{other}"),
            Ok(()) => None,
        }
    }

    #[test]
    fn the_callers_own_is_trusted_until_others_may_write_there() {
        let top = place();
        let (inside, file) = (top.path().join("inside"), top.path().join("inside/file"));
        assert_eq!(writable(&file), None);
        open(&file, 0o646);
        assert_eq!(writable(&file), Some(file.clone()));
        open(&file, 0o644);
        // The sticky bit keeps a file where it is, and lets others put theirs beside it.
        for mode in [0o757, 0o1777] {
            open(&inside, mode);
            assert_eq!(writable(&file), Some(inside.clone()), "{mode:o}");
        }
        open(&inside, 0o755);
        open(top.path(), 0o777);
        assert_eq!(writable(&file), Some(top.path().to_owned()));
        open(top.path(), 0o1777);
        assert_eq!(writable(&file), None, "others can put nothing in the place of what is there");
    }

    #[test]
    fn a_link_is_followed_and_each_directory_on_the_way_counts() {
        let top = place();
        let file = top.path().join("inside/file");
        symlink("inside/../inside/file", top.path().join("link")).unwrap();
        symlink("loop", top.path().join("loop")).unwrap();
        assert_eq!(writable(&top.path().join("link")), None);
        assert!(matches!(require_trusted(&top.path().join("loop")), Err(Distrust::Unreadable { .. })));
        // A link that others could have put there leads to a file of the caller's.
        let shared = tempfile::tempdir_in("/var/tmp").unwrap();
        open(shared.path(), 0o777);
        symlink(&file, shared.path().join("link")).unwrap();
        assert_eq!(writable(&shared.path().join("link")), Some(shared.path().to_owned()));
    }

    #[test]
    fn what_belongs_to_a_stranger_is_theirs_also_on_the_way() {
        if !geteuid().is_root() {
            skip::because("only root can give a file away");
            return;
        }
        for part in ["", "inside", "inside/file"] {
            let top = place();
            chown(top.path().join(part), Some(STRANGER), None).unwrap();
            let found = require_trusted(&top.path().join("inside/file"));
            assert!(matches!(found, Err(Distrust::Stranger { user: STRANGER, .. })), "{part}: {found:?}");
        }
    }

    #[test]
    fn a_group_is_private_if_nobody_else_is_in_it() {
        let groups = "root:x:0:\nalice:x:1000:\nbob:x:1001:alice\n";
        assert!(has_no_members(groups, 1000) && has_no_members(groups, 0));
        assert!(!has_no_members(groups, 1001) && !has_no_members(groups, 1002));
    }
}
