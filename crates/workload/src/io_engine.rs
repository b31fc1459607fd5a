//! Which backend submits operations: the parameter `ioengine`, as fio calls it.

/// What submits reads, writes and syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoEngine {
    /// `io_uring`: as many operations in flight as asked.
    Uring,
    /// `pread`, `pwrite`, `fdatasync`: one at a time.
    Psync,
}

impl IoEngine {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["uring", "psync"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "uring" => Some(Self::Uring),
            "psync" => Some(Self::Psync),
            _ => None,
        }
    }
}
