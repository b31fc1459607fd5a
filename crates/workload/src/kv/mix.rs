//! The operations of the mix, and how often each comes.

use super::phase::Phase;
use model::levels;

levels! {
    /// The phases after the load: the parameter `phases`.
    pub enum Phases {
        /// Reads of loaded keys, reads of absent keys, a mix, and scans.
        All = "all",
        /// The mix alone.
        Mixed = "mixed",
        /// Reads of loaded keys, scans, and reads beside writers: what db_bench, RocksDB's own benchmark, calls
        /// readrandom, seekrandom and readwhilewriting.
        DbBench = "db_bench",
    }
}

impl Phases {
    /// The phases after the load, in the order in which a trial runs them.
    pub const fn after_load(self) -> &'static [Phase] {
        match self {
            Self::All => &[Phase::ReadHit, Phase::ReadMiss, Phase::Mixed, Phase::Scan],
            Self::Mixed => &[Phase::Mixed],
            // What was loaded has drained for the reads, and is changed last.
            Self::DbBench => &[Phase::ReadHit, Phase::Scan, Phase::ReadWhileWriting],
        }
    }
}

levels! {
    /// What an operation of the mix does: the names in the parameter `mix`. The workloads A to F of YCSB (Cooper and
    /// others, "Benchmarking cloud serving systems with YCSB", SoCC 2010) are made of them.
    pub enum Step {
        /// Reads a key that is there.
        Get = "get",
        /// Gives a loaded key a new value.
        Put = "put",
        /// Puts a new key.
        Insert = "insert",
        /// Reads a loaded key, then gives it a new value: two operations.
        ReadModifyWrite = "read_modify_write",
        /// Takes the oldest inserted key away.
        Delete = "delete",
        /// Reads a short range, which starts at a loaded key.
        Scan = "scan",
    }
}
