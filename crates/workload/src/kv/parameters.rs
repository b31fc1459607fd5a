//! A kv configuration, typed.

use super::definitions::DEFINITIONS;
use super::keys::{Keys, Order, Stripe};
use super::values::{Content, Values};
use model::{Configuration, IoMode, LevelError, Levels, Nanos, Settings};

/// Write buffers that an engine holds at a time.
const WRITE_BUFFERS: u64 = 4;

/// One value for every parameter of the kv workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The engine's name, one of [`super::ENGINES`].
    pub engine: &'static str,
    /// Its durability level; `None` is the engine's own default. The crate that has the engine checks the name.
    pub durability: Option<String>,
    /// How the page cache takes part: buffered or direct.
    pub io: IoMode,
    /// Keys that are loaded.
    pub keys: u64,
    /// Bytes of a key.
    pub key_size: u32,
    /// Bytes of a value.
    pub value_size: u32,
    /// The content of values.
    pub values: Content,
    /// Threads that share the engine.
    pub threads: u32,
    /// Gets that a thread hands to the engine at once, in the phases that read single keys.
    pub iodepth: u32,
    /// Bytes of the engine's own cache; `None` is its default.
    pub cache_bytes: Option<u64>,
    /// Bytes of the engine's write buffer; `None` is its default.
    pub write_buffer_bytes: Option<u64>,
    /// The engine's own settings.
    pub settings: Settings,
    /// Operations of each phase after the load, over all threads; 0 = no limit.
    pub reads: u64,
    /// Length of each phase after the load; zero = no limit.
    pub phase_runtime: Nanos,
    /// Entries that a scan reads.
    pub scan_length: u32,
    /// Arrivals per second of each thread in the phases after the load; `None` is a closed loop.
    pub rate_ops: Option<u64>,
}

impl Parameters {
    /// The write buffer of an engine that is given none: the default of RocksDB, fjall and the store.
    pub(super) const WRITE_BUFFER_BYTES: u64 = 64 << 20;

    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(&DEFINITIONS, configuration);
        let chosen = |bytes: u64| (bytes > 0).then_some(bytes);
        let durability = levels.text("durability")?;
        Ok(Self {
            engine: levels.choice("engine")?,
            durability: (durability != "default").then_some(durability),
            io: levels.level("io")?,
            keys: levels.count("keys")?,
            key_size: levels.count("key_size")? as u32,
            value_size: levels.bytes("value_size")? as u32,
            values: levels.level("values")?,
            threads: levels.count("threads")? as u32,
            iodepth: levels.count("iodepth")? as u32,
            cache_bytes: chosen(levels.bytes("cache_size")?),
            write_buffer_bytes: chosen(levels.bytes("write_buffer_size")?),
            settings: levels.settings("settings")?,
            reads: levels.count("reads")?,
            phase_runtime: levels.duration("phase_runtime")?,
            scan_length: levels.count("scan_length")? as u32,
            rate_ops: levels.optional_count("rate_ops")?,
        })
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

    /// The indices that a thread loads.
    pub fn stripe(&self, thread: u32) -> Stripe {
        Stripe::new(thread, self.threads)
    }

    /// Bytes of memory that an engine takes at most for its cache, which holds no more than the data and its framing, and for
    /// write buffers: one that is filled, and others that wait to be written.
    pub fn memory_bytes(&self) -> u64 {
        let cache = self.cache_bytes.unwrap_or(u64::MAX).min(self.user_bytes().saturating_mul(2));
        let write_buffer = self.write_buffer_bytes.unwrap_or(Self::WRITE_BUFFER_BYTES);
        cache.saturating_add(write_buffer.saturating_mul(WRITE_BUFFERS))
    }

    /// Bytes of all keys and values that are loaded.
    pub fn user_bytes(&self) -> u64 {
        self.keys * u64::from(self.key_size + self.value_size)
    }
}
