//! One transaction on a database server.

use crate::Operation;
use crate::table_scan::{Access, ROWS_OF_PAGE, TableScan};
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
        /// 16 MiB of the accounts are read in order. A server's reads ahead begin again with every transaction, and
        /// have to pay where they are long.
        SequentialScan = "sequential_scan",
        /// 1 MiB of the accounts is read in order.
        SmallSequentialScan = "small_sequential_scan",
        /// Accounts that lie anywhere are found by an index and read by a bitmap.
        IndexScan = "index_scan",
        /// The same for sixteen times as many accounts.
        LargeIndexScan = "large_index_scan",
        /// Accounts that lie anywhere are read one after another, in the order of an index.
        UncorrelatedIndexScan = "uncorrelated_index_scan",
        /// 1 MiB of accounts is read one after another by an index that has their order.
        CorrelatedIndexScan = "correlated_index_scan",
        /// Some hundreds of pages of the accounts, anywhere, are read from the device by ANALYZE, as maintenance reads.
        Analyze = "analyze",
        /// A fixed set of queries, whose plans the server chooses.
        Queries = "queries",
    }
}

/// What a script does, with the figures that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// pgbench's `tpcb-like`.
    TpcbLike,
    /// pgbench's `simple-update`.
    SimpleUpdate,
    /// pgbench's `select-only`.
    SelectOnly,
    /// A row is added to the history.
    Insert,
    /// Accounts are read from the device.
    Scan(TableScan),
    Analyze,
    /// A fixed set of queries.
    Queries,
}

impl Script {
    /// The scans that read from the device, in the order in which a proof measures them.
    pub const SCANS: [Self; 6] = [
        Self::SequentialScan,
        Self::IndexScan,
        Self::LargeIndexScan,
        Self::SmallSequentialScan,
        Self::UncorrelatedIndexScan,
        Self::CorrelatedIndexScan,
    ];

    pub const fn action(self) -> Action {
        const fn scan(access: Access, rows: u32) -> Action {
            Action::Scan(TableScan { access, rows })
        }
        match self {
            Self::TpcbLike => Action::TpcbLike,
            Self::SimpleUpdate => Action::SimpleUpdate,
            Self::SelectOnly => Action::SelectOnly,
            Self::Insert => Action::Insert,
            Self::SequentialScan => scan(Access::Sequential, 2048 * ROWS_OF_PAGE),
            Self::SmallSequentialScan => scan(Access::Sequential, 128 * ROWS_OF_PAGE),
            Self::IndexScan => scan(Access::Bitmap, 64),
            Self::LargeIndexScan => scan(Access::Bitmap, 1024),
            Self::UncorrelatedIndexScan => scan(Access::UncorrelatedIndex, 64),
            Self::CorrelatedIndexScan => scan(Access::CorrelatedIndex, 128 * ROWS_OF_PAGE),
            Self::Analyze => Action::Analyze,
            Self::Queries => Action::Queries,
        }
    }

    /// What it scans, if it does.
    pub const fn scan(self) -> Option<TableScan> {
        match self.action() {
            Action::Scan(scan) => Some(scan),
            Action::TpcbLike
            | Action::SimpleUpdate
            | Action::SelectOnly
            | Action::Insert
            | Action::Analyze
            | Action::Queries => None,
        }
    }

    /// Whether its transactions change the database.
    pub const fn writes(self) -> bool {
        match self.action() {
            // What ANALYZE has found out is a change of the catalog, and committed.
            Action::TpcbLike | Action::SimpleUpdate | Action::Insert | Action::Analyze => true,
            Action::SelectOnly | Action::Scan(_) | Action::Queries => false,
        }
    }

    /// Whether what it reads comes from the device each time.
    pub const fn is_cold(self) -> bool {
        match self.action() {
            Action::Scan(_) | Action::Analyze => true,
            Action::TpcbLike
            | Action::SimpleUpdate
            | Action::SelectOnly
            | Action::Insert
            | Action::Queries => false,
        }
    }
}

/// One transaction of a script, as a workload emits it. All of its statements are one operation, from the first one to
/// the acknowledgement of the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
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
    /// What a scan reads: pages of the accounts, account numbers, or hashes of them, from this one on …
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scan_is_listed_once_and_no_two_are_the_same() {
        let scans = || Script::NAMES.iter().filter_map(|name| Script::from_name(name)?.scan());
        assert_eq!(scans().count(), Script::SCANS.len());
        for script in Script::SCANS {
            assert_eq!(scans().filter(|scan| Some(*scan) == script.scan()).count(), 1, "{script}");
            assert!(script.is_cold() && !script.writes(), "{script}");
        }
    }
}
