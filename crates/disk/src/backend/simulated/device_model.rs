//! What a simulated device is like, and what goes wrong with it.

use model::{BlockKind, Nanos};

/// How long an operation takes once a channel works on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServiceTime {
    /// Always the same.
    Fixed(Nanos),
    /// Anything from the first to the second, equally likely.
    Uniform(Nanos, Nanos),
    /// Skewed to the right, as real devices are.
    LogNormal {
        /// Half of the operations take less.
        median: Nanos,
        /// Standard deviation of the logarithm: 0.2 is a calm device, 1 a wild one.
        sigma: f64,
    },
}

/// Which operations a [`Fault`] hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trigger {
    /// The operation with this number, in order of submission from 0.
    Operation(u64),
    /// Each with this probability, independently.
    Probability(f64),
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing is done, and the result is the negated errno.
    Errno(i32),
    /// Only the first bytes are moved, at most as many as the operation has.
    Short(u32),
    /// Never completes.
    Stuck,
    /// A drive that lies: the operation succeeds, but makes nothing durable.
    IgnoresSync,
}

/// An injected fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    pub trigger: Trigger,
    /// The kind; `None` is any.
    pub kind: Option<BlockKind>,
    /// What happens to them.
    pub effect: Effect,
}

/// What the device is like.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceModel {
    /// Seed of everything random.
    pub seed: u64,
    /// Operations served at once; the others queue, first come, first served.
    pub channels: usize,
    pub read: ServiceTime,
    pub write: ServiceTime,
    /// For syncs; a write with dsync takes a write's time and a sync's.
    pub sync: ServiceTime,
    /// Bytes that are durable or lost together.
    pub block_bytes: u32,
    /// Whether a completed write can still be lost. Without, it is durable when it completes.
    pub volatile_cache: bool,
    /// Probability that a write without a sync, completed or not, nevertheless reached the medium.
    pub unsynced_survival: f64,
    /// The power fails at this time: every later completion is an error of the backend.
    pub power_cut_at: Option<Nanos>,
    /// What goes wrong; the first that hits an operation counts.
    pub faults: Vec<Fault>,
}

impl Default for DeviceModel {
    /// A `NVMe` drive with a volatile cache: 80 µs reads, 12 µs writes, 60 µs flushes, 8 channels, no faults.
    fn default() -> Self {
        Self {
            seed: 0,
            channels: 8,
            read: ServiceTime::LogNormal { median: Nanos(80_000), sigma: 0.2 },
            write: ServiceTime::LogNormal { median: Nanos(12_000), sigma: 0.2 },
            sync: ServiceTime::LogNormal { median: Nanos(60_000), sigma: 0.2 },
            block_bytes: 512,
            volatile_cache: true,
            unsynced_survival: 0.0,
            power_cut_at: None,
            faults: Vec::new(),
        }
    }
}
