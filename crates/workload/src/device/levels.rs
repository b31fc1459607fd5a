//! The named levels of the device workload's parameters.

/// Which operations come: the parameter `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One block after another, read.
    Read,
    /// One block after another, written.
    Write,
    /// Blocks at random, read.
    RandRead,
    /// Blocks at random, written.
    RandWrite,
    /// One block after another, each either read or written.
    ReadWrite,
    /// Blocks at random, each either read or written.
    RandReadWrite,
}

impl Pattern {
    /// The parameter's levels: fio's names.
    pub const NAMES: &'static [&'static str] = &["read", "write", "randread", "randwrite", "rw", "randrw"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "read" => Some(Self::Read),
            "write" => Some(Self::Write),
            "randread" => Some(Self::RandRead),
            "randwrite" => Some(Self::RandWrite),
            "rw" => Some(Self::ReadWrite),
            "randrw" => Some(Self::RandReadWrite),
            _ => None,
        }
    }

    /// The level's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::RandRead => "randread",
            Self::RandWrite => "randwrite",
            Self::ReadWrite => "rw",
            Self::RandReadWrite => "randrw",
        }
    }

    /// Whether some operations are reads.
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Write | Self::RandWrite)
    }

    /// Whether some operations are writes.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::RandRead)
    }

    /// Whether there are both.
    pub const fn is_mix(self) -> bool {
        matches!(self, Self::ReadWrite | Self::RandReadWrite)
    }

    /// Whether blocks come in an order of chance.
    pub const fn is_random(self) -> bool {
        matches!(self, Self::RandRead | Self::RandWrite | Self::RandReadWrite)
    }
}

/// What the kernel is told about the order of accesses: the parameter `advice`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Nothing (`POSIX_FADV_NORMAL`, `MADV_NORMAL`).
    Normal,
    /// No readahead (`POSIX_FADV_RANDOM`, `MADV_RANDOM`).
    Random,
    /// More readahead (`POSIX_FADV_SEQUENTIAL`, `MADV_SEQUENTIAL`).
    Sequential,
}

impl Advice {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["normal", "random", "sequential"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "normal" => Some(Self::Normal),
            "random" => Some(Self::Random),
            "sequential" => Some(Self::Sequential),
            _ => None,
        }
    }
}

/// How often a random pattern takes each block: the parameters `random_distribution` and `zipf_theta`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// All blocks equally often.
    Uniform,
    /// The k-th most wanted block with a probability in proportion to k^−θ.
    Zipf {
        /// The exponent θ.
        theta: f64,
    },
}

impl Distribution {
    /// The levels of `random_distribution`.
    pub const NAMES: &'static [&'static str] = &["uniform", "zipf"];
}

/// What is written: the parameters `data` and `buffer_compress_percentage`.
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

impl Data {
    /// The levels of `data`.
    pub const NAMES: &'static [&'static str] = &["random", "zero", "compressible"];
}
