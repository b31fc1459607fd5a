//! Whether a configuration measured the disk, in a sentence, and the shares of hits that this turns on.

use crate::verdict::Status;

/// At most this share of hits, as measured: not the cache, whatever the sizes say.
pub(super) const DISK_AT_MOST: f64 = 0.10;
/// A file counts as cold below this share of cached pages, as for the audit `cold-cache`.
pub(super) const COLD_AT_MOST: f64 = 0.01;

/// What is said of a configuration.
pub(super) struct Fit {
    pub(super) status: Status,
    pub(super) text: String,
}
