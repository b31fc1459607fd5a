//! How the arms of a round take turns: what the lab asks before it decides the order of trials.

use serde::{Deserialize, Serialize};

/// How an arm takes turns with others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Interleaving {
    /// Whether arms can take turns: at the end of a slice nothing is in flight and nothing is left to be written.
    pub interleavable: bool,
    /// Whether each phase waits for the lab's order to begin, also if arms cannot take turns: then ranks begin it
    /// together.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub begins_when_told: bool,
    /// Seconds that a slice lasts at least, if what is driven needs longer ones than a disk does; 0 if it does not.
    #[serde(skip_serializing_if = "is_no_time")]
    pub slice_min_s: f64,
    /// Seconds of each slice, from its beginning, that no figure counts at least, because what others left in the CPU's
    /// caches has to go first; 0 if that does not matter.
    #[serde(skip_serializing_if = "is_no_time")]
    pub settle_min_s: f64,
    /// Whether trials that take turns get ready at the same time, and end so: what they do then is not measured, and
    /// leaves nothing behind that the first turn could meet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub starts_together: bool,
}

impl Interleaving {
    /// An arm that can take turns, or cannot, without further wishes.
    pub fn of(interleavable: bool) -> Self {
        Self { interleavable, ..Self::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_no_time(seconds: &f64) -> bool {
    *seconds <= 0.0
}
