//! What the files of a run are called.

use std::ffi::OsStr;

pub(super) const PLAN: &str = "plan.json";
pub(super) const HOST: &str = "host.json";
pub(super) const TRIALS: &str = "trials.jsonl";
pub(super) const SHARED: &str = "shared.jsonl";
pub(super) const TRACED: &str = "traced.jsonl";
pub(super) const SPIKES: &str = "spikes.jsonl";
pub(super) const SIDECARS: &str = "sidecars";
pub(super) const OPERATIONS: &str = "operations";

/// Whether a file of this name shows that its directory is a run's, also of one that lost its plan.
pub fn is_part_of_run(name: &OsStr) -> bool {
    [PLAN, HOST, TRIALS].into_iter().any(|known| name == known)
}
