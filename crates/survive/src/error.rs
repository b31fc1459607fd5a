//! Why a crash could not be tried.

use forget::ForgetError;
use server::ServerError;
use std::io;

/// What keeps a crash from being tried. What a database does after a crash is a result and no error.
#[derive(Debug, thiserror::Error)]
pub enum SurviveError {
    /// The disk that forgets.
    #[error(transparent)]
    Disk(#[from] ForgetError),
    /// The server, before anything was cut.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// A writer was refused before the crash.
    #[error("{server} refused a row before the crash: {why}")]
    Refused { server: &'static str, why: String },
    /// What a disk holds could not be made durable.
    #[error("cannot flush the disk under test: {0}")]
    Flush(io::Error),
}

impl SurviveError {
    /// Whether this machine lacks what is needed, so that nothing was tried.
    pub fn is_absence(&self) -> bool {
        match self {
            Self::Disk(ForgetError::Unsupported(_)) => true,
            Self::Server(why) => why.is_absence(),
            Self::Disk(_) | Self::Refused { .. } | Self::Flush(_) => false,
        }
    }
}
