//! What the files of a run are called.

pub(super) const PLAN: &str = "plan.json";
pub(super) const HOST: &str = "host.json";
pub(super) const TRIALS: &str = "trials.jsonl";
pub(super) const SHARED: &str = "shared.jsonl";
pub(super) const SIDECARS: &str = "sidecars";
