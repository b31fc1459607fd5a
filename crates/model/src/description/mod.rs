//! What a configuration is to everybody but its workload: which operations it makes, on which files, what it promises,
//! and which of its metrics say what.
//!
//! A workload describes each configuration once, from its typed parameters. The plan keeps the description, so that
//! running, judging or showing a trial needs no parameter's name. A name in a description is data: the
//! parameter to show to a person, or the metric to read.

mod count;
mod duration;
mod engine;
mod figures;
mod file;
mod interleaving;
mod latency;
mod names;
mod readahead;
mod room;
mod stream;

pub use count::{Counted, Flushes, Hits, Load, Multiple, Rate, SyncUnit};
pub use duration::Duration;
pub use engine::{EngineFigure, EngineUse, LogWrites};
pub use figures::Figures;
pub use file::{FileNeed, FileSet, Folder};
pub use interleaving::Interleaving;
pub use latency::{Part, Timed, Whole};
pub use names::Names;
pub use readahead::Readahead;
pub use room::Room;
pub use stream::{Arrivals, Content, Depth, Direction, OperationRatio, Stream};

use crate::{BufferPages, Cache, CapReach, DurabilityClass, FileSystem, IoCap, Layout};
use serde::{Deserialize, Serialize};

/// What a configuration is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
pub struct Description {
    /// The reads and writes that are measured, one entry for each kind.
    pub streams: Vec<Stream>,
    /// Whether everything that is written is synced within the measured time, so that acknowledgements wait for it.
    pub syncs: bool,
    /// What an acknowledged write survives, as declared; `None` if an engine decides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durability: Option<DurabilityClass>,
    pub content: Content,
    /// Whether an engine stands between the operations and its files: it may compress, and writes when it likes.
    pub in_engine: bool,
    /// How that engine is used, if engines are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_use: Option<EngineUse>,
    /// Threads that drive operations.
    pub threads: u64,
    /// Operations that may be in flight at a time, over all threads.
    pub in_flight_max: u64,
    /// Operations that each thread keeps in flight, if a parameter sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// The arrivals of an open loop; `None` is a closed loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Whether threads pause between operations, so that a rate is not what the disk can do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pauses: bool,
    /// Operations of one kind that come with each operation of another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<OperationRatio>,

    /// How arms take turns.
    #[serde(flatten)]
    pub turns: Interleaving,
    /// What a trial takes of the disk and of the memory.
    #[serde(flatten)]
    pub room: Room,
    /// Which metrics say what.
    #[serde(flatten)]
    pub figures: Figures,
    /// Parameters to show to a person.
    #[serde(flatten)]
    pub names: Names,

    /// Ranks of a launch that measure at the same time, the first ones; `None` if all do, or if it was started alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u64>,
    /// The file system that the files live on.
    pub filesystem: FileSystem,
    /// Whether the data lies in an object store: then no file system and no device here has anything to do with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_object_store: bool,
    /// Bytes of the data that is read or written in place: a file, a table, a dataset, what a store holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_bytes: Option<u64>,
    /// Limit of the worker's memory in bytes, page cache included: what the kernel enforces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_cap_bytes: Option<u64>,
    /// Limits of what the worker reads and writes on the device: what its control group enforces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_cap: Option<IoCap>,
    /// How the file that is written lies on the device, if the time of a write depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,

    /// The data's pages before the measurement, or before the first of several passes.
    pub cache: Cache,
    /// The data's pages before each later pass, if a trial reads the same data several times and reports each pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_of_later_passes: Option<Cache>,
    /// The kernel's readahead while the data is read from the disk; `None` if nothing here depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readahead: Option<Readahead>,
    /// Whether the memory that is read into and written from is Syncline's own, and not an engine's, a server's or a
    /// client's.
    pub owns_buffers: bool,
    /// What pages that memory is to have; `None` if it is another's, or if the plan is older than the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_pages: Option<BufferPages>,
    /// How long a trial lasts.
    pub duration: Duration,
}

