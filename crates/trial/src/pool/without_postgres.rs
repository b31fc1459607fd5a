//! A build without PostgreSQL: a trial that needs it is unsupported, with the way to a build that has it.

use super::results::PhaseResults;
use crate::refusal::Refusal;
use crate::site::Site;
use model::trial::TrialSpec;
use workload::pool::Parameters;

/// Why nothing can be measured on PostgreSQL.
pub const NO_POSTGRESQL: &str =
    "this syncline was built without PostgreSQL: build it without --no-default-features";

pub(super) fn condition(_: &Site, _: &TrialSpec) -> Result<(), Refusal> {
    Err(Refusal::Unsupported(NO_POSTGRESQL.to_owned()))
}

pub(super) fn run(_: &Site, _: &TrialSpec, _: &Parameters) -> Result<PhaseResults, Refusal> {
    Err(Refusal::Unsupported(NO_POSTGRESQL.to_owned()))
}
