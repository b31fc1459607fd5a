//! What every engine does, and what it says about itself.

use crate::{EngineError, Options};
use model::mechanism::Measured;
use model::{DurabilityClass, IoMode, Key};
use std::path::Path;

/// One way in which an engine acknowledges a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurabilityLevel {
    /// How a study names it.
    pub name: &'static str,
    /// What an acknowledged write survives.
    pub class: DurabilityClass,
    /// What happens before a write is acknowledged: one sentence.
    pub meaning: &'static str,
}

impl DurabilityLevel {
    /// The place of the level that a study means: by its name, or by a class (`process`), which is the engine's first
    /// level of that class, the cheapest one.
    pub fn place<'a>(mut levels: impl Iterator<Item = &'a Self> + Clone, name: &str) -> Option<usize> {
        let named = levels.clone().position(|level| level.name == name);
        named.or_else(|| levels.position(|level| level.class.to_string() == name))
    }
}

/// A setting that not every engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// [`Options::io`] = direct.
    DirectIo,
    /// [`Options::cache_bytes`].
    CacheBytes,
    /// [`Options::write_buffer_bytes`].
    WriteBufferBytes,
    /// [`Options::settings`].
    Settings,
    /// [`Options::reads_in_flight`].
    ReadsInFlight,
}

impl Knob {
    /// Why an engine lacks [`Knob::ReadsInFlight`].
    pub const ONE_READ: &str = "a thread has one read in flight in this engine: more threads have more";

    /// Whether these options set it.
    pub fn is_set(self, options: &Options) -> bool {
        match self {
            Self::DirectIo => options.io == IoMode::Direct,
            Self::CacheBytes => options.cache_bytes.is_some(),
            Self::WriteBufferBytes => options.write_buffer_bytes.is_some(),
            Self::Settings => !options.settings.is_empty(),
            Self::ReadsInFlight => options.reads_in_flight > 1,
        }
    }
}

/// What an engine tells about its state. Everything is since it was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Space that the store's files take on the disk (allocated blocks, not lengths).
    pub disk_bytes: Measured<u64>,
    /// Time that writers were held up by flushes and compactions, in seconds, summed over writers.
    pub write_stall_s: Measured<f64>,
}

impl Stats {
    /// Nothing but this reason.
    pub(crate) fn unsupported(why: &str) -> Self {
        Self { disk_bytes: Measured::unsupported(why), write_stall_s: Measured::unsupported(why) }
    }
}

/// A key-value engine. Threads share it; each calls it and waits.
///
/// Keys are 1 to [`model::kv::KEY_BYTES_MAX`] bytes and ordered as their bytes are; values are up to 2³¹ − 1 bytes. A
/// write that has returned is seen by every read that begins afterwards, on any thread.
pub trait Engine: Send + Sync + Sized {
    /// Gives `key` the value `value`.
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError>;

    /// Reads the value of `key` into `value`, whose content it replaces; returns whether there is one. Without one,
    /// the content of `value` is unspecified.
    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError>;

    /// Reads the values of these keys and hands each to `sink` with its key's place, `None` if there is none. An engine
    /// that takes [`Options::reads_in_flight`] keeps up to that number of reads in flight; the others read one key
    /// after another.
    fn multi_get(&self, keys: &[Key], mut sink: impl FnMut(usize, Option<&[u8]>)) -> Result<(), EngineError> {
        let mut value = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            let found = self.get(key.as_bytes(), &mut value)?;
            sink(place, found.then_some(&value));
        }
        Ok(())
    }

    /// Takes `key` away, whether or not it is there.
    fn delete(&self, key: &[u8]) -> Result<(), EngineError>;

    /// Hands up to `limit` entries to `sink`, key and value, in the order of their keys, beginning with `start` itself
    /// or the next key there is. Returns how many. They are of one moment.
    fn scan(&self, start: &[u8], limit: usize, sink: impl FnMut(&[u8], &[u8])) -> Result<usize, EngineError>;

    /// Makes every acknowledged write survive power loss, at whatever level it was written.
    fn sync(&self) -> Result<(), EngineError>;

    /// Flushes write buffers and waits until compaction has nothing left to do. Returns how long that took, in
    /// seconds, or why there is nothing to wait for. Nobody may write meanwhile.
    fn drain(&self) -> Result<Measured<f64>, EngineError>;

    fn stats(&self) -> Stats;

    /// Makes everything durable and closes the store; it can be reopened as soon as this returns.
    fn close(self) -> Result<(), EngineError>;
}

/// An engine that joins the list: what it can be asked for, and how it is opened.
pub trait Adapter: Engine {
    /// The engine's name, which is its feature's too.
    const NAME: &'static str;
    /// Whether a store can be reopened. Without that, nothing but `close` ends it.
    const PERSISTENT: bool;
    /// What a durability level means to the adapter.
    type NativeLevel: Copy + 'static;
    /// The durability levels, weakest first.
    const LEVELS: &'static [(DurabilityLevel, Self::NativeLevel)];
    /// The level that the engine has if nobody chooses, by its place in [`LEVELS`](Self::LEVELS).
    const DEFAULT_LEVEL: usize;
    /// The settings that it does not have, with the reason.
    const UNSUPPORTED: &'static [(Knob, &'static str)];

    /// Opens the store in `data`, an existing directory of the engine's own, or makes one there.
    fn open(options: &Options, data: &Path, setting: Self::NativeLevel) -> Result<Self, EngineError>;
}
