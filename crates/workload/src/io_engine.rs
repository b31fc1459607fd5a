//! Which backend submits operations: the parameter `ioengine`, as fio calls it.

use model::levels;

levels! {
    /// What submits reads, writes and syncs.
    pub enum IoEngine {
        /// `io_uring`: as many operations in flight as asked.
        Uring = "uring",
        /// `pread`, `pwrite`, `fdatasync`: one at a time.
        Psync = "psync",
    }
}
