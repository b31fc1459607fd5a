//! Classes of operations.

use serde::Serialize;
use trace::stream::FileCall;

/// What an operation does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    Read,
    Write,
    /// `fsync` or `fdatasync`.
    Sync,
}

impl Class {
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Sync];

    /// The class of a system call; `None` for one that is not an operation.
    pub(crate) const fn of(call: FileCall) -> Option<Self> {
        match call {
            FileCall::Read => Some(Self::Read),
            FileCall::Write => Some(Self::Write),
            FileCall::Sync => Some(Self::Sync),
            FileCall::Seek | FileCall::Open | FileCall::Close => None,
        }
    }

    /// As the name of a row: `reads`.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Sync => "syncs",
        }
    }

    pub(crate) const fn singular(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "sync",
        }
    }
}
