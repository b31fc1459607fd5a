//! Parameters that are one of a few names.

/// Whose buffer pool is measured: the parameter `subject`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Our own pool.
    Ours,
    /// A PostgreSQL server, by SQL.
    Postgres,
}

impl Subject {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["ours", "postgres"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "ours" => Some(Self::Ours),
            "postgres" => Some(Self::Postgres),
            _ => None,
        }
    }
}

/// The order in which pages are read and written back: the parameter `access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// As they lie in the file.
    Sequential,
    /// Each once, in an order of chance that is another one in every pass.
    Random,
}

impl Access {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["sequential", "random"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "sequential" => Some(Self::Sequential),
            "random" => Some(Self::Random),
            _ => None,
        }
    }
}

/// What PostgreSQL promises of the table: the parameter `table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A temporary table in the session's own buffers.
    Temporary,
    /// A table in shared buffers, without write-ahead log.
    Unlogged,
    /// A table in shared buffers, with write-ahead log and full-page images.
    Permanent,
}

impl Table {
    /// The parameter's levels.
    pub const NAMES: &'static [&'static str] = &["temporary", "unlogged", "permanent"];

    /// Reads a level.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "temporary" => Some(Self::Temporary),
            "unlogged" => Some(Self::Unlogged),
            "permanent" => Some(Self::Permanent),
            _ => None,
        }
    }
}
