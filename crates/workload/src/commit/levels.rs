//! The named levels of the commit workload's parameters.

use model::levels;

levels! {
    /// How reads and commits are paced.
    pub enum Pacing {
        /// Reads pause once `reads_per_commit` have been issued for a commit; the ratio holds.
        Exact = "exact",
        /// Reads never pause; `reads_per_commit` completed reads allow a commit: the ratio is a lower bound.
        Trigger = "trigger",
    }
}

levels! {
    /// How a group becomes durable.
    pub enum Sync {
        /// `fdatasync` after the writes.
        Fdatasync = "fdatasync",
        /// `fsync` after the writes.
        Fsync = "fsync",
        /// `RWF_DSYNC` on every write.
        Dsync = "dsync",
        /// No sync.
        None = "none",
    }
}

levels! {
    /// How a group is written.
    pub enum GroupWrite {
        /// One write for each record.
        Each = "each",
        /// One write for all of them.
        Coalesced = "coalesced",
    }
}
