//! What an observer asks of the machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use trace::Device;

/// Facts of processes and files. The answer is `None` if they are gone.
pub trait System {
    /// The file that a descriptor of a process is.
    fn file(&self, process: u32, descriptor: u32) -> Option<FoundFile>;

    /// A file that a process has open, by the number that it has on the file system of a device.
    fn open_file(&self, process: u32, device: Device, inode: u64) -> Option<FoundFile>;

    /// The process that a process is a child of.
    fn parent(&self, process: u32) -> Option<u32>;

    /// Whether a process makes its calls by the numbers of this architecture; a program of 32 bits has others.
    fn has_native_calls(&self, process: u32) -> bool;

    /// The control groups of a process, as `/proc/PID/cgroup` lists them.
    fn groups(&self, process: u32) -> Option<String>;

    /// The name of a process.
    fn name(&self, process: u32) -> Option<String>;

    /// The name of a thread, by the number that the kernel itself knows it by. In a container, that may be another
    /// one's number: then it has no name.
    fn thread_name(&self, thread: u32) -> Option<String>;

    /// Whether a path is there for a process: one in a container has files of its own.
    fn exists(&self, process: u32, path: &Path) -> bool;

    /// Whether a file is below a directory of this machine, also if a container has the directory elsewhere.
    fn is_below(&self, file: &FoundFile, directory: &Path) -> bool;

    /// The disk that a file is on.
    fn disk(&self, file: &FoundFile) -> Option<Disk>;

    /// The disk that a partition is on; `None` of a whole disk.
    fn disk_of_partition(&self, device: Device) -> Option<Device>;

    /// What each disk has done since the machine was started.
    fn disk_counters(&self) -> BTreeMap<Device, DiskCounters>;
}

/// What a disk has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskCounters {
    pub reads: u64,
    pub bytes_read: u64,
    pub writes: u64,
    pub bytes_written: u64,
    /// `None` before Linux 5.5.
    pub flushes: Option<u64>,
}

impl DiskCounters {
    /// What it has done since an earlier time.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            reads: self.reads.wrapping_sub(earlier.reads),
            bytes_read: self.bytes_read.wrapping_sub(earlier.bytes_read),
            writes: self.writes.wrapping_sub(earlier.writes),
            bytes_written: self.bytes_written.wrapping_sub(earlier.bytes_written),
            flushes: self.flushes.zip(earlier.flushes).map(|(now, then)| now.wrapping_sub(then)),
        }
    }
}

/// A file that a process has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The process that has it open.
    pub process: u32,
    /// As that process sees it.
    pub path: PathBuf,
    /// The number of its file system's device, and its own number there: together they name it.
    pub device: u64,
    pub inode: u64,
    /// Whether it is a file and no socket, pipe or terminal.
    pub is_regular: bool,
    pub opened: Opened,
}

/// How a file was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Whether it was opened past the page cache (`O_DIRECT`).
    pub direct: bool,
    /// Whether each write is durable when it returns (`O_DSYNC`, `O_SYNC`).
    pub durable: bool,
    /// Whether each write goes to its end (`O_APPEND`).
    pub appends: bool,
}

/// A whole disk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Disk {
    /// As in `/proc/diskstats`.
    pub name: String,
    /// As events have it.
    pub device: Device,
}
