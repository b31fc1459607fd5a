//! The kv workload's parameters, and what follows from them.

use super::ENGINES;
use super::keys::{KEY_BYTES_MIN, Keys, Order, Stripe};
use super::mix::{Phases, Step};
use super::phase::Phase;
use super::values::{Content, Values};
use crate::popularity::Popularity;
use model::kv::KEY_BYTES_MAX;
use model::parameter::{bytes, count, count_up_to, number, one_of, shares_of};
use model::units::{GIB, MIB};
use model::{Configuration, IoMode, LevelError, Levels, Nanos, Settings, Shares, parameters};

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "kv";

parameters! {
    /// One value for every parameter of the kv workload.
    pub struct Parameters;
    /// The kv workload's parameters.
    pub const PARAMETERS: Handles;

    /// the key-value engine
    engine: &'static str = "fjall" in one_of(ENGINES),
    /// durability of a put: one of the engine's own levels, or a class (process, power), which is its cheapest
    /// level of that class
    durability: String = "default",
    /// I/O through the page cache or direct, if the engine has the choice
    io: IoMode = "buffered" in one_of(&[IoMode::Buffered.name(), IoMode::Direct.name()]),
    /// keys that are loaded, in random order
    keys: u64 = "500000" in count(1..=1_000_000_000_000),
    /// bytes of a key, all random
    key_size: u32 = "24" in count(KEY_BYTES_MIN as u64..=KEY_BYTES_MAX as u64),
    /// bytes of a value
    value_size: u32 = "100B" in bytes(0..=MIB),
    /// content of the values; an engine or a device that compresses is faster with constant ones
    values: Content = "random",
    /// threads that share the engine, in every phase
    threads: u32 = "1" in count(1..=256),
    /// gets of one key that a thread hands to the engine at once, which keeps up to that number of reads in flight;
    /// more than 1 needs an engine that can (store)
    iodepth: u32 = "1" in count(1..=1024),
    /// the engine's own cache; 0B = its default
    cache_size: u64 = "0B" in bytes(0..=1024 * GIB),
    /// the engine's write buffer (memtable); 0B = its default
    write_buffer_size: u64 = "0B" in bytes(0..=1024 * GIB),
    /// the engine's own settings by its names for them: options of RocksDB, pragmas of SQLite
    settings: Settings = "none",
    /// phases after the load: all (loaded keys are read, absent keys are read, a mix, scans), mixed (the mix alone), or
    /// db_bench (loaded keys are read, scans, loaded keys are read while writers put)
    phases: Phases = "all",
    /// operations of the mix with their shares in percent: get, put (a loaded key gets a new value), insert (a new
    /// key), read_modify_write (a get, then a put of that key: two operations), delete (of the oldest inserted key),
    /// scan
    mix: Shares = "get/50:put/50" in shares_of(Step::NAMES),
    /// which loaded keys are read and changed: uniform (all as often), zipf (some are hot), latest (what was inserted
    /// or loaded last is)
    popularity: Popularity = "uniform",
    /// skew of the popularity: the k-th hottest key comes with a probability proportional to k^-zipf_theta; YCSB has
    /// 0.99
    zipf_theta: f64 = "0.99" in number(0.01..=10.0),
    /// operations of each phase after the load, over all threads; 0 = until phase_runtime. Reads beside writers end
    /// with phase_runtime
    reads: u64 = "0" in count(0..=1_000_000_000_000),
    /// length of each phase after the load; 0s = until reads
    phase_runtime: Nanos = "2s",
    /// entries that a scan reads
    scan_length: u32 = "10" in count(1..=1_000_000),
    /// arrivals per second of each thread after the load, Poisson: an open loop, whose latencies count from the
    /// intended start
    rate_ops: Option<u64> = "none" in count_up_to(100_000_000),
    /// threads that put beside the threads that read, with phases = db_bench: each gives loaded keys new values
    writers: u32 = "1" in count(1..=256),
    /// puts per second of each of these writers, Poisson, whose latencies count from the intended start; none = one put
    /// after the other
    writer_rate_ops: Option<u64> = "none" in count_up_to(100_000_000),
}

/// Write buffers that an engine holds at a time.
const WRITE_BUFFERS: u64 = 4;

impl Parameters {
    /// The write buffer of an engine that is given none: the default of RocksDB, fjall and the store.
    const WRITE_BUFFER_BYTES: u64 = 64 << 20;

    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// The level of durability; `None` is the engine's own default. The crate that has the engine checks the name.
    pub fn durability(&self) -> Option<&str> {
        (self.durability != "default").then_some(self.durability.as_str())
    }

    /// Bytes of the engine's own cache; `None` is its default.
    pub fn cache_bytes(&self) -> Option<u64> {
        (self.cache_size > 0).then_some(self.cache_size)
    }

    /// Bytes of the engine's write buffer; `None` is its default.
    pub fn write_buffer_bytes(&self) -> Option<u64> {
        (self.write_buffer_size > 0).then_some(self.write_buffer_size)
    }

    /// The same, with a default.
    pub(super) fn write_buffer_bytes_or_default(&self) -> u64 {
        self.write_buffer_bytes().unwrap_or(Self::WRITE_BUFFER_BYTES)
    }

    /// The keys of a trial: those below [`Parameters::keys`] are loaded, the others are misses.
    pub fn key_stream(&self, seed: u64) -> Keys {
        Keys::new(Order::Random, self.key_size, seed)
    }

    /// Where values are in the payload.
    pub fn value_ranges(&self) -> Values {
        Values::new(self.value_size)
    }

    /// Bytes of the payload that puts take their values from.
    pub fn payload_bytes(&self) -> usize {
        self.value_ranges().payload_bytes()
    }

    /// Fills the payload; the same seed gives the same bytes.
    pub fn fill(&self, seed: u64, payload: &mut [u8]) {
        self.values.fill(seed, payload);
    }

    /// Threads of a phase. Those that write beside readers are the last ones.
    pub fn threads_of(&self, phase: Phase) -> u32 {
        match phase {
            Phase::ReadWhileWriting => self.threads + self.writers,
            Phase::Load | Phase::ReadHit | Phase::ReadMiss | Phase::Mixed | Phase::Scan => self.threads,
        }
    }

    /// Threads of the phase that has most.
    pub(super) fn threads_max(&self) -> u32 {
        let after_load = self.phases.after_load().iter().map(|phase| self.threads_of(*phase));
        after_load.fold(self.threads, u32::max)
    }

    /// Whether a trial has a phase in which threads write beside others that read.
    pub(super) fn has_writers(&self) -> bool {
        self.phases.after_load().contains(&Phase::ReadWhileWriting)
    }

    /// The indices that a thread loads.
    pub fn stripe(&self, thread: u32) -> Stripe {
        Stripe::new(thread, self.threads)
    }

    /// Bytes of memory that an engine takes at most for its cache, which holds no more than the data and its framing,
    /// and for write buffers: one that is filled, and others that wait to be written.
    pub fn memory_bytes(&self) -> u64 {
        let cache = self.cache_bytes().unwrap_or(u64::MAX).min(self.user_bytes().saturating_mul(2));
        cache.saturating_add(self.write_buffer_bytes_or_default().saturating_mul(WRITE_BUFFERS))
    }

    /// Bytes of all keys and values that are loaded.
    pub fn user_bytes(&self) -> u64 {
        self.keys * u64::from(self.key_size + self.value_size)
    }
}
