//! Removing a work directory: only what is inside, never through a symbolic link, never into another mount.

use super::WorkDirectoryError;
use super::marker::{self, Marker};
use crate::failure::Failure;
use crate::filesystem;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// How often a directory is emptied again in which a process that is ending has made a file meanwhile, and the pause before:
/// ten seconds together.
const REFILLED_MAX: usize = 1000;
const REFILLED_PAUSE: Duration = Duration::from_millis(10);

/// Removes a directory whose marker the caller holds. The marker goes last, so that what an interruption leaves
/// behind is still known to be ours.
pub(super) fn remove_held(path: &Path, marker: &Marker) -> Result<(), WorkDirectoryError> {
    if !marker.is_still_in(path) {
        return Err(WorkDirectoryError::NotOurs { path: path.to_owned() });
    }
    filesystem::unmount_below(path).map_err(|failure| match failure {
        filesystem::FilesystemError::Kernel(failure) => WorkDirectoryError::Kernel(failure),
        other => Failure::on("unmount what is below", path)(std::io::Error::other(other.to_string())).into(),
    })?;
    let directory = rustix::fs::open(path, DIRECTORY, Mode::empty()).map_err(Failure::on("open", path))?;
    let mount = mount_of(&directory, c"", AtFlags::EMPTY_PATH).map_err(Failure::on("read", path))?;
    empty(&directory, path, mount, Some(marker::NAME))?;
    let marker_path = path.join(marker::NAME);
    rustix::fs::unlinkat(&directory, marker::NAME, AtFlags::empty())
        .map_err(Failure::on("remove", &marker_path))?;
    Ok(rustix::fs::rmdir(path).map_err(Failure::on("remove", path))?)
}

pub(super) const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Removes what is in a directory, through its descriptor: no path is resolved twice, so nothing can be swapped
/// for a symbolic link meanwhile. `path` is for messages.
fn empty(directory: &OwnedFd, path: &Path, mount: u64, keep: Option<&str>) -> Result<(), WorkDirectoryError> {
    for (name, listed_type) in entries(directory).map_err(Failure::on("list", path))? {
        if keep.is_some_and(|keep| name.to_bytes() == keep.as_bytes()) {
            continue;
        }
        let inside = path.join(OsStr::from_bytes(name.as_bytes()));
        let is_directory = match listed_type {
            FileType::Directory => true,
            FileType::Unknown => rustix::fs::statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW)
                .map(|facts| FileType::from_raw_mode(facts.st_mode) == FileType::Directory)
                .map_err(Failure::on("read", &inside))?,
            FileType::RegularFile
            | FileType::Symlink
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice => false,
        };
        let removed = if is_directory {
            let here = mount_of(directory, &name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT)
                .map_err(Failure::on("read", &inside))?;
            if here != mount {
                return Err(WorkDirectoryError::ForeignMount { path: inside });
            }
            let child = rustix::fs::openat(directory, &name, DIRECTORY, Mode::empty())
                .map_err(Failure::on("open", &inside))?;
            empty(&child, &inside, mount, None)?;
            remove_emptied(directory, &name, || empty(&child, &inside, mount, None))?
        } else {
            rustix::fs::unlinkat(directory, &name, AtFlags::empty())
        };
        match removed {
            // A worker that is ending may have removed it itself.
            Ok(()) | Err(Errno::NOENT) => {}
            // A mount point, a bind-mounted file included, cannot be unlinked.
            Err(Errno::BUSY) => return Err(WorkDirectoryError::ForeignMount { path: inside }),
            Err(errno) => return Err(Failure::on("remove", &inside)(errno).into()),
        }
    }
    Ok(())
}

/// Removes a directory that was empty a moment ago. A server whose worker was killed is ending still: what it makes until then
/// goes too.
fn remove_emptied(
    parent: &OwnedFd,
    name: &CStr,
    empty_again: impl Fn() -> Result<(), WorkDirectoryError>,
) -> Result<rustix::io::Result<()>, WorkDirectoryError> {
    for _ in 0..REFILLED_MAX {
        match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY) => {
                std::thread::sleep(REFILLED_PAUSE);
                empty_again()?;
            }
            other => return Ok(other),
        }
    }
    Ok(Err(Errno::NOTEMPTY))
}

/// What is in a directory, by its descriptor.
pub(super) fn entries(directory: &OwnedFd) -> rustix::io::Result<Vec<(CString, FileType)>> {
    let named = |entry: &rustix::fs::DirEntry| ![c".", c".."].contains(&entry.file_name());
    let listed = Dir::read_from(directory)?.filter(|entry| entry.as_ref().map_or(true, named));
    listed.map(|entry| entry.map(|entry| (entry.file_name().to_owned(), entry.file_type()))).collect()
}

/// The number of the mount that an entry is on (`STATX_MNT_ID`, Linux 5.8).
pub(super) fn mount_of(directory: impl AsFd, name: &CStr, flags: AtFlags) -> rustix::io::Result<u64> {
    rustix::fs::statx(directory, name, flags, StatxFlags::MNT_ID).map(|facts| facts.stx_mnt_id)
}
