//! A kv configuration, typed.

use super::keys::{Keys, Order, Stripe};
use super::values::{Content, Values};
use model::{Configuration, IoMode, Nanos};

/// One value for every parameter of the kv workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The engine's name, one of [`super::ENGINES`].
    pub engine: String,
    /// Its durability level; `None` is the engine's own default. Whoever knows the engine checks the name.
    pub durability: Option<String>,
    /// How the page cache takes part: buffered or direct.
    pub io: IoMode,
    /// Keys that are loaded.
    pub keys: u64,
    /// Bytes of a key.
    pub key_size: u32,
    /// Bytes of a value.
    pub value_size: u32,
    /// What values are made of.
    pub values: Content,
    /// Threads that share the engine.
    pub threads: u32,
    /// Bytes of the engine's own cache; `None` is its default.
    pub cache_bytes: Option<u64>,
    /// Bytes of the engine's write buffer; `None` is its default.
    pub write_buffer_bytes: Option<u64>,
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
    /// Reads a complete configuration. The error is one sentence.
    pub fn read(configuration: &Configuration) -> Result<Self, String> {
        let read = || -> Result<Self, model::configuration::Missing> {
            let text = |name: &str| configuration.text(name);
            let chosen = |bytes: u64| (bytes > 0).then_some(bytes);
            let durability = text("durability")?;
            Ok(Self {
                engine: text("engine")?,
                durability: (durability != "default").then_some(durability),
                io: configuration.io_mode("io")?,
                keys: configuration.count("keys")?,
                key_size: configuration.count("key_size")? as u32,
                value_size: configuration.bytes("value_size")? as u32,
                values: Content::from_name(&text("values")?).unwrap_or(Content::Random),
                threads: configuration.count("threads")? as u32,
                cache_bytes: chosen(configuration.bytes("cache_size")?),
                write_buffer_bytes: chosen(configuration.bytes("write_buffer_size")?),
                reads: configuration.count("reads")?,
                phase_runtime: configuration.duration("phase_runtime")?,
                scan_length: configuration.count("scan_length")? as u32,
                // Where it is no count it is `none`.
                rate_ops: configuration.count("rate_ops").ok(),
            })
        };
        read().map_err(|missing| missing.to_string())
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

    /// Bytes of all keys and values that are loaded.
    pub fn user_bytes(&self) -> u64 {
        self.keys * u64::from(self.key_size + self.value_size)
    }
}
