//! Removing a work directory: only what is inside, never through a symbolic link, never into another mount, however
//! deep.

use super::WorkDirectoryError;
use super::directory::{
    DIRECTORY, MountNumber, entries, identity, is_directory, is_on_mount_of_parent, mount_of,
};
use super::marker::{self, Marker};
use crate::failure::Failure;
use crate::kernel::{fuse, mounts};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often directories are emptied again in which a process that is ending has made a file meanwhile, and the pause
/// before: ten seconds together.
const REFILLED_MAX: usize = 1000;
const REFILLED_PAUSE: Duration = Duration::from_millis(10);
/// Beginnings of the names that libfuse (`fuse.h`, `hard_remove`) and Linux's NFS client (`fs/nfs/unlink.c`) give to
/// removed files that are open.
const HIDDEN: [&str; 2] = [".fuse_hidden", ".nfs"];
/// How often the top is tried again while such files are in it, and the pause before: ten seconds together.
const HIDDEN_MAX: usize = 200;
const HIDDEN_PAUSE: Duration = Duration::from_millis(50);
/// Directories that a message names before it leaves out the rest of a path.
const SHOWN_MAX: usize = 4;

/// Removes a directory whose marker the caller holds. Nothing is touched if anything else is mounted on it or in it.
/// What cannot be removed stays, and the rest goes; the marker goes last, so that anything left behind can still be
/// recognised as Syncline's.
pub(super) fn remove_held(path: &Path, marker: Marker) -> Result<(), WorkDirectoryError> {
    let directory = match rustix::fs::open(path, DIRECTORY, Mode::empty()) {
        Ok(directory) => directory,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
            return Err(WorkDirectoryError::NotOurs { path: path.to_owned() });
        }
        Err(errno) => return Err(Failure::on("open", path)(errno).into()),
    };
    if !marker.is_in_directory(&directory) {
        return Err(WorkDirectoryError::NotOurs { path: path.to_owned() });
    }
    if !is_on_mount_of_parent(&directory, path).map_err(Failure::on("read", path))? {
        return Err(WorkDirectoryError::ForeignMount { path: path.to_owned() });
    }
    unmount(path)?;
    let mount = mount_of(&directory, c"", AtFlags::EMPTY_PATH).map_err(Failure::on("read", path))?;
    Removal { top: path, mount, above: Vec::new(), first: None, failures: 0, refilled: 0 }
        .empty(directory.try_clone().map_err(Failure::on("open", path))?)?;
    let marker_path = path.join(marker::NAME);
    rustix::fs::unlinkat(&directory, marker::NAME, AtFlags::empty())
        .map_err(Failure::on("remove", &marker_path))?;
    // While it is open, FUSE and NFS keep it under another name.
    drop(marker);
    Ok(remove_top(path, &directory).map_err(Failure::on("remove", path))?)
}

/// Unmounts Syncline's own file systems; another one inside is an error.
fn unmount(path: &Path) -> Result<(), WorkDirectoryError> {
    match mounts::mounts() {
        Ok(_) => {}
        // Without /proc nothing was mounted by Syncline, and each directory is compared with the mount of the top.
        Err(error) if error.is(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    fuse::unmount_below(path)?;
    match mounts::mounts()?.into_iter().find(|mount| mount.point.starts_with(path)) {
        Some(mount) => Err(WorkDirectoryError::ForeignMount { path: mount.point }),
        None => Ok(()),
    }
}

/// Removes the top, from which everything was removed. A file that was removed while it was open stays on FUSE and NFS
/// under a hidden name until its holder, a process that is ending, has closed it.
fn remove_top(path: &Path, directory: &OwnedFd) -> rustix::io::Result<()> {
    for _ in 0..HIDDEN_MAX {
        match rustix::fs::rmdir(path) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            removed => return removed,
        }
        for (name, _) in entries(directory)? {
            if HIDDEN.iter().any(|beginning| name.to_bytes().starts_with(beginning.as_bytes())) {
                // One that is still open gets another hidden name.
                let _ = rustix::fs::unlinkat(directory, &name, AtFlags::empty());
            }
        }
        std::thread::sleep(HIDDEN_PAUSE);
    }
    rustix::fs::rmdir(path)
}

/// Empties a tree through descriptors: no path is resolved twice, so nothing can be swapped for a symbolic link
/// meanwhile. However deep it is, three descriptors are open at a time, and the stack does not grow.
struct Removal<'a> {
    top: &'a Path,
    mount: MountNumber,
    /// The directories from the top to the one that is emptied, which comes last.
    above: Vec<Level>,
    /// What could not be removed first, and how many entries could not.
    first: Option<WorkDirectoryError>,
    failures: usize,
    /// How often a directory was not empty any more.
    refilled: usize,
}

/// A directory that is being emptied.
struct Level {
    /// Its name in the one above; empty at the top.
    name: CString,
    /// Device and inode, by which it is known again from below.
    identity: (u64, u64),
    /// Directories in it that are still there.
    waiting: Vec<CString>,
    /// Failures before it was entered.
    failures_before: usize,
}

