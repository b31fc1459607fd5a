//! Why a worker cannot answer with figures.

use model::trial::WorkerReply;
use std::fmt;

/// Why a worker cannot answer with figures.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Something went wrong: one sentence with path and what to do.
    Failed(String),
    /// This machine or file system cannot do it.
    Unsupported(String),
}

impl Refusal {
    /// Something went wrong.
    pub(crate) fn failed(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<Refusal> for WorkerReply {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Failed(why) => Self::Failed { why },
            Refusal::Unsupported(why) => Self::Unsupported { why },
        }
    }
}
