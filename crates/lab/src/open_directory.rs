//! A directory that may hold anything: it is opened once, and what is in it is reached through its descriptor.
//!
//! Every open is of one plain name and does not follow a symbolic link: what `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS` of
//! openat2(2) give for a whole path, on every kernel and behind every seccomp filter. Only regular files are opened, so
//! that a pipe is not waited for and a device is not acted on. A file is replaced by a new one that takes its name,
//! never written to: a hard link's other name keeps its content, and a reader sees the old file or the new one.

mod effect;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use effect::kill;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat, flock};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Beginning of the name of a file that is written and has not taken its final name. One that is left over belongs to a
/// process that was killed.
const PART_PREFIX: &str = ".syncline-part-";
/// Names that are tried for such a file: a process of the same number may have left some.
const PART_NAMES_MAX: usize = 1000;
/// Bytes that a copy moves at a time.
const COPY_BYTES: usize = 1 << 20;

/// How often a lock is tried …
const LOCK_ATTEMPTS: u32 = 50;
/// … and how long after each attempt that fails.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

const FOLLOWING: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const DIRECTORY: OFlags = FOLLOWING.union(OFlags::NOFOLLOW);
/// `NONBLOCK` in case a pipe took the file's place after it was looked at; it means nothing to a regular file.
const REGULAR: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
/// What the umask leaves of it.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const DIRECTORY_MODE: Mode = Mode::from_raw_mode(0o777);

/// Why something in the directory is not touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It leads elsewhere.
    #[error("it is a symbolic link, and Syncline follows none inside a run directory")]
    SymbolicLink,
    /// A directory, a pipe, a socket, a device.
    #[error("it is not a regular file")]
    NotRegular,
    /// What is appended would appear elsewhere too.
    #[error("it has {0} names (hard links), and appending would change the file elsewhere too")]
    SeveralNames(u64),
    /// Empty, `.`, `..`, or with a slash.
    #[error("it is not the name of a file")]
    NotAName,
}

impl Refusal {
    /// The refusal behind an error, if it is one.
    pub fn behind(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(io::ErrorKind::InvalidInput, refusal)
    }
}

/// A directory by its descriptor.
#[derive(Debug)]
pub struct OpenDirectory {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl OpenDirectory {
    /// Opens the directory that the user names: this path may be a symbolic link.
    pub fn open(path: &Path) -> io::Result<Self> {
        let descriptor = rustix::fs::openat(CWD, path, FOLLOWING, Mode::empty())?;
        Ok(Self { descriptor, path: path.to_owned() })
    }

    /// Makes it, and the directories above it, if they are missing; each survives a power loss once this returns.
    pub fn make(path: &Path) -> io::Result<Self> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.is_dir();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        for path in missing.into_iter().rev() {
            let above = path.parent().filter(|above| !above.as_os_str().is_empty());
            let above = Self::open(above.unwrap_or(Path::new(".")))?;
            // A path that ends in `..` has no name to be made under, and opening it tells what it is.
            if let Some(name) = path.file_name() {
                above.make_directory(name)?;
            }
        }
        Self::open(path)
    }

    /// Where it was found; for messages only.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A directory in it.
    pub fn directory(&self, name: &str) -> io::Result<Self> {
        let opened = rustix::fs::openat(&self.descriptor, plain(name)?, DIRECTORY, Mode::empty());
        let descriptor = opened.map_err(|errno| match self.facts(name) {
            Ok(facts) if type_of(&facts) == FileType::Symlink => Refusal::SymbolicLink.into(),
            Ok(_) | Err(_) => io::Error::from(errno),
        })?;
        Ok(Self { descriptor, path: self.path.join(name) })
    }

