//! Which backend submits operations: the parameter `ioengine`, as fio calls it.

use model::levels;

levels! {
    /// What submits reads, writes and syncs.
    pub enum IoEngine {
        /// `io_uring`: up to the requested number of operations in flight.
        Uring = "uring",
        /// `pread`, `pwrite`, `fdatasync`: one at a time.
        Psync = "psync",
    }
}