impl Description {
    /// How much of the load a limit on its process's I/O reaches.
    ///
    /// The kernel charges a request to the group of the thread that submits it. A direct or synchronous write is the
    /// thread's own, and so is what fsync(2) writes. A buffered write without a sync is written later by a thread of
    /// the kernel, which is in no group (`Documentation/admin-guide/cgroup-v1/blkio-controller.rst`).
    pub fn cap_reach(&self) -> CapReach {
        const WRITEBACK: &str = "buffered writes without a sync are written back by threads of the kernel, which are \
                                 not in the control group";
        if self.in_object_store {
            return CapReach::Nothing("the data lies in an object store");
        }
        if self.filesystem != FileSystem::Host {
            return CapReach::Nothing(
                "the files are on a loop image, whose requests a thread of the kernel makes",
            );
        }
        let escapes =
            |stream: &&Stream| stream.direction == Direction::Write && !stream.is_direct() && !self.syncs;
        match self.streams.iter().filter(escapes).count() {
            0 => CapReach::Everything,
            all if all == self.streams.len() => CapReach::Nothing(WRITEBACK),
            _ => CapReach::Part(WRITEBACK),
        }
    }

    /// The stream in this direction.
    pub fn stream(&self, direction: Direction) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.direction == direction)
    }

    pub fn reads(&self) -> Option<&Stream> {
        self.stream(Direction::Read)
    }

    pub fn writes(&self) -> Option<&Stream> {
        self.stream(Direction::Write)
    }

    /// Bytes of every operation in this direction; `None` if they differ, if an engine decides them, or if there is
    /// none.
    pub fn block_bytes(&self, direction: Direction) -> Option<u64> {
        let mut streams = self.streams.iter().filter(|stream| stream.direction == direction);
        let bytes = streams.next()?.block_bytes;
        bytes.filter(|_| streams.all(|stream| stream.block_bytes == bytes))
    }

    /// Reads and writes of the data, but not of a log.
    pub fn data_streams(&self) -> impl Iterator<Item = &Stream> {
        self.streams.iter().filter(|stream| stream.role == file::DATA)
    }

    /// Whether every operation leaves the page cache out; not if there is none at all.
    pub fn is_all_direct(&self) -> bool {
        !self.streams.is_empty() && self.streams.iter().all(Stream::is_direct)
    }

    /// Whether Syncline itself reads or writes files with direct I/O; an engine finds out by itself whether it can.
    pub fn needs_direct(&self) -> bool {
        !self.in_engine && self.streams.iter().any(Stream::is_direct)
    }

    /// Whether Syncline itself reads or writes files through the page cache.
    pub fn uses_page_cache(&self) -> bool {
        !self.in_engine && !self.streams.iter().all(Stream::is_direct)
    }

    /// Seconds that a phase takes by time alone, but for what is in flight at its end; `None` if it ends otherwise.
    pub fn runtime_s(&self) -> Option<f64> {
        (self.duration.ends_on_time && self.duration.phase_s > 0.0).then_some(self.duration.phase_s)
    }

    /// Whether trials that take turns may share the files of this role: nothing is written there, and nothing is
    /// cached.
    pub fn shares_files(&self, role: &str) -> bool {
        let is_harmless = |stream: &Stream| stream.direction == Direction::Read && stream.is_direct();
        let mut streams = self.streams.iter().filter(|stream| stream.role == role).peekable();
        !self.in_engine && streams.peek().is_some() && streams.all(is_harmless)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IoMode;

    #[test]
    fn a_limit_does_not_reach_what_the_kernel_writes_back() {
        let stream = |direction, mode| Stream {
            direction,
            role: "data".to_owned(),
            mode,
            is_random: None,
            block_bytes: None,
            share: None,
            in_flight_max: None,
            size_parameter: None,
            trial_bytes_max: None,
        };
        let reach = |streams: Vec<Stream>, syncs| {
            Description { streams, syncs, ..Description::default() }.cap_reach()
        };
        let written = || stream(Direction::Write, IoMode::Buffered);
        assert!(matches!(reach(vec![written()], false), CapReach::Nothing(_)));
        assert_eq!(reach(vec![written()], true), CapReach::Everything);
        assert_eq!(reach(vec![stream(Direction::Write, IoMode::Direct)], false), CapReach::Everything);
        let read = stream(Direction::Read, IoMode::Buffered);
        assert_eq!(reach(vec![read.clone()], false), CapReach::Everything);
        assert!(matches!(reach(vec![read, written()], false), CapReach::Part(_)));
        let stored = Description { in_object_store: true, ..Description::default() };
        assert!(matches!(stored.cap_reach(), CapReach::Nothing(_)));
    }
}