    /// A directory in it, made if it is missing.
    pub fn directory_or_new(&self, name: &str) -> io::Result<Self> {
        match self.directory(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.make_directory(OsStr::new(plain(name)?))?;
                self.directory(name)
            }
            other => other,
        }
    }

    fn make_directory(&self, name: &OsStr) -> io::Result<()> {
        match effect::perform(|| rustix::fs::mkdirat(&self.descriptor, name, DIRECTORY_MODE)) {
            Ok(()) => self.sync(),
            // Somebody else was faster; opening it shows what it is.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Opens a regular file to be read.
    pub fn file(&self, name: &str) -> io::Result<File> {
        require_regular(&self.facts(name)?)?;
        self.open_regular(name, OFlags::RDONLY)
    }

    /// Opens a regular file to be read and appended to, made if it is missing. It has no other name anywhere.
    pub fn file_to_append(&self, name: &str) -> io::Result<File> {
        let flags = match self.facts(name) {
            Ok(facts) => require_regular(&facts).map(|()| OFlags::empty())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => OFlags::CREATE,
            Err(error) => return Err(error),
        };
        let open = || self.open_regular(name, OFlags::RDWR | OFlags::APPEND | flags);
        let file = if flags.is_empty() { open() } else { effect::perform_io(open) }?;
        #[allow(clippy::useless_conversion, reason = "its type differs between architectures")]
        match u64::from(rustix::fs::fstat(&file)?.st_nlink) {
            names @ 2.. => Err(Refusal::SeveralNames(names).into()),
            0 | 1 => Ok(file),
        }
    }

    fn open_regular(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let file = match rustix::fs::openat(&self.descriptor, plain(name)?, REGULAR | flags, FILE_MODE) {
            Err(Errno::LOOP) => Err(Refusal::SymbolicLink.into()),
            other => other.map_err(io::Error::from),
        }?;
        require_regular(&rustix::fs::fstat(&file)?)?;
        Ok(file.into())
    }

    /// Gives a name a new file with this content, whatever had the name before. Once this returns it survives a power
    /// loss; until then the name has what it had. Nothing is left behind by an error, and a hidden file by a kill.
    pub fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.replace_with_mode(name, content, None)
    }

    /// The same; the new file has this mode from the beginning, not what the process gives a new file.
    pub fn replace_with_mode(&self, name: &str, content: &[u8], mode: Option<u32>) -> io::Result<()> {
        self.replace_by(name, mode, |file| effect::write(file, content))
    }

    /// The same with all that a source has, piece by piece.
    pub fn replace_with_copy(&self, name: &str, source: &mut impl Read) -> io::Result<()> {
        self.replace_by(name, None, |file| {
            let mut piece = vec![0; COPY_BYTES];
            loop {
                match source.read(&mut piece)? {
                    0 => return Ok(()),
                    bytes => effect::write(file, &piece[..bytes])?,
                }
            }
        })
    }

    fn replace_by(
        &self,
        name: &str,
        mode: Option<u32>,
        write: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let name = plain(name)?;
        let (part, file) = self.create_part()?;
        let set_mode = |mode| effect::perform(|| rustix::fs::fchmod(&file, Mode::from_raw_mode(mode)));
        let written = mode
            .map_or(Ok(()), set_mode)
            .and_then(|()| write(&file))
            .and_then(|()| effect::perform_io(|| file.sync_data()))
            .and_then(|()| {
                effect::perform(|| {
                    rustix::fs::renameat(&self.descriptor, part.as_str(), &self.descriptor, name)
                })
            });
        if let Err(error) = written {
            // The error is what is reported.
            let _ = self.remove(&part);
            return Err(error);
        }
        self.sync()
    }

    /// An empty file of Syncline under a name that nothing has.
    fn create_part(&self) -> io::Result<(String, File)> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let flags = REGULAR | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        for _ in 0..PART_NAMES_MAX {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let part = format!("{PART_PREFIX}{}-{number}", std::process::id());
            let create = || rustix::fs::openat(&self.descriptor, part.as_str(), flags, FILE_MODE);
            match effect::perform(create) {
                Ok(file) => return Ok((part, file.into())),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Removes a file, not what it links to. A name that nothing has is not an error.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let name = plain(name)?;
        match effect::perform(|| rustix::fs::unlinkat(&self.descriptor, name, AtFlags::empty())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Gives a directory in it another name, which nothing has. Once this returns, the new name survives a power loss.
    pub fn rename_directory(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (plain(from)?, plain(to)?);
        // rename(2): a directory takes the place of an empty directory, and of nothing else.
        effect::perform(|| rustix::fs::renameat(&self.descriptor, from, &self.descriptor, to))?;
        self.sync()
    }

    /// Removes an empty directory in it.
    pub fn remove_directory(&self, name: &str) -> io::Result<()> {
        let name = plain(name)?;
        effect::perform(|| rustix::fs::unlinkat(&self.descriptor, name, AtFlags::REMOVEDIR))
    }

    /// Removes what killed processes left of files that they were writing. The caller knows that nobody writes now.
    pub fn remove_parts(&self) -> io::Result<()> {
        let left = self.names()?;
        left.iter().filter(|name| is_part(name)).filter_map(|name| name.to_str()).try_for_each(|name| {
            match self.facts(name) {
                Ok(facts) if type_of(&facts) == FileType::RegularFile => self.remove(name),
                // Not what we make.
                Ok(_) | Err(_) => Ok(()),
            }
        })
    }

    /// The names in it, but for `.` and `..`.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let entries = Dir::read_from(&self.descriptor)?;
        let named = entries
            .filter(|entry| entry.as_ref().map_or(true, |entry| ![c".", c".."].contains(&entry.file_name())));
        named.map(|entry| Ok(OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned())).collect()
    }

    /// Bytes of a regular file; `None` of anything else.
    pub fn file_bytes(&self, name: &str) -> io::Result<Option<u64>> {
        let facts = self.facts(name)?;
        Ok((type_of(&facts) == FileType::RegularFile).then_some(facts.st_size as u64))
    }

    /// What has a name, not what it links to.
    fn facts(&self, name: &str) -> io::Result<Stat> {
        Ok(rustix::fs::statat(&self.descriptor, plain(name)?, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// The names in it survive a power loss once this returns, if the file system can do that.
    fn sync(&self) -> io::Result<()> {
        effect::perform(|| match rustix::fs::fsync(&self.descriptor) {
            // fsync(2): this file system does not sync directories.
            Err(Errno::INVAL) => Ok(()),
            other => other,
        })
    }
}

/// Holds a file (flock) until it is closed; `false` if another process holds it. A process that is being started has a
/// copy of every descriptor until it runs its program, and with it of a lock that its parent has just given up, so the
/// lock is tried for a second.
pub fn hold(file: &File) -> io::Result<bool> {
    for _ in 0..LOCK_ATTEMPTS {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(LOCK_PAUSE),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

/// Appends a line that survives a power loss once this returns.
pub(crate) fn append_durably(file: &File, line: &[u8]) -> io::Result<()> {
    effect::write(file, line)?;
    effect::perform_io(|| file.sync_data())
}

/// Cuts a file off after this number of bytes.
pub(crate) fn truncate(file: &File, bytes: u64) -> io::Result<()> {
    effect::perform_io(|| file.set_len(bytes))
}

/// Whether a name is one of [`OpenDirectory::replace`]'s on the way.
pub fn is_part(name: &OsStr) -> bool {
    name.as_bytes().starts_with(PART_PREFIX.as_bytes())
}

/// One name, not a path.
fn plain(name: &str) -> Result<&str, Refusal> {
    let is_path = name.contains(['/', '\0']);
    if is_path || ["", ".", ".."].contains(&name) { Err(Refusal::NotAName) } else { Ok(name) }
}

fn type_of(facts: &Stat) -> FileType {
    FileType::from_raw_mode(facts.st_mode)
}

fn require_regular(facts: &Stat) -> Result<(), Refusal> {
    match type_of(facts) {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => Err(Refusal::SymbolicLink),
        FileType::Directory
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Err(Refusal::NotRegular),
    }
}
