//! An append configuration, typed.

use super::definitions::DEFINITIONS;
use super::levels::{FileDurability, Store};
use crate::IoEngine;
use crate::kv::keys::{Keys, Order, Stripe};
use crate::kv::values::{Content, PAYLOAD_BYTES_MIN, Values};
use model::buffer::BUFFER_PAGES;
use model::description::FileSet;
use model::units::{MIB, format_bytes};
use model::{BufferPages, Configuration, DurabilityClass, Layout, LevelError, Levels, Nanos};
use std::ops::Range;

/// The maximum number of bytes of entries that a process writes before it is killed, to a file and into an engine. It is
/// several times what either accepted in the 50 ms that the process has. It lets a run check its room beforehand.
const KILLED_FILE_BYTES_MAX: u64 = 256 * MIB;
const KILLED_STORE_BYTES_MAX: u64 = 64 * MIB;

/// One value for every parameter of the append workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Where entries go, and how they become durable.
    pub store: Store,
    /// Entries per `fdatasync`; used by [`FileDurability::Fdatasync`] only.
    pub sync_every: u64,
    /// Bytes of the buffer in user space that gathers entries for one write; 0 = none.
    pub buffer_size: u64,
    /// Which backend writes the file.
    pub ioengine: IoEngine,
    /// Writes of the file in flight.
    pub iodepth: u32,
    /// Whether a ring gets the files and the buffers registered.
    pub registered: bool,
    /// The pages of the memory that the file is written from.
    pub buffer_pages: BufferPages,
    /// Layout of the file.
    pub layout: Layout,
    /// The maximum number of bytes of entries that a trial writes.
    pub size: u64,
    /// Bytes of a key.
    pub key_size: u32,
    /// Bytes of a value.
    pub value_size: u32,
    /// Number of calls that write an entry: one, or one for the key and one for the value.
    pub writes_per_entry: u32,
    /// The content of values.
    pub values: Content,
    /// The order of the keys.
    pub key_order: Order,
    /// Entries of a trial, over all threads; 0 = no limit.
    pub entries: u64,
    /// Length of the measurement; zero = no limit.
    pub runtime: Nanos,
    /// Threads that write into an engine.
    pub threads: u32,
}

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(&DEFINITIONS, configuration);
        Ok(Self {
            store: Store::read(&levels)?,
            sync_every: levels.count("sync_every")?,
            buffer_size: levels.bytes("buffer_size")?,
            ioengine: levels.level("ioengine")?,
            iodepth: levels.count("iodepth")? as u32,
            registered: levels.flag("registered")?,
            buffer_pages: levels.level(BUFFER_PAGES)?,
            layout: levels.level("layout")?,
            size: levels.bytes("size")?,
            key_size: levels.count("key_size")? as u32,
            value_size: levels.bytes("value_size")? as u32,
            writes_per_entry: levels.count("writes_per_entry")? as u32,
            values: levels.level("values")?,
            key_order: levels.level("key_order")?,
            entries: levels.count("entries")?,
            runtime: levels.duration("runtime")?,
            threads: levels.count("threads")? as u32,
        })
    }

    /// The same for a process that will be killed: only the room on the disk limits it.
    #[must_use]
    pub fn until_killed(&self) -> Self {
        let bytes_max = if self.file().is_some() { KILLED_FILE_BYTES_MAX } else { KILLED_STORE_BYTES_MAX };
        let size = self.size.min(bytes_max);
        Self { entries: 0, runtime: Nanos::ZERO, size, ..self.clone() }
    }

    /// How a plain file becomes durable; `None` if entries go into an engine.
    pub fn file(&self) -> Option<FileDurability> {
        match self.store {
            Store::File(durability) => Some(durability),
            Store::Engine { .. } => None,
        }
    }

    /// The one file of a trial; none if entries go into an engine, which has its own directory.
    pub fn files(&self) -> Vec<FileSet> {
        if self.file().is_none() {
            return Vec::new();
        }
        let size_bytes = self.user_bytes_max();
        vec![FileSet {
            name: format!("entries-{}-{}", self.layout, format_bytes(size_bytes)),
            role: "log".to_owned(),
            layout: self.layout,
            size_bytes,
            count: 1,
        }]
    }

    /// What an acknowledged entry survives, as declared; `None` for an engine, because only the engine knows.
    ///
    /// An entry in a buffer of this process is acknowledged and dies with the process, however it is written later.
    pub fn durability(&self) -> Option<DurabilityClass> {
        self.file().map(|durability| self.class_of_file(durability))
    }

    /// What an entry in a file of this durability survives.
    pub fn class_of_file(&self, durability: FileDurability) -> DurabilityClass {
        if self.buffer_size > 0 { DurabilityClass::None } else { durability.class(self.sync_every) }
    }

    /// Bytes of an entry.
    pub fn entry_bytes(&self) -> u32 {
        self.key_size + self.value_size
    }

    /// Entries in one write of the file: as many whole ones as fit into the buffer, at least one.
    pub fn entries_per_write(&self) -> u64 {
        (self.buffer_size / u64::from(self.entry_bytes())).max(1)
    }

    /// The maximum number of entries that a trial writes: `entries`, or as many as fit into `size`.
    pub fn entries_max(&self) -> u64 {
        let fitting = self.size / u64::from(self.entry_bytes());
        if self.entries > 0 { self.entries.min(fitting) } else { fitting }
    }

    /// Bytes of keys and values that a trial writes at most.
    pub(super) fn user_bytes_max(&self) -> u64 {
        self.entries_max().saturating_mul(u64::from(self.entry_bytes()))
    }

    /// Whether there are operations that only sync.
    pub fn syncs(&self) -> bool {
        matches!(self.file(), Some(FileDurability::SyncAtEnd | FileDurability::Fdatasync))
    }

    /// Whether an entry can be acknowledged at another moment than the end of its write.
    pub fn acknowledges_apart(&self) -> bool {
        self.file().is_some() && (self.buffer_size > 0 || self.file() == Some(FileDurability::Fdatasync))
    }

    /// The maximum number of operations in flight; an engine's thread has one.
    pub fn in_flight_max(&self) -> usize {
        match self.store {
            Store::File(_) => (self.iodepth * self.writes_per_entry + u32::from(self.syncs())) as usize,
            Store::Engine { .. } => 1,
        }
    }

    /// The keys of a trial.
    pub fn keys(&self, seed: u64) -> Keys {
        Keys::new(self.key_order, self.key_size, seed)
    }

    /// Where the values of an engine's entries are in the payload.
    pub fn value_ranges(&self) -> Values {
        Values::new(self.value_size)
    }

    /// The indices of a thread's entries: a thread's entry `n` has the key of its index `n`.
    pub fn stripe(&self, thread: u32) -> Stripe {
        Stripe::new(thread, self.threads)
    }

    /// Bytes of the payload: for a file the arena, with whole entries; for an engine the bytes that values are taken from.
    pub fn payload_bytes(&self) -> usize {
        match self.store {
            Store::File(_) => (self.payload_writes() * self.write_bytes()) as usize,
            Store::Engine { .. } => self.value_ranges().payload_bytes(),
        }
    }

    /// Fills the payload; the same seed gives the same bytes. A file's entries have different keys until the payload
    /// repeats.
    pub fn fill(&self, seed: u64, payload: &mut [u8]) {
        self.values.fill(seed, payload);
        if self.file().is_none() {
            return;
        }
        let keys = self.keys(seed);
        for (index, entry) in (0..).zip(payload.chunks_exact_mut(self.entry_bytes() as usize)) {
            entry[..self.key_size as usize].copy_from_slice(keys.key(index).as_bytes());
        }
    }

    /// The byte offset in the file of entry number `index`, and the range of the payload with the bytes that must be there.
    /// Another process uses this to find what is missing.
    pub fn file_entry(&self, index: u64) -> (u64, Range<usize>) {
        let bytes = u64::from(self.entry_bytes());
        let (write, within) = (index / self.entries_per_write(), index % self.entries_per_write());
        let begin = (self.payload_offset(write) + within * bytes) as usize;
        (index * bytes, begin..begin + bytes as usize)
    }

    /// The place of this write's payload.
    #[inline]
    pub(super) fn payload_offset(&self, write: u64) -> u64 {
        write % self.payload_writes() * self.write_bytes()
    }

    fn payload_writes(&self) -> u64 {
        PAYLOAD_BYTES_MIN.div_ceil(self.write_bytes())
    }

    fn write_bytes(&self) -> u64 {
        self.entries_per_write() * u64::from(self.entry_bytes())
    }
}
