//! A trial of the device workload as the tests look at it: its figures, its one phase, its one file.

use super::Laboratory;
use model::description::Direction;
use model::sidecar::Sidecar;
use model::trial::{FileFacts, Phase, TrialOutcome, TrialRecord};
use std::fs;

/// A metric that this trial must have.
pub(crate) fn figure(record: &TrialRecord, name: &str) -> f64 {
    record.figure(name).unwrap_or_else(|| panic!("{}: no {name}: {:?}", record.values, record.metric(name)))
}

/// Bytes that the worker's system calls moved in this direction, over all phases, and those that `--dry-run` expects of
/// this configuration.
pub(crate) fn moved_and_expected(record: &TrialRecord, workload: &str, direction: Direction) -> (u64, u64) {
    let measurement = record.measurement.as_ref().unwrap();
    let calls = measurement.phases.iter().map(|phase| phase.mechanism.process_io.value().unwrap());
    let moved = calls.map(|io| match direction {
        Direction::Read => io.read_characters,
        Direction::Write => io.written_characters,
    });
    let described = (workload::schema(workload).unwrap().describe)(&record.values).unwrap();
    (moved.sum(), described.stream(direction).unwrap().trial_bytes_max.unwrap())
}

/// What one trial left behind, at hand.
pub(crate) struct DeviceTrial<'a> {
    pub(crate) record: &'a TrialRecord,
    pub(crate) phase: &'a Phase,
    file: &'a FileFacts,
}

impl<'a> DeviceTrial<'a> {
    /// `None` if this file system cannot do it; nothing else may fail.
    pub(crate) fn of(record: &'a TrialRecord) -> Option<Self> {
        match &record.outcome {
            TrialOutcome::Ok => {}
            TrialOutcome::Unsupported(why) if record.values.is("mode", "dontcache") => {
                skip::because(format_args!("{}: {why}", record.values));
                return None;
            }
            other => panic!("{}: {other:?}", record.values),
        }
        let measurement = record.measurement.as_ref().unwrap();
        assert_eq!((measurement.phases.len(), measurement.files.len()), (1, 1));
        Some(Self { record, phase: &measurement.phases[0], file: &measurement.files[0] })
    }

    pub(crate) fn figure(&self, name: &str) -> f64 {
        figure(self.record, name)
    }

    /// How many there were in the measured time, from a rate.
    pub(crate) fn count(&self, rate: &str) -> u64 {
        self.record.figure(rate).map_or(0, |rate| (rate * self.phase.duration_s).round() as u64)
    }

    pub(crate) fn is(&self, parameter: &str, level: &str) -> bool {
        self.record.values.is(parameter, level)
    }

    pub(crate) fn cached_before(&self) -> f64 {
        *self.file.cached_share_before.value().unwrap_or_else(|| panic!("not proven: {:?}", self.file))
    }

    pub(crate) fn cached_after(&self) -> f64 {
        *self.file.cached_share_after.value().unwrap_or_else(|| panic!("not proven: {:?}", self.file))
    }

    pub(crate) fn sidecar(&self, lab: &Laboratory) -> Sidecar {
        let path = lab.run_directory().join("sidecars").join(self.record.key.sidecar_name());
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    pub(crate) fn recorded(&self, lab: &Laboratory, family: &str) -> u64 {
        self.sidecar(lab).histogram(family).unwrap().map_or(0, |histogram| histogram.len())
    }
}
