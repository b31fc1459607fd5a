//! How long a workload runs before a measurement that must start in a steady state. It runs interval by interval until
//! the last five meet SNIA's rule, or until the maximum time has passed. Pure; the subject runs the intervals.

use model::description::Duration;
use model::{Nanos, WithoutEffect, parameters};
use stats::steady_state::{SteadyState, WINDOW, steady_state};

parameters! {
    /// When to start the measurement.
    #[derive(Copy)]
    pub struct SteadyRamp;
    /// The parameters that decide this.
    pub const STEADY_RAMP: SteadyHandles;

    /// maximum time for which the workload runs unmeasured until its last five intervals are steady (SNIA's rule:
    /// within 20 % of each other, no slope); 0s = no such time
    steady_time_max: Nanos = "0s",
    /// length of such an interval, one minute in SNIA's rule; no effect if steady_time_max is 0s
    steady_interval: Nanos = "1min",
}

/// Without the first, the second changes nothing.
pub(crate) const INTERVAL_WITHOUT_EFFECT: WithoutEffect = WithoutEffect {
    parameters: &[STEADY_RAMP.steady_interval.name()],
    holds: |values| STEADY_RAMP.steady_time_max.is(values, Nanos::ZERO),
    because: "steady_time_max is 0s",
};

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Another interval.
    GoOn,
    /// The measurement, in a steady state.
    Steady,
    /// The measurement, not in a steady state: the maximum time has passed.
    GaveUp,
}

impl SteadyRamp {
    /// The same if there is such a time; `None` if the measurement starts at once.
    pub fn chosen(self) -> Option<Self> {
        (self.steady_time_max > Nanos::ZERO).then_some(self)
    }

    /// Whether the two parameters make sense together.
    ///
    /// # Errors
    /// They do not: the reason as one sentence.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Some(chosen) = self.chosen() else { return Ok(()) };
        if chosen.steady_interval == Nanos::ZERO {
            return Err("steady_interval = 0s is not an interval: set 1min".to_owned());
        }
        let least_s = WINDOW as f64 * chosen.steady_interval.seconds();
        if chosen.steady_time_max.seconds() < least_s {
            return Err(format!(
                "steady_time_max must hold {WINDOW} intervals of steady_interval: give at least {least_s} s"
            ));
        }
        Ok(())
    }

    /// The maximum number of intervals; at least one.
    fn intervals_max(&self) -> usize {
        (self.steady_time_max.0 / self.steady_interval.0.max(1)).max(1) as usize
    }

    /// The step after the intervals with these rates.
    pub fn progress(&self, rates: &[f64]) -> Progress {
        let last = &rates[rates.len().saturating_sub(WINDOW)..];
        match steady_state(last) {
            SteadyState::Steady { .. } => Progress::Steady,
            SteadyState::NotSteady { .. } | SteadyState::NotAssessable(_) => {
                if rates.len() < self.intervals_max() { Progress::GoOn } else { Progress::GaveUp }
            }
        }
    }
}

/// A trial's duration, including the time to become steady.
pub(crate) fn lengthen(ramp: SteadyRamp, duration: Duration) -> Duration {
    let steady_max_s = ramp.steady_time_max.seconds();
    let steady_min_s = (WINDOW as f64 * ramp.steady_interval.seconds()).min(steady_max_s);
    Duration { steady_min_s, steady_max_s, ..duration }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAMP: SteadyRamp =
        SteadyRamp { steady_interval: Nanos(60_000_000_000), steady_time_max: Nanos(8 * 60_000_000_000) };

    /// A volume that serves from burst credits and then at its base rate: the burst alone is steady too, so only a
    /// longer session shows the base rate; a fall within the window is not steady.
    #[test]
    fn it_goes_on_until_five_intervals_are_alike() {
        let progress = |rates: &[f64]| RAMP.progress(rates);
        assert_eq!(progress(&[]), Progress::GoOn);
        assert_eq!(progress(&[100.0; 4]), Progress::GoOn);
        assert_eq!(progress(&[100.0; 5]), Progress::Steady);
        assert_eq!(progress(&[900.0, 600.0, 300.0, 100.0, 100.0]), Progress::GoOn);
        assert_eq!(progress(&[900.0, 300.0, 100.0, 101.0, 99.0, 100.0, 100.0]), Progress::Steady);
    }

    #[test]
    fn it_gives_up_in_the_end() {
        let falling = [800.0, 700.0, 600.0, 500.0, 400.0, 300.0, 200.0, 100.0];
        assert_eq!(RAMP.progress(&falling), Progress::GaveUp);
        assert_eq!(RAMP.progress(&[0.0; 8]), Progress::GaveUp);
    }
}
