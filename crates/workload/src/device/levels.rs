//! The named levels of the device workload's parameters.

use model::{LevelError, Levels, RangeSync, Zones, levels};

levels! {
    /// The access pattern: the parameter `rw`.
    pub enum Pattern {
        /// Sequential reads.
        Read = "read",
        /// Sequential writes.
        Write = "write",
        /// Random reads.
        RandRead = "randread",
        /// Random writes.
        RandWrite = "randwrite",
        /// Sequential accesses, each a read or a write.
        ReadWrite = "rw",
        /// Random accesses, each a read or a write.
        RandReadWrite = "randrw",
    }
}

impl Pattern {
    /// Whether some operations are reads.
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Write | Self::RandWrite)
    }

    /// Whether some operations are writes.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::RandRead)
    }

    /// Whether the pattern has both reads and writes.
    pub const fn is_mix(self) -> bool {
        matches!(self, Self::ReadWrite | Self::RandReadWrite)
    }

    /// Whether the order of blocks is random.
    pub const fn is_random(self) -> bool {
        matches!(self, Self::RandRead | Self::RandWrite | Self::RandReadWrite)
    }
}

levels! {
    /// What the program declares to the kernel about the order of accesses: the parameter `advice`.
    pub enum Advice {
        /// Nothing (`POSIX_FADV_NORMAL`, `MADV_NORMAL`).
        Normal = "normal",
        /// No readahead (`POSIX_FADV_RANDOM`, `MADV_RANDOM`).
        Random = "random",
        /// More readahead (`POSIX_FADV_SEQUENTIAL`, `MADV_SEQUENTIAL`).
        Sequential = "sequential",
    }
}

/// How often a random pattern takes each block: the parameters `random_distribution`, `zipf_theta` and `zones`.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Any block at any time, all equally often.
    Uniform,
    /// Each block once, in a random order; then each once again, in another order.
    Once,
    /// The k-th hottest block with a probability proportional to k^−θ.
    Zipf {
        /// The exponent θ.
        theta: f64,
    },
    /// The blocks of each zone equally often.
    Zoned(Zones),
}

levels! {
    /// The levels of `random_distribution`.
    pub(super) enum DistributionName {
        /// [`Distribution::Uniform`].
        Uniform = "uniform",
        /// [`Distribution::Once`].
        Once = "once",
        /// [`Distribution::Zipf`].
        Zipf = "zipf",
        /// [`Distribution::Zoned`].
        Zoned = "zoned",
    }
}

impl Distribution {
    pub(super) fn read(levels: &Levels<'_>) -> Result<Self, LevelError> {
        let (theta, zones) = (levels.number("zipf_theta")?, levels.zones("zones")?);
        Ok(match levels.level("random_distribution")? {
            DistributionName::Uniform => Self::Uniform,
            DistributionName::Once => Self::Once,
            DistributionName::Zipf => Self::Zipf { theta },
            DistributionName::Zoned => Self::Zoned(zones),
        })
    }
}

/// Jobs that read while others write: the parameters `beside` and `beside_…`.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Their access pattern, which only reads.
    pub pattern: Pattern,
    /// Bytes of one read.
    pub bs: u32,
    /// Reads in flight of each job.
    pub iodepth: u32,
    /// Their number.
    pub numjobs: u32,
    /// Arrivals per second of each job in an open loop; `None` is a closed loop.
    pub rate_iops: Option<u64>,
}

levels! {
    /// The levels of `beside`.
    pub(super) enum BesideName {
        /// No jobs beside.
        None = "none",
        /// Sequential reads.
        Read = "read",
        /// Random reads.
        RandRead = "randread",
    }
}

impl Beside {
    /// `None` without such jobs; their other levels are read nevertheless, so that an unknown one is an error.
    pub(super) fn read(levels: &Levels<'_>) -> Result<Option<Self>, LevelError> {
        let jobs = |pattern| {
            Ok(Self {
                pattern,
                bs: levels.bytes("beside_bs")? as u32,
                iodepth: levels.count("beside_iodepth")? as u32,
                numjobs: levels.count("beside_numjobs")? as u32,
                rate_iops: levels.optional_count("beside_rate_iops")?,
            })
        };
        Ok(match levels.level("beside")? {
            BesideName::None => jobs(Pattern::Read).map(|_| None)?,
            BesideName::Read => Some(jobs(Pattern::Read)?),
            BesideName::RandRead => Some(jobs(Pattern::RandRead)?),
        })
    }
}

/// Calls of `sync_file_range` between writes: the parameters `sync_file_range` and `sync_file_range_writes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeSyncs {
    /// What a call does.
    pub what: RangeSync,
    /// Writes of a job from one call to the next.
    pub every: u64,
}

levels! {
    /// The levels of `sync_file_range`.
    pub(super) enum RangeSyncName {
        /// No calls.
        None = "none",
        /// [`RangeSync::Write`].
        Write = "write",
        /// [`RangeSync::WaitBeforeWrite`].
        WaitBeforeWrite = "wait_before_write",
        /// [`RangeSync::WaitBeforeWriteWaitAfter`].
        WaitBeforeWriteWaitAfter = "wait_before_write_wait_after",
    }
}

impl RangeSyncs {
    /// `None` without such calls.
    pub(super) fn read(levels: &Levels<'_>) -> Result<Option<Self>, LevelError> {
        let every = levels.count("sync_file_range_writes")?;
        let calls = |what| Some(Self { what, every });
        Ok(match levels.level("sync_file_range")? {
            RangeSyncName::None => None,
            RangeSyncName::Write => calls(RangeSync::Write),
            RangeSyncName::WaitBeforeWrite => calls(RangeSync::WaitBeforeWrite),
            RangeSyncName::WaitBeforeWriteWaitAfter => calls(RangeSync::WaitBeforeWriteWaitAfter),
        })
    }
}

/// The content of writes: the parameters `data` and `buffer_compress_percentage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Bytes that do not compress.
    Random,
    /// Zeroes.
    Zero,
    /// In each block some bytes that do not compress, the rest zeroes.
    Compressible {
        /// The share of zeroes in percent, 0–100.
        percentage: u32,
    },
}

levels! {
    /// The levels of `data`.
    pub(super) enum DataName {
        /// [`Data::Random`].
        Random = "random",
        /// [`Data::Zero`].
        Zero = "zero",
        /// [`Data::Compressible`].
        Compressible = "compressible",
    }
}

impl Data {
    pub(super) fn read(levels: &Levels<'_>) -> Result<Self, LevelError> {
        let percentage = levels.count("buffer_compress_percentage")? as u32;
        Ok(match levels.level("data")? {
            DataName::Random => Self::Random,
            DataName::Zero => Self::Zero,
            DataName::Compressible => Self::Compressible { percentage },
        })
    }
}
