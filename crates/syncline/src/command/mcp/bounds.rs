//! The bounds of a call, which the server was started with.

use std::time::Duration;

/// What a call may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) time: Duration,
    /// Read from disks and written to them.
    pub(super) bytes: u64,
}
