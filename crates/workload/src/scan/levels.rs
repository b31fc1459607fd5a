//! The named levels of the scan workload's parameters.

use model::{Hint, IoMode, levels};

/// Files of this size and above are read in order, smaller ones at random, as page 004's tool took it.
const AUTO_SEQUENTIAL_BYTES: u64 = 64 << 20;

levels! {
    /// How the page cache takes part, and what it is told: the parameter `page_cache`.
    pub enum PageCache {
        /// A hint by the file's size, as page 004's tool gave it: sequential from 64 MiB on, random below.
        Auto = "auto",
        /// No hint.
        Normal = "normal",
        /// The hint that files are read in order.
        Sequential = "sequential",
        /// The hint that they are not.
        Random = "random",
        /// The hint that what is cached is not needed any more.
        DontNeed = "dontneed",
        /// `RWF_DONTCACHE`: dropped by the kernel as soon as it was read.
        DontCache = "dontcache",
        /// `O_DIRECT`: around the page cache.
        Direct = "direct",
        /// The files are mapped and copied from.
        Mmap = "mmap",
    }
}

impl PageCache {
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

levels! {
    /// When a hint is given and over which range: the parameter `hint_scope`.
    pub enum HintScope {
        /// About the whole file, before every block: what page 004's tool did.
        EveryBlock = "every_block",
        /// About the whole file, when it has been opened.
        Open = "open",
        /// About the block that was just read, after it.
        Behind = "behind",
    }
}

levels! {
    /// How often a file is opened: the parameter `open`.
    pub enum Opening {
        /// Once, for all its blocks.
        PerFile = "per_file",
        /// For each block anew, so that the kernel forgets what it has learnt of the reader: page 004's tool.
        PerBlock = "per_block",
    }
}

levels! {
    /// Where the memory comes from that is read into: the parameter `buffers`.
    pub enum BufferSource {
        /// Kept for the whole trial.
        Pooled = "pooled",
        /// The program's allocator, for each read.
        Malloc = "malloc",
        /// The kernel, for each read.
        Fresh = "fresh",
    }
}

levels! {
    /// In which order a pass takes the files: the parameter `order`.
    pub enum Order {
        /// By name.
        Sequential = "sequential",
        /// At random, another order in each pass.
        Shuffled = "shuffled",
    }
}

levels! {
    /// When the files' pages are dropped: the parameter `cache`.
    pub enum PassCache {
        /// Before every pass.
        ColdEachPass = "cold_each_pass",
        /// Before the first: the others find what it left.
        Cold = "cold",
        /// Never; all of it is read into the page cache before the first.
        Warm = "warm",
    }
}
