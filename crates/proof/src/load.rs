//! Loads: what the clients of a server do while it is measured.

use serde::{Deserialize, Serialize};
use std::fmt;

model::levels! {
    /// What each client repeats.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Script {
        /// pgbench's default transaction.
        TpcbLike = "tpcb_like",
        /// The same without the two small tables, whose rows are locked by every client.
        SimpleUpdate = "simple_update",
        /// One row by its key.
        SelectOnly = "select_only",
        /// One row inserted and committed.
        Insert = "insert",
        /// A whole table that is not cached.
        SequentialScan = "sequential_scan",
        /// Rows in the order of an index that says nothing about their place, not cached.
        IndexScan = "index_scan",
        /// Queries whose plans depend on the planner's costs.
        Queries = "queries",
    }
}

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
}

/// `insert-8`: the name of the study that measures under it.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.script, self.clients)
    }
}
