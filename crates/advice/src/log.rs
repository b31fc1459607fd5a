//! What a log's blocks were before it was written.

use crate::compared::Arm;
use serde::Serialize;

/// What a log's blocks were before it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Log {
    /// Not there: the file grows.
    Growing,
    /// Allocated, and never written.
    Allocated,
    /// Written before.
    Written,
}

/// A log that was written before, whatever recycled it.
pub(crate) const OVERWRITTEN_LOG: &str = "an overwritten log";

impl Log {
    /// The log as an arm.
    pub(crate) fn arm(self) -> Arm {
        match self {
            Self::Growing => "a growing log",
            Self::Allocated => "an allocated log",
            Self::Written => "a prefilled log",
        }
        .into()
    }
}
