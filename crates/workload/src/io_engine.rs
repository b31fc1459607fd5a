//! Which backend submits operations: the parameter `ioengine`, as fio calls it.

use model::{WithoutEffect, levels};

levels! {
    /// What submits reads, writes and syncs.
    pub enum IoEngine {
        /// `io_uring`: up to the requested number of operations in flight.
        Uring = "uring",
        /// `pread`, `pwrite`, `fdatasync`: one at a time.
        Psync = "psync",
    }
}

/// Only a ring has files and buffers registered.
pub(crate) const REGISTERED_WITHOUT_EFFECT: WithoutEffect = WithoutEffect {
    parameters: &["registered"],
    holds: |values| !values.is("ioengine", IoEngine::Uring.name()),
    because: "ioengine is not uring",
};
