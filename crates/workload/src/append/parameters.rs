//! The append workload's parameters, and what follows from them.

use super::levels::{DEFAULT, ENGINES, FILE, FileDurability, Store};
use crate::IoEngine;
use crate::kv::keys::{KEY_BYTES_MIN, Keys, Order, Stripe};
use crate::kv::values::{Content, PAYLOAD_BYTES_MIN, Values};
use model::description::FileSet;
use model::kv::KEY_BYTES_MAX;
use model::parameter::{bytes, count, one_of};
use model::units::{GIB, KIB, MIB, format_bytes};
use model::{
    BufferPages, Configuration, DurabilityClass, Layout, LevelError, Levels, Nanos, parameters, suggestion,
};
use std::ops::Range;

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "append";

parameters! {
    /// One value for every parameter of the append workload.
    pub struct Parameters;
    /// The append workload's parameters.
    pub const PARAMETERS: Handles;

    /// target of the entries: the end of a file, or an engine
    engine: &'static str = "file" in one_of(ENGINES),
    /// what an entry waits for: for a file none, sync_at_end, fdatasync, o_dsync or o_sync (the default is none),
    /// for an engine one of its own levels
    durability: String = "default",
    /// entries per fdatasync; more than one only with durability = fdatasync
    sync_every: u64 = "1" in count(1..=1_000_000_000),
    /// buffer in user space, written when it is full; an entry in it is acknowledged; 0B = every entry its own
    /// write; file only
    buffer_size: u64 = "0B" in bytes(0..=64 * MIB),
    /// pwrite, or io_uring; no effect if engine is not file
    ioengine: IoEngine = "psync",
    /// register files and buffers with the ring, which saves the kernel work; few databases do. No effect without
    /// ioengine = uring
    registered: bool = "false",
    /// writes in flight, counted from the oldest incomplete one; io_uring only
    iodepth: u32 = "1" in count(1..=1024),
    /// pages of the memory from which entries are written: the kernel's base size (4KiB), or huge pages; verified.
    /// No effect if engine is not file, because engines have their own buffers
    buffer_pages: BufferPages = "small",
    /// whether the file grows or was written before; no effect if engine is not file
    layout: Layout = "append" in one_of(&[Layout::Append.name(), Layout::Prefilled.name()]),
    /// maximum size of all entries; the trial ends when it is reached
    size: u64 = "1GiB" in bytes(KIB..=1024 * GIB),
    /// bytes of a key
    key_size: u32 = "16" in count(KEY_BYTES_MIN as u64..=KEY_BYTES_MAX as u64),
    /// bytes of a value
    value_size: u32 = "100B" in bytes(0..=MIB),
    /// 2 writes key and value with one call each, which doubles the calls and has no benefit; file only
    writes_per_entry: u32 = "1" in count(1..=2),
    /// content of the values; an engine or a device that compresses is faster with constant ones
    values: Content = "random",
    /// order of the keys; no effect if engine is file
    key_order: Order = "sequential",
    /// entries of all threads together; 0 = until runtime; no effect if entries of a file are synced one by one and
    /// runtime ends them first
    entries: u64 = "100000" in count(0..=1_000_000_000_000),
    /// length of the measurement; 0s = until entries
    runtime: Nanos = "0s",
    /// threads that write to an engine; a file has one
    threads: u32 = "1" in count(1..=256),
}

/// The maximum number of bytes of entries that a process writes before it is killed, to a file and into an engine. It
/// is several times what either accepted in the 50 ms that the process has. It lets a run check its room beforehand.
const KILLED_FILE_BYTES_MAX: u64 = 256 * MIB;
const KILLED_STORE_BYTES_MAX: u64 = 64 * MIB;

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(WORKLOAD, configuration);
        let read = Self::of(&levels)?;
        let is_known = read.durability == DEFAULT || FileDurability::from_name(&read.durability).is_some();
        if read.engine == FILE && !is_known {
            Err(unknown_of_file(&levels, &read.durability))
        } else {
            Ok(read)
        }
    }

    /// Where entries go, and how they become durable.
    pub fn store(&self) -> Store<'_> {
        match self.file() {
            Some(durability) => Store::File(durability),
            None => Store::Engine {
                name: self.engine,
                level: (self.durability != DEFAULT).then_some(self.durability.as_str()),
            },
        }
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
        // `read` refuses other names than those of its levels and `default`, which is the first of them.
        let named = || FileDurability::from_name(&self.durability).unwrap_or(FileDurability::None);
        (self.engine == FILE).then(named)
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
        match self.file() {
            Some(_) => (self.iodepth * self.writes_per_entry + u32::from(self.syncs())) as usize,
            None => 1,
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

    /// Bytes of the payload: for a file the arena, with whole entries; for an engine the bytes that values are taken
    /// from.
    pub fn payload_bytes(&self) -> usize {
        match self.file() {
            Some(_) => (self.payload_writes() * self.write_bytes()) as usize,
            None => self.value_ranges().payload_bytes(),
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

    /// The byte offset in the file of entry number `index`, and the range of the payload with the bytes that must be
    /// there. Another process uses this to find what is missing.
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

/// The error for a level that a plain file does not have. The schema cannot list the levels, because each engine has
/// its own.
fn unknown_of_file(levels: &Levels<'_>, level: &str) -> LevelError {
    let names: Vec<&str> = std::iter::once(DEFAULT).chain(FileDurability::NAMES.iter().copied()).collect();
    let meant = suggestion::nearest(level, names.iter().copied());
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"));
    levels.error(PARAMETERS.durability.name(), format!("{} with engine = {FILE}{meant}", names.join(" | ")))
}
