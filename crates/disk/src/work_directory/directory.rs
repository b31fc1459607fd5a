//! What is reported of a directory by its descriptor: no path is resolved twice.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, StatxFlags};
use std::ffi::{CStr, CString};
use std::path::Path;

pub(super) const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

pub(super) fn identity(directory: &OwnedFd) -> rustix::io::Result<(u64, u64)> {
    rustix::fs::fstat(directory).map(|facts| (facts.st_dev, facts.st_ino))
}

pub(super) fn is_directory(above: &OwnedFd, name: &CStr, listed_type: FileType) -> rustix::io::Result<bool> {
    Ok(match listed_type {
        FileType::Directory => true,
        FileType::Unknown => {
            let facts = rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?;
            FileType::from_raw_mode(facts.st_mode) == FileType::Directory
        }
        FileType::RegularFile
        | FileType::Symlink
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice => false,
    })
}

/// What is in a directory, by its descriptor.
pub(super) fn entries(directory: &OwnedFd) -> rustix::io::Result<Vec<(CString, FileType)>> {
    let named = |entry: &rustix::fs::DirEntry| ![c".", c".."].contains(&entry.file_name());
    let listed = Dir::read_from(directory)?.filter(|entry| entry.as_ref().map_or(true, named));
    listed.map(|entry| entry.map(|entry| (entry.file_name().to_owned(), entry.file_type()))).collect()
}

/// Which mount something is on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MountNumber {
    /// The kernel's number of it.
    Mount(u64),
    /// Before Linux 5.8 only the device distinguishes mounts, and bind mounts share it.
    Device(u32, u32),
}

/// The mount that an entry is on (`STATX_MNT_ID`, Linux 5.8).
pub(super) fn mount_of(directory: impl AsFd, name: &CStr, flags: AtFlags) -> rustix::io::Result<MountNumber> {
    let facts = rustix::fs::statx(directory, name, flags, StatxFlags::MNT_ID)?;
    let is_told = facts.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    let device = MountNumber::Device(facts.stx_dev_major, facts.stx_dev_minor);
    Ok(if is_told { MountNumber::Mount(facts.stx_mnt_id) } else { device })
}

/// Whether it is not a mount point: the root of another mount is not what we made.
pub(super) fn is_on_mount_of_parent(directory: impl AsFd, path: &Path) -> rustix::io::Result<bool> {
    let Some(parent) = path.parent() else { return Ok(false) };
    let parent = rustix::fs::open(parent, DIRECTORY, Mode::empty())?;
    Ok(mount_of(directory, c"", AtFlags::EMPTY_PATH)? == mount_of(parent, c"", AtFlags::EMPTY_PATH)?)
}
