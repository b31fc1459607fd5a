//! One transaction on a database server.

use crate::Operation;
use serde::{Deserialize, Serialize};
use std::fmt;

levels! {
    /// What a client of a database server does again and again. The first three are pgbench's built-in scripts.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Script {
        /// pgbench's `tpcb-like`: an account, a teller and a branch are updated, and a row is added to the history.
        TpcbLike = "tpcb_like",
        /// pgbench's `simple-update`: the same without the teller and the branch, for which clients would wait.
        SimpleUpdate = "simple_update",
        /// pgbench's `select-only`: an account is read by its number.
        SelectOnly = "select_only",
        /// One row is added to the history: a commit and little else.
        Insert = "insert",
        /// A run of pages of the accounts is read from the device, in the order in which they lie there.
        SequentialScan = "sequential_scan",
        /// Accounts that lie anywhere are found by an index and read from the device.
        IndexScan = "index_scan",
        /// The same for sixteen times as many accounts.
        LargeIndexScan = "large_index_scan",
        /// Some hundreds of pages of the accounts, anywhere, are read from the device by ANALYZE, as maintenance reads.
        Analyze = "analyze",
        /// A fixed set of queries, whose plans the server chooses.
        Queries = "queries",
    }
}

impl Script {
    /// Whether its transactions change the database.
    pub const fn writes(self) -> bool {
        match self {
            // What ANALYZE has found out is a change of the catalog, and committed.
            Self::TpcbLike | Self::SimpleUpdate | Self::Insert | Self::Analyze => true,
            Self::SelectOnly
            | Self::SequentialScan
            | Self::IndexScan
            | Self::LargeIndexScan
            | Self::Queries => false,
        }
    }

    /// Whether what it reads comes from the device each time.
    pub const fn is_cold(self) -> bool {
        match self {
            Self::SequentialScan | Self::IndexScan | Self::LargeIndexScan | Self::Analyze => true,
            Self::TpcbLike | Self::SimpleUpdate | Self::SelectOnly | Self::Insert | Self::Queries => false,
        }
    }
}

/// One transaction of a script, as a workload emits it. All of its statements are one operation, from the first one to the
/// acknowledgement of the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
    /// What is done.
    pub script: Script,
    /// Number of the transaction among those of its client, from 0.
    pub number: u64,
    /// An account: `aid`, from 1.
    pub account: u32,
    /// A teller: `tid`, from 1.
    pub teller: u32,
    /// A branch: `bid`, from 1.
    pub branch: u32,
    /// What is added to the balances.
    pub delta: i32,
    /// What a scan reads: pages of the accounts, or hashes of account numbers, from this one on …
    pub from: i32,
    /// … and before this one.
    pub to: i32,
}

impl Operation for Transaction {
    fn id(&self) -> u32 {
        self.id
    }

    fn expected_result(&self) -> i32 {
        0
    }
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transaction {} of the script {}", self.number, self.script.name())
    }
}
