//! Logs of operations on objects: read in three formats, replayed at the times that they have, and written.
//!
//! Syncline's own format is separated by commas and has every column that a replay needs. sai3-bench's op-log (written
//! by its library s3dlio) and MinIO warp's CSV are both separated by tabs and have the same columns, of which warp has
//! one more (`cat`); they know no offset and no put in parts. Where a column is, its header says. Each may be
//! compressed by zstd, as both tools leave theirs.

mod error;
mod journal;
mod operation;
mod read;
mod replay;
mod script;
mod write;
mod zstd;

pub use error::LogError;
pub use journal::{Entry, Journal};
pub use operation::{LoggedOperation, OperationLog};
pub use read::{KEYS_MAX, OPERATIONS_MAX};
pub use replay::Replay;
pub(super) use script::Script;
pub use write::LogWriter;
