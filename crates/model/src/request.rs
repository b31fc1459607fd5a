//! One request to a database server: a statement on a row, or what a key-value server has in its place.

use crate::Operation;
use std::fmt;

levels! {
    /// What a client asks of a server again and again.
    pub enum RequestKind {
        /// A row is added, in a transaction of its own: a commit and little else.
        Insert = "insert",
        /// A row anywhere among those that were loaded is changed.
        Update = "update",
        /// A row anywhere among those that were loaded is read.
        Read = "read",
        /// Rows that are neighbours are read, and every tenth request changes one of them; a server that keeps old
        /// revisions is asked now and then to drop them.
        Range = "range",
    }
}

impl RequestKind {
    /// Whether its requests change the database.
    pub const fn writes(self) -> bool {
        match self {
            Self::Insert | Self::Update | Self::Range => true,
            Self::Read => false,
        }
    }

    /// Whether it needs rows that were loaded.
    pub const fn is_on_loaded_rows(self) -> bool {
        match self {
            Self::Insert => false,
            Self::Update | Self::Read | Self::Range => true,
        }
    }
}

/// What one request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestAction {
    /// Adds this row of this client's.
    Insert { client: u32, row: u64 },
    /// Gives a loaded row this number.
    Update { row: u64, number: u64 },
    /// Reads a loaded row.
    Read { row: u64 },
    /// Reads this number of loaded rows from this one on.
    Range { row: u64, rows: u32 },
    /// Drops the old revisions of all rows, and waits until the server has.
    Compact,
}

/// A request, from its first byte to the end of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
    pub action: RequestAction,
}

impl Operation for Request {
    fn id(&self) -> u32 {
        self.id
    }

    fn expected_result(&self) -> i32 {
        0
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action {
            RequestAction::Insert { client, row } => write!(f, "the insert of row {row} of client {client}"),
            RequestAction::Update { row, .. } => write!(f, "the update of row {row}"),
            RequestAction::Read { row } => write!(f, "the read of row {row}"),
            RequestAction::Range { row, rows } => write!(f, "the read of {rows} rows from row {row} on"),
            RequestAction::Compact => f.write_str("the compaction"),
        }
    }
}
