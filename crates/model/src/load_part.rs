//! What a load does with the files of its database.

use serde::Serialize;

/// A part of what a database's load does with its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadPart {
    /// Syncs of the log, or writes of it that are durable when they return: commits wait for them.
    LogSyncs,
    LogWrites,
    /// Reads of data that the database's memory did not hold.
    DataReads,
    DataWrites,
    /// Reads and writes of files that are gone after the query or at a restart.
    TemporaryFiles,
}

impl LoadPart {
    pub const ALL: [Self; 5] =
        [Self::LogSyncs, Self::LogWrites, Self::DataReads, Self::DataWrites, Self::TemporaryFiles];

    /// Operations per second below which a load does not have a part: a server without work writes now and then.
    pub const PER_S_MIN: f64 = 1.0;

    pub const fn name(self) -> &'static str {
        match self {
            Self::LogSyncs => "syncs of the log",
            Self::LogWrites => "writes of the log",
            Self::DataReads => "reads of data",
            Self::DataWrites => "writes of data",
            Self::TemporaryFiles => "temporary files",
        }
    }
}
