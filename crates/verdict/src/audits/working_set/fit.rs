//! Whether a configuration measured the disk, as a sentence, and the limits of the share of hits that decide it.

use crate::verdict::Status;

/// A file counts as cold below this share of cached pages, as for the audit `cold-cache`.
pub(super) const COLD_AT_MOST: f64 = 0.01;

/// The judgement of a configuration.
pub(super) struct Fit {
    pub(super) status: Status,
    pub(super) text: String,
}
