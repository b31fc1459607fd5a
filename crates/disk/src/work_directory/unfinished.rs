//! What a process leaves that was killed while it made its work directory: the directory without its marker's first
//! line.
//!
//! Nothing in it can be lost: it is empty, or holds an empty file of the marker's name. It is removed only if it
//! belongs to us and is old enough that its process is not merely between two system calls. One that is stopped there
//! for longer finds its directory gone and makes another ([`Marker::create`](super::marker::Marker::create)).

use super::directory::{DIRECTORY, entries, is_on_mount_of_parent};
use super::{WorkDirectoryError, marker};
use crate::failure::Failure;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A process needs microseconds from `mkdir` to the marker's first line; one that is starved of CPU, seconds.
const AGE_MIN: Duration = Duration::from_secs(10);

/// Removes a directory that was never finished. `false` if it is anything else: it is left as it is.
pub(super) fn remove(path: &Path) -> Result<bool, WorkDirectoryError> {
    match try_remove(path) {
        Ok(removed) => Ok(removed),
        // Not readable, taken by another cleaner, filled or mounted on meanwhile.
        Err(
            Errno::NOENT
            | Errno::NOTDIR
            | Errno::LOOP
            | Errno::ACCESS
            | Errno::PERM
            | Errno::NOTEMPTY
            | Errno::EXIST
            | Errno::BUSY
            | Errno::WOULDBLOCK,
        ) => Ok(false),
        Err(errno) => Err(Failure::on("remove the unfinished directory", path)(errno).into()),
    }
}

fn try_remove(path: &Path) -> rustix::io::Result<bool> {
    let directory = rustix::fs::open(path, DIRECTORY, Mode::empty())?;
    let facts = rustix::fs::fstat(&directory)?;
    if !is_of_our_user(&facts) || !is_old(&facts) || !is_on_mount_of_parent(&directory, path)? {
        return Ok(false);
    }
    let names: Vec<_> = entries(&directory)?.into_iter().map(|(name, _)| name).collect();
    match names.as_slice() {
        [] => {}
        [only] if only.to_bytes() == marker::NAME.as_bytes() => {
            if !remove_empty_marker(&directory)? {
                return Ok(false);
            }
        }
        [..] => return Ok(false),
    }
    // Fails if anything has come into it since.
    rustix::fs::unlinkat(CWD, path, AtFlags::REMOVEDIR)?;
    Ok(true)
}

/// Removes a marker without content that nobody holds. Its lock is held over it, so that its maker, should it still
/// live, either holds the lock already or finds the marker gone.
fn remove_empty_marker(directory: &OwnedFd) -> rustix::io::Result<bool> {
    let facts = rustix::fs::statat(directory, marker::NAME, AtFlags::SYMLINK_NOFOLLOW)?;
    // Looked at before it is opened, because opening a device can already act on it.
    if !is_empty_file_of_ours(&facts) {
        return Ok(false);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = rustix::fs::openat(directory, marker::NAME, flags, Mode::empty())?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    if !is_empty_file_of_ours(&rustix::fs::fstat(&file)?) {
        return Ok(false);
    }
    rustix::fs::unlinkat(directory, marker::NAME, AtFlags::empty())?;
    Ok(true)
}

fn is_empty_file_of_ours(facts: &Stat) -> bool {
    FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile
        && facts.st_size == 0
        && is_of_our_user(facts)
}

fn is_of_our_user(facts: &Stat) -> bool {
    facts.st_uid == rustix::process::geteuid().as_raw()
}

/// A time in the future is not old.
fn is_old(facts: &Stat) -> bool {
    let modified = u64::try_from(facts.st_mtime).map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
    modified.is_ok_and(|modified| SystemTime::now().duration_since(modified).is_ok_and(|age| age > AGE_MIN))
}
