//! The named levels of the device workload's parameters.

use crate::IoEngine;
use model::levels;

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
        /// Sequential trims.
        Trim = "trim",
        /// Random trims.
        RandTrim = "randtrim",
        /// Sequential trims, each followed by a write of the same block.
        TrimWrite = "trimwrite",
        /// Random trims, each followed by a write of the same block.
        RandTrimWrite = "randtrimwrite",
    }
}

impl Pattern {
    /// Whether some operations are reads.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::RandRead | Self::ReadWrite | Self::RandReadWrite)
    }

    /// Whether some operations are writes.
    pub const fn writes(self) -> bool {
        match self {
            Self::Write
            | Self::RandWrite
            | Self::ReadWrite
            | Self::RandReadWrite
            | Self::TrimWrite
            | Self::RandTrimWrite => true,
            Self::Read | Self::RandRead | Self::Trim | Self::RandTrim => false,
        }
    }

    /// Whether some operations are trims: holes that are punched in the file.
    pub const fn trims(self) -> bool {
        matches!(self, Self::Trim | Self::RandTrim | Self::TrimWrite | Self::RandTrimWrite)
    }

    /// Whether the content of the file changes.
    pub const fn changes(self) -> bool {
        self.writes() || self.trims()
    }

    /// Whether the pattern has both reads and writes.
    pub const fn is_mix(self) -> bool {
        matches!(self, Self::ReadWrite | Self::RandReadWrite)
    }

    /// Whether the order of blocks is random.
    pub const fn is_random(self) -> bool {
        match self {
            Self::RandRead | Self::RandWrite | Self::RandReadWrite | Self::RandTrim | Self::RandTrimWrite => {
                true
            }
            Self::Read | Self::Write | Self::ReadWrite | Self::Trim | Self::TrimWrite => false,
        }
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

levels! {
    /// The direction of a sequential pattern: the parameter `order`.
    pub enum Order {
        /// From the beginning of the file to its end.
        Forward = "forward",
        /// From the end to the beginning.
        Backward = "backward",
    }
}

levels! {
    /// How often a random pattern takes each block: the parameter `random_distribution`.
    pub enum Distribution {
        /// Any block at any time, all equally often.
        Uniform = "uniform",
        /// Each block once, in a random order; then each once again, in another order.
        Once = "once",
        /// The k-th hottest block with a probability proportional to k^−θ, θ being `zipf_theta`.
        Zipf = "zipf",
        /// The blocks of each of the `zones` equally often.
        Zoned = "zoned",
        /// The next block of a zone of `zone_size` bytes: the zone is random, and each is accessed in order.
        InZones = "in_zones",
    }
}

levels! {
    /// Reads of other jobs while these write: the parameter `beside`.
    pub enum Beside {
        /// No jobs beside.
        None = "none",
        /// Sequential reads.
        Read = "read",
        /// Random reads.
        RandRead = "randread",
    }
}

impl Beside {
    /// The access pattern of such jobs.
    pub(super) const fn pattern(self) -> Option<Pattern> {
        match self {
            Self::None => None,
            Self::Read => Some(Pattern::Read),
            Self::RandRead => Some(Pattern::RandRead),
        }
    }
}

levels! {
    /// What submits the reads of jobs beside: the parameter `beside_ioengine`.
    pub enum BesideEngine {
        /// What submits the operations of the other jobs.
        Same = "same",
        /// `io_uring`.
        Uring = "uring",
        /// `pread`.
        Psync = "psync",
    }
}

impl BesideEngine {
    /// The engine, beside jobs with this one.
    pub(super) const fn beside(self, own: IoEngine) -> IoEngine {
        match self {
            Self::Same => own,
            Self::Uring => IoEngine::Uring,
            Self::Psync => IoEngine::Psync,
        }
    }
}

levels! {
    /// What jobs beside declare about the order of their reads: the parameter `beside_advice`.
    pub enum BesideAdvice {
        /// What the other jobs declare.
        Same = "same",
        /// Nothing.
        Normal = "normal",
        /// No readahead.
        Random = "random",
        /// More readahead.
        Sequential = "sequential",
    }
}

impl BesideAdvice {
    /// The advice, beside jobs with this one.
    pub(super) const fn beside(self, own: Advice) -> Advice {
        match self {
            Self::Same => own,
            Self::Normal => Advice::Normal,
            Self::Random => Advice::Random,
            Self::Sequential => Advice::Sequential,
        }
    }
}

levels! {
    /// The content of writes: the parameter `data`.
    pub enum Data {
        /// Bytes that do not compress.
        Random = "random",
        Zero = "zero",
        /// In each block some bytes that do not compress, the rest, `buffer_compress_percentage` of it, zeroes.
        Compressible = "compressible",
    }
}
