//! The file that marks a directory as Syncline's, and whose flock shows that it is in use.

use super::WorkDirectoryError;
use super::directory::DIRECTORY;
use crate::failure::Failure;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the marker file.
pub(super) const NAME: &str = "SYNCLINE-WORK-DIRECTORY";
/// First line of the marker file. A directory without it is not Syncline's.
const FIRST_LINE: &str = "This directory was made by Syncline and will be removed by it.\n";

/// What precedes the host's name in its line.
const HOST: &str = "host ";
/// The top, a directory and the one above, what lists it, and a file of `/proc` or a loop device; one to spare.
const DESCRIPTORS_OF_REMOVAL: usize = 6;
/// A marker is read as far as this, bytes.
const READ_MAX: u64 = 4096;

/// An open marker, its flock held.
#[derive(Debug)]
pub(super) struct Marker(File);

impl Marker {
    /// Marks a directory that was just made. `None` if somebody took it for abandoned meanwhile.
    ///
    /// The lock is taken before the first line is written: a marker that can be recognised is either held, or
    /// its process is gone. A crash in between leaves what [`super::unfinished`] cleans.
    pub(super) fn create(directory: &Path) -> Result<Option<Self>, WorkDirectoryError> {
        let path = directory.join(NAME);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(Failure::on("create", &path)(errno).into()),
        };
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(errno) => return Err(Failure::on("lock", &path)(errno).into()),
        }
        // A cleaner may have removed it between this open and this lock, if the process was suspended there.
        let marker = Self(file);
        if !marker.is_still_in(directory).map_err(Failure::on("open", directory))? {
            return Ok(None);
        }
        let Self(mut file) = marker;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let content = format!(
            "{FIRST_LINE}{HOST}{}\nprocess {}\nstarted {started} (Unix time, s)\n",
            this_host(),
            std::process::id()
        );
        file.write_all(content.as_bytes()).map_err(Failure::on("write", &path))?;
        rustix::fs::fsync(&file).map_err(Failure::on("fsync", &path))?;
        Ok(Some(Self(file)))
    }

    /// Takes the marker of a directory that nobody holds. `None` if the directory is not Syncline's, is held, or is
    /// gone.
    pub(super) fn take_abandoned(directory: &Path) -> Result<Option<Self>, WorkDirectoryError> {
        let Some(file) = open(directory)? else { return Ok(None) };
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(None),
            Err(errno) => return Err(Failure::on("lock", directory)(errno).into()),
        }
        let marker = Self(file);
        // Another cleaner may have removed it between this open and this lock.
        let is_still_in = marker.is_still_in(directory).map_err(Failure::on("open", directory))?;
        Ok(is_still_in.then_some(marker))
    }

    /// Whether a directory carries Syncline's marker.
    pub(super) fn is_in(directory: &Path) -> Result<bool, WorkDirectoryError> {
        Ok(open(directory)?.is_some())
    }

    /// Whether the marker that a directory carries now is this one: nobody has swapped the directory.
    fn is_still_in(&self, directory: &Path) -> rustix::io::Result<bool> {
        match rustix::fs::open(directory, DIRECTORY, Mode::empty()) {
            Ok(directory) => Ok(self.is_in_directory(&directory)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// As many descriptors as a removal opens at a time, to be closed before it begins.
    pub(super) fn spare_descriptors(&self, directory: &Path) -> Result<Vec<OwnedFd>, WorkDirectoryError> {
        let spare = (0..DESCRIPTORS_OF_REMOVAL).map(|_| self.0.try_clone().map(OwnedFd::from));
        Ok(spare.collect::<std::io::Result<_>>().map_err(Failure::on("hold", directory))?)
    }

    /// The same of a directory that is open.
    pub(super) fn is_in_directory(&self, directory: &OwnedFd) -> bool {
        let identity = |facts: rustix::fs::Stat| (facts.st_dev, facts.st_ino);
        let ours = rustix::fs::fstat(&self.0).map(identity);
        let there = rustix::fs::statat(directory, NAME, AtFlags::SYMLINK_NOFOLLOW).map(identity);
        matches!((ours, there), (Ok(ours), Ok(there)) if ours == there)
    }

    /// The host that made the directory, if it is recorded.
    pub(super) fn host(&self) -> std::io::Result<Option<String>> {
        let (mut file, mut text) = (&self.0, Vec::new());
        file.rewind()?;
        file.take(READ_MAX).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        Ok(text.lines().find_map(|line| line.strip_prefix(HOST)).map(str::to_owned))
    }

    /// Another user whose the marker or the directory is, if there is one.
    pub(super) fn foreign_owner(&self, directory: &Path) -> rustix::io::Result<Option<u32>> {
        let own = rustix::process::geteuid().as_raw();
        let owners = [
            rustix::fs::fstat(&self.0)?.st_uid,
            rustix::fs::statat(CWD, directory, AtFlags::SYMLINK_NOFOLLOW)?.st_uid,
        ];
        Ok(owners.into_iter().find(|owner| *owner != own))
    }
}

/// What this host calls itself.
pub(super) fn this_host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Opens the marker of a directory, if it is a real directory with a real marker.
fn open(directory: &Path) -> Result<Option<File>, WorkDirectoryError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = match rustix::fs::open(directory, flags, Mode::empty()) {
        Ok(handle) => handle,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => return Ok(None),
        Err(errno) => return Err(Failure::on("open", directory)(errno).into()),
    };
    // NONBLOCK so that a FIFO of that name cannot hang us.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut file = match rustix::fs::openat(&handle, NAME, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT | Errno::LOOP | Errno::ACCESS | Errno::NXIO) => return Ok(None),
        Err(errno) => return Err(Failure::on("open the marker of", directory)(errno).into()),
    };
    let is_file = file.metadata().map_err(Failure::on("read the marker of", directory))?.is_file();
    let mut line = String::new();
    let read = (&mut file).take(FIRST_LINE.len() as u64).read_to_string(&mut line);
    Ok((is_file && read.is_ok() && line == FIRST_LINE).then_some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_a_cleaner_took_is_given_up() {
        let parent = tempfile::tempdir().expect("made");
        let taken = Marker::create(&parent.path().join("removed meanwhile")).expect("no error");
        assert!(taken.is_none());
    }
}
