//! A request that changed the disk, kept until a flush makes it durable.

use std::fmt;

/// One request that changed the disk.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) offset: u64,
    pub(crate) content: Content,
}

/// What a request put there.
#[derive(Clone)]
pub(crate) enum Content {
    Bytes(Box<[u8]>),
    /// Zeros, by a discard or a command to write zeros.
    Zeros {
        length: u64,
    },
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Zeros { length } => write!(f, "{length} zeros"),
        }
    }
}

impl Request {
    /// Bytes that it covers.
    pub(crate) fn length(&self) -> u64 {
        match &self.content {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Zeros { length } => *length,
        }
    }
}
