//! Where a session's time goes: every second of it by what it was for.

use model::trial::TrialRecord;
use std::time::Instant;

/// Seconds of one session, by what they were spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeAccount {
    /// In the phases of trials: what their figures are about.
    pub measuring_s: f64,
    /// In the turns of trials, outside their windows: settling, and draining what is in flight.
    pub settling_s: f64,
    /// In what is measured after the phases: what a kill loses, and how long what was acknowledged takes to the device.
    pub aftermath_s: f64,
    /// Making the files that trials work on, by requests of their own.
    pub preparing_s: f64,
    /// Bringing the files' pages into or out of the page cache, as a trial wants them, and verifying the files.
    pub caching_s: f64,
    /// Waiting until the device had nothing to do.
    pub quiescing_s: f64,
    /// The rest of a trial: starting its process, opening and closing files and engines, what the instrument costs by
    /// itself.
    pub working_s: f64,
    /// Bringing records onto the disk.
    pub recording_s: f64,
    /// Choosing the next trial, looks included, and showing progress.
    pub deciding_s: f64,
    /// Traced trials, all of them.
    pub tracing_s: f64,
}

impl TimeAccount {
    /// Measuring, and bringing files into the state that is measured: what a session is for.
    pub fn useful_s(&self) -> f64 {
        self.measuring_s + self.settling_s + self.aftermath_s + self.preparing_s + self.caching_s
    }

    pub fn total_s(&self) -> f64 {
        self.useful_s()
            + self.quiescing_s
            + self.working_s
            + self.recording_s
            + self.deciding_s
            + self.tracing_s
    }

    /// What the time of one trial was spent on, as its record has it.
    pub fn of_trial(record: &TrialRecord) -> Self {
        let known = Self::known(record);
        let working_s = (record.prepare_s + record.wall_s - known.total_s()).max(0.0);
        Self { working_s, ..known }
    }

    fn known(record: &TrialRecord) -> Self {
        let measured = record.measurement.as_ref();
        let phases = measured.iter().flat_map(|measurement| &measurement.phases);
        Self {
            measuring_s: phases.clone().map(|phase| phase.duration_s).sum(),
            settling_s: phases.map(|phase| (phase.counted_s() - phase.duration_s).max(0.0)).sum(),
            aftermath_s: measured.map_or(0.0, |measurement| measurement.aftermath_s),
            preparing_s: record.prepare_s,
            caching_s: measured.map_or(0.0, |measurement| measurement.cache_s),
            quiescing_s: measured.map_or(0.0, |measurement| measurement.quiesce_s),
            ..Self::default()
        }
    }

    fn plus(self, more: Self) -> Self {
        Self {
            measuring_s: self.measuring_s + more.measuring_s,
            settling_s: self.settling_s + more.settling_s,
            aftermath_s: self.aftermath_s + more.aftermath_s,
            preparing_s: self.preparing_s + more.preparing_s,
            caching_s: self.caching_s + more.caching_s,
            quiescing_s: self.quiescing_s + more.quiescing_s,
            working_s: self.working_s + more.working_s,
            recording_s: self.recording_s + more.recording_s,
            deciding_s: self.deciding_s + more.deciding_s,
            tracing_s: self.tracing_s + more.tracing_s,
        }
    }

    /// Trials that took so long together, from being chosen to their last word.
    pub(crate) fn add_trials(&mut self, records: &[TrialRecord], elapsed_s: f64) {
        let known = records.iter().map(Self::known).fold(Self::default(), Self::plus);
        let working_s = (elapsed_s - known.total_s()).max(0.0);
        *self = self.plus(Self { working_s, ..known });
    }
}

/// Seconds from one call to the next: no moment is counted twice or left out.
#[derive(Debug)]
pub(crate) struct Lap(Instant);

impl Lap {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn seconds(&mut self) -> f64 {
        let now = Instant::now();
        let elapsed = now.duration_since(self.0);
        self.0 = now;
        elapsed.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Configuration;
    use model::trial::{TrialKey, TrialOutcome};

    #[test]
    fn a_trial_without_figures_is_work_beside_its_preparation() {
        let record = TrialRecord {
            format_version: model::FORMAT_VERSION,
            key: TrialKey { study: "one".to_owned(), round: 0, configuration: 0, duplicate: false, block: 0 },
            position: 0,
            warmup: false,
            session: 1,
            values: Configuration::default(),
            seed: 0,
            started_at: String::new(),
            ensemble: Vec::new(),
            wall_s: 2.0,
            prepare_s: 1.0,
            canary: None,
            pauses: None,
            outcome: TrialOutcome::Failed("no".to_owned()),
            measurement: None,
        };
        let mut time = TimeAccount::default();
        time.add_trials(&[record], 3.5);
        assert_eq!(time, TimeAccount { preparing_s: 1.0, working_s: 2.5, ..TimeAccount::default() });
        assert_eq!((time.useful_s(), time.total_s()), (1.0, 3.5));
    }
}
