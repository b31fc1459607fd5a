//! The named levels of the scan workload's parameters.

use model::{Hint, IoMode, levels};

/// `auto` reads files of this size and above sequentially and smaller ones at random, as page 004's tool did.
const AUTO_SEQUENTIAL_BYTES: u64 = 64 << 20;

levels! {
    /// How the page cache takes part, and the hint that the program gives: the parameter `page_cache`.
    pub enum PageCache {
        /// A hint that depends on the file's size, as in page 004's tool: sequential from 64 MiB, random below.
        Auto = "auto",
        /// No hint.
        Normal = "normal",
        /// The hint that files are read sequentially.
        Sequential = "sequential",
        /// The hint that files are read at random.
        Random = "random",
        /// The hint that cached pages are no longer needed.
        DontNeed = "dontneed",
        /// `RWF_DONTCACHE`: the kernel drops pages as soon as they are read.
        DontCache = "dontcache",
        /// `O_DIRECT`, which bypasses the page cache.
        Direct = "direct",
        /// The files are mapped, and blocks are copied from the mapping.
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

    /// The hint for a file of this size.
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
    /// When a hint is given, and for which range: the parameter `hint_scope`.
    pub enum HintScope {
        /// About the whole file, before every block: what page 004's tool did.
        EveryBlock = "every_block",
        /// About the whole file, after it is opened.
        Open = "open",
        /// About each block, after it is read.
        Behind = "behind",
    }
}

levels! {
    /// How often a file is opened: the parameter `open`.
    pub enum Opening {
        /// Once, for all its blocks.
        PerFile = "per_file",
        /// Again for each block, so that the kernel forgets what it has learnt about the reader, as in page 004's tool.
        PerBlock = "per_block",
    }
}

levels! {
    /// Where the memory for reads comes from: the parameter `buffers`.
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
        /// Before the first; later passes find what it left.
        Cold = "cold",
        /// Never; the whole dataset is read into the page cache before the first pass.
        Warm = "warm",
    }
}
