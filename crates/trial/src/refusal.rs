//! Why a worker has no figures.

use model::trial::WorkerReply;
use std::fmt;

/// The reason why a worker has no figures.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// A failure: one sentence with the path and the remedy.
    Failed(String),
    /// This machine or file system cannot do it.
    Unsupported(String),
}

impl Refusal {
    /// A failure with this error.
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
