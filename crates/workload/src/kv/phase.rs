//! The phases that consist of operations.

/// A part of a trial in which one kind of operation is driven. Between the load and the other phases the engine drains,
/// which is not an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Every key is put once, in random order.
    Load,
    /// Keys that were loaded are read.
    ReadHit,
    /// Keys that were never loaded are read.
    ReadMiss,
    /// Half of the operations read a loaded key, half give one a new value.
    Mixed,
    /// Short ranges are read, starting at a loaded key.
    Scan,
}

impl Phase {
    /// Every phase, in the order in which a trial runs them.
    pub const ALL: &'static [Self] = &[Self::Load, Self::ReadHit, Self::ReadMiss, Self::Mixed, Self::Scan];

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::ReadHit => "read_hit",
            Self::ReadMiss => "read_miss",
            Self::Mixed => "mixed",
            Self::Scan => "scan",
        }
    }

    /// The latency families that it records, in the form that the driver expects.
    pub const fn families(self) -> &'static [&'static str] {
        match self {
            Self::Load => &["load_latency"],
            Self::ReadHit => &["hit_latency"],
            Self::ReadMiss => &["miss_latency"],
            Self::Mixed => &["mixed_latency"],
            Self::Scan => &["scan_latency"],
        }
    }

    /// The metric of its throughput.
    pub const fn rate(self) -> &'static str {
        match self {
            Self::Load => "load_operations_per_s",
            Self::ReadHit => "hit_operations_per_s",
            Self::ReadMiss => "miss_operations_per_s",
            Self::Mixed => "mixed_operations_per_s",
            Self::Scan => "scan_operations_per_s",
        }
    }

    /// Whether `iodepth` applies to it.
    pub const fn reads_single_keys(self) -> bool {
        matches!(self, Self::ReadHit | Self::ReadMiss)
    }

    /// Whether `reads`, `phase_runtime` and `rate_ops` apply to it.
    pub const fn is_limited(self) -> bool {
        !matches!(self, Self::Load)
    }
}
