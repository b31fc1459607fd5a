//! The levels of the requests workload's own parameters.

use super::log_cycles::LogSize;
use model::{RequestKind, levels};

levels! {
    /// The server that the clients are connected to.
    pub enum ServerKind {
        /// MariaDB, rows in InnoDB.
        MariaDb = "mariadb",
        /// MySQL, rows in InnoDB.
        MySql = "mysql",
        /// etcd, a row is a key.
        Etcd = "etcd",
    }
}

levels! {
    /// What becomes of the log that recovery reads.
    pub enum LogCycles {
        /// It has one size in every arm, and no trial fills it.
        None = "none",
        /// A trial writes as much as the whole log holds, after it was filled once.
        Whole = "whole",
    }
}

impl ServerKind {
    /// The setting of the size of its log; `None` if it has none.
    pub(super) const fn log_size(self) -> Option<LogSize> {
        match self {
            // MariaDB 10.8.3 and later take no smaller one.
            Self::MariaDb => {
                Some(LogSize { name: "innodb_log_file_size", usual: 96 << 20, minimum: 4 << 20 })
            }
            Self::MySql => {
                Some(LogSize { name: "innodb_redo_log_capacity", usual: 100 << 20, minimum: 8 << 20 })
            }
            Self::Etcd => None,
        }
    }

    /// Whether such requests are written for it.
    pub(super) const fn has(self, request: RequestKind) -> bool {
        match (self, request) {
            (
                Self::MariaDb | Self::MySql | Self::Etcd,
                RequestKind::Insert | RequestKind::Update | RequestKind::Read | RequestKind::Range,
            ) => true,
        }
    }

    /// Whether it keeps old revisions until it is asked to drop them.
    pub(super) const fn keeps_revisions(self) -> bool {
        match self {
            Self::MariaDb | Self::MySql => false,
            Self::Etcd => true,
        }
    }

    /// Whether it reads its files into a buffer pool of its own. Another one maps them into memory, and keeps them
    /// there.
    pub(super) const fn has_buffer_pool(self) -> bool {
        match self {
            Self::MariaDb | Self::MySql => true,
            Self::Etcd => false,
        }
    }

    /// Whether it can have a binary log beside its own.
    pub(super) const fn has_binary_log(self) -> bool {
        match self {
            Self::MariaDb | Self::MySql => true,
            Self::Etcd => false,
        }
    }

    /// Whether it listens on a socket of its own files: a port of loopback is free until the first of several servers
    /// takes it.
    pub(super) const fn has_socket(self) -> bool {
        match self {
            Self::MariaDb | Self::MySql => true,
            Self::Etcd => false,
        }
    }

    /// Bytes of its files before anything is loaded: its own tables, its logs.
    pub(super) const fn empty_bytes(self) -> u64 {
        match self {
            Self::MariaDb => 180 << 20,
            // etcd has two segments of its log, of 64 MB each, and one in the making.
            Self::MySql | Self::Etcd => 220 << 20,
        }
    }

    /// Bytes of memory that it takes for itself, about.
    pub(super) const fn memory_bytes(self) -> u64 {
        match self {
            Self::MariaDb => 200 << 20,
            Self::MySql => 600 << 20,
            Self::Etcd => 300 << 20,
        }
    }
}
