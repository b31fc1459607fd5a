//! The transactions workload on a database server.

use crate::line::Line;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::site::Site;
use model::trial::TrialSpec;

const NOT_YET: &str = "this version of Syncline cannot run transactions on a server yet";

/// Prepares what a trial starts from.
pub(crate) fn condition(_: &Site, _: &TrialSpec) -> Result<(), Refusal> {
    Err(Refusal::Unsupported(NOT_YET.to_owned()))
}

/// Runs one trial.
pub(crate) fn measure(_: &Site, _: &TrialSpec, _: Option<&Line>) -> Result<Outcome, Refusal> {
    Err(Refusal::Unsupported(NOT_YET.to_owned()))
}
