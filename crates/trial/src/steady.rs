//! Runs a workload until it is steady, before it is measured.

use crate::refusal::Refusal;
use workload::steady_ramp::{Progress, SteadyRamp};

/// Runs intervals, each of which returns its operations per second, until they are steady or the maximum time has passed.
pub(super) fn until_steady(
    ramp: SteadyRamp,
    mut interval: impl FnMut(u64) -> Result<f64, Refusal>,
) -> Result<model::trial::SteadyRamp, Refusal> {
    let mut operations_per_s = Vec::new();
    loop {
        let steady = match ramp.progress(&operations_per_s) {
            Progress::GoOn => {
                operations_per_s.push(interval(operations_per_s.len() as u64)?);
                continue;
            }
            Progress::Steady => true,
            Progress::GaveUp => false,
        };
        return Ok(model::trial::SteadyRamp {
            interval_s: ramp.steady_interval.seconds(),
            operations_per_s,
            steady,
        });
    }
}
