//! The trial's open files, by the index that a `BlockOp` names.

use model::{BlockOp, IoMode};
use rustix::fs::{FileType, Mode, OFlags, fstat, fstatfs, open};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// `f_type` of tmpfs (`linux/magic.h`).
const TMPFS_MAGIC: u64 = 0x0102_1994;

/// Why a file was not opened, or an operation does not fit one.
#[derive(Debug, thiserror::Error)]
pub enum FileTableError {
    /// The kernel refused.
    #[error("{path}: open ({mode}): {source}")]
    Open {
        path: PathBuf,
        /// The I/O mode asked for.
        mode: IoMode,
        source: io::Error,
    },
    /// Not a regular file: Syncline never opens a device, a directory, a pipe, or anything through a symbolic link.
    #[error("{path}: is a {found}; Syncline measures only regular files that it created")]
    NotRegular {
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// The file system has no direct I/O.
    #[error("{path}: {reason}; choose another directory, or mode = buffered")]
    DirectUnsupported {
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The kernel did not take the advice.
    #[error("{path}: posix_fadvise ({advice:?}): {source}")]
    Advise { path: PathBuf, advice: Advice, source: io::Error },
    /// Direct I/O with an offset, a length or an address that is not aligned.
    #[error("{path}: direct I/O needs {what} in multiples of {alignment} bytes, not {value}")]
    Misaligned {
        path: PathBuf,
        /// "offset", "length" or "buffer".
        what: &'static str,
        /// Bytes it must be a multiple of.
        alignment: u32,
        /// Bytes it is.
        value: u64,
    },
    /// The operation names a file that was never opened.
    #[error("operation on file {index}: only {files} files are open")]
    NoSuchFile {
        index: u16,
        /// Files in the table.
        files: usize,
    },
    /// An index has 16 bits.
    #[error("{path}: {} files are already open, the maximum of a trial", u16::MAX)]
    Full {
        /// The file that was not opened.
        path: PathBuf,
    },
}

/// The hint to the kernel about the order in which a file will be read (`posix_fadvise(2)`, `madvise(2)`): it sets how
/// far the kernel reads ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advice {
    /// Nothing: the kernel finds out by itself.
    #[default]
    Normal,
    /// In no order: nothing is read ahead.
    Random,
    /// From the beginning to the end: twice as much is read ahead.
    Sequential,
}

#[derive(Debug)]
pub struct OpenFile {
    pub file: File,
    /// Where it was opened, for error texts.
    pub path: PathBuf,
    /// How the page cache takes part.
    pub mode: IoMode,
    /// Whether it was opened for writing too.
    pub writable: bool,
    /// The hint that the kernel has, or gets when the file is mapped.
    pub advice: Advice,
}

/// Open files by index. Filled before the trial, shared by every backend in it.
#[derive(Debug, Default)]
pub struct FileTable {
    files: Vec<OpenFile>,
}

impl FileTable {
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens an existing regular file, for reading or for reading and writing, and returns its index.
    ///
    /// # Errors
    /// [`FileTableError`]: not a regular file, no direct I/O here, or what `open` said.
    pub fn open(&mut self, path: &Path, mode: IoMode, write: bool) -> Result<u16, FileTableError> {
        let index = u16::try_from(self.files.len())
            .ok()
            .filter(|index| *index < u16::MAX)
            .ok_or_else(|| FileTableError::Full { path: path.to_owned() })?;
        let failed = |errno: rustix::io::Errno| FileTableError::Open {
            path: path.to_owned(),
            mode,
            source: errno.into(),
        };
        // O_PATH opens a name without opening what it names, so a device is recognised before its driver is called.
        // O_NONBLOCK instead would do the same for pipes, but io_uring then answers EAGAIN on regular files.
        let name =
            open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).map_err(failed)?;
        let found = FileType::from_raw_mode(fstat(&name).map_err(failed)?.st_mode);
        if found != FileType::RegularFile {
            return Err(FileTableError::NotRegular { path: path.to_owned(), found: describe(found) });
        }
        if mode == IoMode::Direct && fstatfs(&name).map_err(failed)?.f_type as u64 == TMPFS_MAGIC {
            let reason = "tmpfs accepts O_DIRECT and then ignores it".to_owned();
            return Err(FileTableError::DirectUnsupported { path: path.to_owned(), reason });
        }
        let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
        let direct = if mode == IoMode::Direct { OFlags::DIRECT } else { OFlags::empty() };
        // The same inode that was looked at, whatever has happened to its name meanwhile.
        let inode = format!("/proc/self/fd/{}", name.as_raw_fd());
        let file = match open(&inode, access | direct | OFlags::CLOEXEC, Mode::empty()) {
            Err(rustix::io::Errno::INVAL) if mode == IoMode::Direct => {
                let reason = "this file system has no direct I/O (O_DIRECT: EINVAL)".to_owned();
                return Err(FileTableError::DirectUnsupported { path: path.to_owned(), reason });
            }
            opened => File::from(opened.map_err(failed)?),
        };
        self.files.push(OpenFile {
            file,
            path: path.to_owned(),
            mode,
            writable: write,
            advice: Advice::Normal,
        });
        Ok(index)
    }

