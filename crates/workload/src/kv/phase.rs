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
    /// Some threads read loaded keys, and others give loaded keys new values meanwhile.
    ReadWhileWriting,
}

impl Phase {
    /// Every phase, in the order in which a trial runs them.
    pub const ALL: &'static [Self] =
        &[Self::Load, Self::ReadHit, Self::ReadMiss, Self::Mixed, Self::Scan, Self::ReadWhileWriting];

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::ReadHit => "read_hit",
            Self::ReadMiss => "read_miss",
            Self::Mixed => "mixed",
            Self::Scan => "scan",
            Self::ReadWhileWriting => "read_while_writing",
        }
    }

    /// The latency families that it records, in the form that the driver expects. Those who read come before those who
    /// write.
    pub const fn families(self) -> &'static [&'static str] {
        match self {
            Self::Load => &["load_latency"],
            Self::ReadHit => &["hit_latency"],
            Self::ReadMiss => &["miss_latency"],
            Self::Mixed => &["mixed_latency"],
            Self::Scan => &["scan_latency"],
            Self::ReadWhileWriting => &["read_while_writing_latency", "write_while_reading_latency"],
        }
    }

    /// The metrics of its throughput, one for each of its latency families: of the operations whose latencies these
    /// are.
    pub const fn rates(self) -> &'static [&'static str] {
        match self {
            Self::Load => &["load_operations_per_s"],
            Self::ReadHit => &["hit_operations_per_s"],
            Self::ReadMiss => &["miss_operations_per_s"],
            Self::Mixed => &["mixed_operations_per_s"],
            Self::Scan => &["scan_operations_per_s"],
            Self::ReadWhileWriting => {
                &["read_while_writing_operations_per_s", "write_while_reading_operations_per_s"]
            }
        }
    }

    /// Whether `iodepth` applies to it.
    pub const fn reads_single_keys(self) -> bool {
        matches!(self, Self::ReadHit | Self::ReadMiss)
    }

    /// Whether `phase_runtime` and `rate_ops` apply to it.
    pub const fn is_limited(self) -> bool {
        !matches!(self, Self::Load)
    }

    /// Whether `reads` applies to it: threads that read and threads that write end together, which only the clock makes
    /// them do.
    pub const fn ends_by_reads(self) -> bool {
        matches!(self, Self::ReadHit | Self::ReadMiss | Self::Mixed | Self::Scan)
    }

    /// Whether it changes what was loaded.
    pub const fn changes_entries(self) -> bool {
        matches!(self, Self::Mixed | Self::ReadWhileWriting)
    }
}
