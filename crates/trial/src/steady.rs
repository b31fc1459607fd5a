//! Runs a workload until it is steady, before it is measured.

use crate::refusal::Refusal;
use workload::steady_ramp::{Progress, SteadyRamp};

/// Runs intervals, each of which returns its operations per second, until they are steady or the maximum time has
/// passed.
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    const RAMP: SteadyRamp =
        SteadyRamp { steady_interval: Nanos::from_millis(10), steady_time_max: Nanos::from_millis(80) };

    #[test]
    fn a_constant_rate_is_steady_after_five_intervals() {
        let ramp = until_steady(RAMP, |_| Ok(1000.0)).unwrap();
        assert!(ramp.steady && (ramp.interval_s - 0.01).abs() < 1e-12);
        assert_eq!(ramp.operations_per_s, [1000.0; 5]);
    }

    #[test]
    fn a_rate_that_falls_is_given_up_when_the_time_is_over() {
        let ramp = until_steady(RAMP, |interval| Ok(1000.0 / (interval + 1) as f64)).unwrap();
        assert!(!ramp.steady);
        assert_eq!(ramp.operations_per_s.len(), 8);
    }

    #[test]
    fn an_interval_that_fails_fails_the_trial() {
        let mut intervals = 0;
        let failed = until_steady(RAMP, |_| {
            intervals += 1;
            if intervals < 3 { Ok(1.0) } else { Err(Refusal::Failed("the disk is full".to_owned())) }
        });
        assert!(matches!(failed, Err(Refusal::Failed(why)) if why == "the disk is full"));
        assert_eq!(intervals, 3);
    }
}