    /// Tells the kernel in which order a file will be read: now, for a file that is read by system calls, where the
    /// advice belongs to the open description and so holds for every backend; when it is mapped, for a file of
    /// [`IoMode::Mmap`].
    ///
    /// # Errors
    /// [`FileTableError::NoSuchFile`], [`FileTableError::Advise`].
    pub fn advise(&mut self, index: u16, advice: Advice) -> Result<(), FileTableError> {
        let files = self.files.len();
        let open =
            self.files.get_mut(usize::from(index)).ok_or(FileTableError::NoSuchFile { index, files })?;
        match open.mode {
            IoMode::Buffered | IoMode::Direct | IoMode::DontCache => {
                rustix::fs::fadvise(&open.file, 0, None, for_system_calls(advice)).map_err(|errno| {
                    FileTableError::Advise { path: open.path.clone(), advice, source: errno.into() }
                })?;
            }
            IoMode::Mmap => {}
        }
        open.advice = advice;
        Ok(())
    }

    /// The file with this index.
    #[inline]
    pub fn get(&self, index: u16) -> Option<&OpenFile> {
        self.files.get(usize::from(index))
    }

    /// Files in index order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &OpenFile> {
        self.files.iter()
    }

    /// Number of open files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether nothing has been opened.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Checks an operation against the alignment of direct I/O (`statx` `STATX_DIOALIGN`, bytes); operations on other
    /// files pass.
    ///
    /// The kernel is not a substitute: `io_uring` with fixed buffers skips the check of the memory address, btrfs and
    /// tmpfs take unaligned requests and buffer them. Call it once per configuration, with the smallest offset, length
    /// and buffer step that the workload uses.
    ///
    /// # Errors
    /// [`FileTableError::Misaligned`] or [`FileTableError::NoSuchFile`].
    pub fn check_alignment(
        &self,
        offset_alignment: u32,
        memory_alignment: u32,
        operation: &BlockOp,
    ) -> Result<(), FileTableError> {
        let no_such_file = || FileTableError::NoSuchFile { index: operation.file, files: self.files.len() };
        let open = self.get(operation.file).ok_or_else(no_such_file)?;
        if open.mode != IoMode::Direct || !operation.kind.moves_data() {
            return Ok(());
        }
        let checks = [
            ("an offset", offset_alignment, operation.offset),
            ("a length", offset_alignment, u64::from(operation.length)),
            ("a buffer", memory_alignment, u64::from(operation.buffer)),
        ];
        for (what, alignment, value) in checks {
            if !value.is_multiple_of(u64::from(alignment.max(1))) {
                return Err(FileTableError::Misaligned { path: open.path.clone(), what, alignment, value });
            }
        }
        Ok(())
    }
}

fn for_system_calls(advice: Advice) -> rustix::fs::Advice {
    match advice {
        Advice::Normal => rustix::fs::Advice::Normal,
        Advice::Random => rustix::fs::Advice::Random,
        Advice::Sequential => rustix::fs::Advice::Sequential,
    }
}

fn describe(found: FileType) -> &'static str {
    match found {
        FileType::RegularFile => "regular file",
        FileType::Directory => "directory",
        FileType::Symlink => "symbolic link",
        FileType::Fifo => "named pipe",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        FileType::Unknown => "thing of unknown type",
    }
}
