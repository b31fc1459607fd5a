//! The named levels of the scan workload's parameters.

use model::{Hint, IoMode};

/// Files of this size and above are read in order, smaller ones at random, as page 004's tool took it.
const AUTO_SEQUENTIAL_BYTES: u64 = 64 << 20;

/// How the page cache takes part, and what it is told: the parameter `page_cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCache {
    /// A hint by the file's size, as page 004's tool gave it: sequential from 64 MiB on, random below.
    Auto,
    /// No hint.
    Normal,
    /// The hint that files are read in order.
    Sequential,
    /// The hint that they are not.
    Random,
    /// The hint that what is cached is not needed any more.
    DontNeed,
    /// `RWF_DONTCACHE`: dropped by the kernel as soon as it was read.
    DontCache,
    /// `O_DIRECT`: around the page cache.
    Direct,
    /// The files are mapped and copied from.
    Mmap,
}

impl PageCache {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] =
        &["auto", "normal", "sequential", "random", "dontneed", "dontcache", "direct", "mmap"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "normal" => Some(Self::Normal),
            "sequential" => Some(Self::Sequential),
            "random" => Some(Self::Random),
            "dontneed" => Some(Self::DontNeed),
            "dontcache" => Some(Self::DontCache),
            "direct" => Some(Self::Direct),
            "mmap" => Some(Self::Mmap),
            _ => None,
        }
    }

    /// The level's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Normal => "normal",
            Self::Sequential => "sequential",
            Self::Random => "random",
            Self::DontNeed => "dontneed",
            Self::DontCache => "dontcache",
            Self::Direct => "direct",
            Self::Mmap => "mmap",
        }
    }

    /// How files are read.
    pub const fn mode(self) -> IoMode {
        match self {
            Self::Auto | Self::Normal | Self::Sequential | Self::Random | Self::DontNeed => IoMode::Buffered,
            Self::DontCache => IoMode::DontCache,
            Self::Direct => IoMode::Direct,
            Self::Mmap => IoMode::Mmap,
        }
    }

    /// What the kernel is told of a file of this size.
    pub const fn hint(self, file_bytes: u64) -> Option<Hint> {
        match self {
            Self::Auto if file_bytes >= AUTO_SEQUENTIAL_BYTES => Some(Hint::Sequential),
            Self::Auto | Self::Random => Some(Hint::Random),
            Self::Sequential => Some(Hint::Sequential),
            Self::DontNeed => Some(Hint::DontNeed),
            Self::Normal | Self::DontCache | Self::Direct | Self::Mmap => None,
        }
    }
}

/// When a hint is given and over which range: the parameter `hint_scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintScope {
    /// About the whole file, before every block: what page 004's tool did.
    EveryBlock,
    /// About the whole file, when it has been opened.
    Open,
    /// About the block that was just read, after it.
    Behind,
}

impl HintScope {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["every_block", "open", "behind"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "every_block" => Some(Self::EveryBlock),
            "open" => Some(Self::Open),
            "behind" => Some(Self::Behind),
            _ => None,
        }
    }
}

/// How often a file is opened: the parameter `open`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Once, for all its blocks.
    PerFile,
    /// For each block anew, so that the kernel forgets what it has learnt of the reader: page 004's tool.
    PerBlock,
}

impl Opening {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["per_file", "per_block"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "per_file" => Some(Self::PerFile),
            "per_block" => Some(Self::PerBlock),
            _ => None,
        }
    }
}

/// Where the memory comes from that is read into: the parameter `buffers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSource {
    /// Kept for the whole trial.
    Pooled,
    /// The program's allocator, for each read.
    Malloc,
    /// The kernel, for each read.
    Fresh,
}

impl BufferSource {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["pooled", "malloc", "fresh"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "pooled" => Some(Self::Pooled),
            "malloc" => Some(Self::Malloc),
            "fresh" => Some(Self::Fresh),
            _ => None,
        }
    }
}

/// In which order a pass takes the files: the parameter `order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By name.
    Sequential,
    /// At random, another order in each pass.
    Shuffled,
}

impl Order {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["sequential", "shuffled"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "sequential" => Some(Self::Sequential),
            "shuffled" => Some(Self::Shuffled),
            _ => None,
        }
    }
}

/// When the files' pages are dropped: the parameter `cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassCache {
    /// Before every pass.
    ColdEachPass,
    /// Before the first: the others find what it left.
    Cold,
    /// Never; all of it is read into the page cache before the first.
    Warm,
}

impl PassCache {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["cold_each_pass", "cold", "warm"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "cold_each_pass" => Some(Self::ColdEachPass),
            "cold" => Some(Self::Cold),
            "warm" => Some(Self::Warm),
            _ => None,
        }
    }
}
