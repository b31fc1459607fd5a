//! What a process asks of its files, and what changes which file a descriptor is.

use crate::event::Device;

/// A process passed a tracepoint that concerns its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileEvent {
    /// `CLOCK_MONOTONIC`, nanoseconds.
    pub time_ns: u64,
    /// The process, by its number in the name space of processes that the reader is in; 0 if it has none there.
    pub process: u32,
    /// The thread, by the number that the kernel itself knows it by, as [`Event::thread`](crate::Event::thread).
    pub thread: u32,
    pub kind: FileEventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEventKind {
    /// The thread enters a system call.
    Begins(FileRequest),
    /// The thread leaves it.
    Ends {
        call: FileCall,
        /// Bytes, a position or a descriptor; a negative error number if it failed.
        result: i64,
    },
    /// A ring (`io_uring`) takes a request. Which one it is, only the kernel knows.
    RingTakes { request: u64, call: FileCall, durable: bool },
    /// The descriptor that a request of a ring is for. Files that were registered with the ring have no such event.
    RingFile { request: u64, descriptor: u32 },
    /// A request of a ring is done.
    RingCompletes { request: u64, result: i64 },
    /// The file system of a file begins to sync it, in a system call (`fsync(2)`, `msync(2)`, or a write that is to be
    /// durable) or for a ring.
    SyncBegins {
        device: Device,
        /// The number of the file there.
        inode: u64,
    },
    /// It is done.
    SyncEnds {
        /// A negative error number if it failed.
        result: i64,
    },
    /// The thread hands requests to the kernel's older interface (`io_submit`), which says neither sizes nor ends.
    Submits { requests: u64 },
    /// The process has a new thread, or a child.
    Forks {
        /// The number of the new thread, by the number that the kernel itself knows it by. In a name space of
        /// processes where that is another one's, there is no such event.
        child: u32,
    },
    /// The thread ends.
    ThreadEnds {
        /// Whether it is the first one of its process.
        is_main: bool,
    },
}

/// A system call, and what it is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRequest {
    pub call: FileCall,
    pub descriptor: u32,
    /// Where in the file; `None` if the file's own position says that.
    pub offset: Option<u64>,
    /// Whether a write is to be durable when it returns (`RWF_DSYNC`).
    pub durable: bool,
}

/// What a system call does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileCall {
    Read,
    Write,
    /// `fsync` or `fdatasync`.
    Sync,
    /// Moves the file's own position.
    Seek,
    Open,
    Close,
}
