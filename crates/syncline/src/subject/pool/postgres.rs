//! PostgreSQL's buffers, by SQL.

use super::super::Refusal;
use super::super::site::Site;
use super::Trial;
use model::trial::TrialSpec;
use workload::pool::Parameters;

/// Runs every phase as statements.
pub(super) fn run(_: &Site, _: &TrialSpec, _: &Parameters) -> Result<Trial, Refusal> {
    Err(Refusal::Unsupported("this program was built without PostgreSQL".to_owned()))
}