impl Removal<'_> {
    fn empty(mut self, top: OwnedFd) -> Result<(), WorkDirectoryError> {
        let mut here = top;
        self.clear(&here, CString::default())?;
        while let Some(level) = self.above.last_mut() {
            if let Some(name) = level.waiting.pop() {
                match self.enter(&here, name) {
                    Ok(Some(child)) => here = child,
                    Ok(None) => {}
                    Err(error) => self.fail(error),
                }
                continue;
            }
            let Some(emptied) = self.above.pop() else { break };
            let Some(parent) = self.above.last() else { break };
            let path = self.shown(&emptied.name);
            here = parent_of(&here, parent.identity).map_err(Failure::on("leave", &path))?;
            self.remove_emptied(&here, emptied);
        }
        self.first.map_or(Ok(()), Err)
    }

    /// Opens a directory and clears it; nothing if it is gone.
    fn enter(&mut self, here: &OwnedFd, name: CString) -> Result<Option<OwnedFd>, WorkDirectoryError> {
        let path = self.shown(&name);
        match mount_of(here, &name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT) {
            Ok(mount) if mount == self.mount => {}
            Ok(_) => return Err(WorkDirectoryError::ForeignMount { path }),
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(Failure::on("read", &path)(errno).into()),
        }
        let child = match rustix::fs::openat(here, &name, DIRECTORY, Mode::empty()) {
            Ok(child) => child,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(Failure::on("open", &path)(errno).into()),
        };
        // Something may have been mounted between the look and the open.
        if mount_of(&child, c"", AtFlags::EMPTY_PATH).map_err(Failure::on("read", &path))? != self.mount {
            return Err(WorkDirectoryError::ForeignMount { path });
        }
        self.clear(&child, name)?;
        Ok(Some(child))
    }

    /// Makes a directory the present one and removes what is not a directory in it.
    fn clear(&mut self, directory: &OwnedFd, name: CString) -> Result<(), WorkDirectoryError> {
        let path = self.shown(&name);
        let identity = identity(directory).map_err(Failure::on("read", &path))?;
        let listed = entries(directory).map_err(Failure::on("list", &path))?;
        let is_top = self.above.is_empty();
        self.above.push(Level { name, identity, waiting: Vec::new(), failures_before: self.failures });
        let mut waiting = Vec::new();
        for (entry, listed_type) in listed {
            if is_top && entry.to_bytes() == marker::NAME.as_bytes() {
                continue;
            }
            match is_directory(directory, &entry, listed_type) {
                Ok(true) => waiting.push(entry),
                Ok(false) => {
                    let removed = rustix::fs::unlinkat(directory, &entry, AtFlags::empty());
                    self.note(removed, &entry);
                }
                Err(errno) => self.note(Err(errno), &entry),
            }
        }
        if let Some(level) = self.above.last_mut() {
            level.waiting = waiting;
        }
        Ok(())
    }

    /// Removes a directory that was empty a moment ago. A server whose worker was killed is ending still: what it makes
    /// until then goes too.
    fn remove_emptied(&mut self, parent: &OwnedFd, emptied: Level) {
        match rustix::fs::unlinkat(parent, &emptied.name, AtFlags::REMOVEDIR) {
            // What could not be removed inside was noted there.
            Err(Errno::NOTEMPTY) if self.failures > emptied.failures_before => {}
            Err(Errno::NOTEMPTY) if self.refilled < REFILLED_MAX => {
                self.refilled += 1;
                std::thread::sleep(REFILLED_PAUSE);
                if let Some(level) = self.above.last_mut() {
                    level.waiting.push(emptied.name);
                }
            }
            removed => self.note(removed, &emptied.name),
        }
    }

    fn note(&mut self, removed: rustix::io::Result<()>, name: &CStr) {
        match removed {
            // A worker that is ending may have removed it itself.
            Ok(()) | Err(Errno::NOENT) => {}
            // A mount point, a bind-mounted file included, cannot be unlinked.
            Err(Errno::BUSY) => self.fail(WorkDirectoryError::ForeignMount { path: self.shown(name) }),
            Err(errno) => self.fail(Failure::on("remove", &self.shown(name))(errno).into()),
        }
    }

    fn fail(&mut self, error: WorkDirectoryError) {
        self.failures += 1;
        self.first.get_or_insert(error);
    }

    /// Where an entry of the present directory is, shortened if that is deep.
    fn shown(&self, name: &CStr) -> PathBuf {
        let names = || self.above.iter().map(|level| OsStr::from_bytes(level.name.to_bytes()));
        let mut path = self.top.to_owned();
        path.extend(names().filter(|name| !name.is_empty()).take(SHOWN_MAX));
        if self.above.len() > SHOWN_MAX + 1 {
            path.push("…");
        }
        if !name.is_empty() {
            path.push(OsStr::from_bytes(name.to_bytes()));
        }
        path
    }
}

/// The directory above, if it is still the one that was left for this one.
fn parent_of(directory: &OwnedFd, expected: (u64, u64)) -> rustix::io::Result<OwnedFd> {
    let parent = rustix::fs::openat(directory, "..", DIRECTORY, Mode::empty())?;
    // Moved elsewhere meanwhile: what is there now is not Syncline's.
    if identity(&parent)? == expected { Ok(parent) } else { Err(Errno::XDEV) }
}
