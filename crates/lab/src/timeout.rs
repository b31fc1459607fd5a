//! When a worker hangs.

use model::Description;
use std::time::Duration;

/// A commit, a read or a write that takes longer than this, on average, is a hang.
const OPERATION_MAX_S: f64 = 0.1;
/// Nor does a key of a load take longer, on average, whatever its put waits for; compaction included.
const LOADED_KEY_MAX_S: f64 = 0.02;
/// Slower than this nobody reads or evicts a file, bytes per second.
const FILE_RATE_MIN: f64 = 20e6;
/// No expectation is longer than this, and preparing files may take as long.
pub(crate) const PREPARE_DEADLINE: Duration = Duration::from_hours(1);

/// How much longer than expected a worker may take before it is killed as one that hangs.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    /// For a trial, beyond what its parameters take: its files are read and evicted too.
    pub trial: Duration,
    /// For a turn, beyond its slice: what is in flight completes.
    pub turn: Duration,
}

impl Default for Timeout {
    fn default() -> Self {
        Self { trial: Duration::from_mins(5), turn: Duration::from_mins(1) }
    }
}

impl Timeout {
    /// The deadline of a trial. A phase that counts operations ends with the last of them, or with its time if that
    /// comes first.
    pub(crate) fn trial_deadline(&self, description: &Description) -> Duration {
        let asked = &description.duration;
        let counted = if asked.phase_s > 0.0 { 0.0 } else { asked.operations as f64 * OPERATION_MAX_S };
        let phase_s = asked.phase_s + asked.extension_max_s;
        let timed = 2.0 * phase_s * f64::from(asked.phases) + asked.ramp_s + 2.0 * asked.steady_max_s;
        let waited = asked.idle_s + asked.age_s + asked.paused_s;
        let moved = asked.loaded as f64 * LOADED_KEY_MAX_S + asked.moved_bytes as f64 / FILE_RATE_MIN;
        let expected = counted + timed + waited + moved;
        self.trial + Duration::try_from_secs_f64(expected).unwrap_or(PREPARE_DEADLINE)
    }

    /// The deadline of a turn with a slice of this length.
    pub(crate) fn turn_deadline(&self, slice_s: f64) -> Duration {
        self.turn + Duration::try_from_secs_f64(slice_s).unwrap_or_default()
    }
}
