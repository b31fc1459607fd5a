//! Loads: what the clients of a server do while it is measured.

use model::Script;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A script and how many clients run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Load {
    /// What each client does.
    pub script: Script,
    /// How many there are.
    pub clients: u32,
}

impl Load {
    /// A load.
    pub const fn of(script: Script, clients: u32) -> Self {
        Self { script, clients }
    }

    /// pgbench's scale for it: a commit-bound insert needs no data, and the others read tables that are larger than PostgreSQL's
    /// default `shared_buffers`.
    pub(crate) const fn scale(self) -> u32 {
        match self.script {
            Script::Insert => 1,
            Script::TpcbLike
            | Script::SimpleUpdate
            | Script::SelectOnly
            | Script::SequentialScan
            | Script::IndexScan
            | Script::Queries => 10,
        }
    }
}

/// `insert-8`: the name of the study that measures under it.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.script, self.clients)
    }
}
