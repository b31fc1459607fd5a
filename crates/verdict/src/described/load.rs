//! The frequency of events in a trial: operations in flight, syncs and their flushes.

use crate::observations::value;
use model::description::{Flushes, Load, Rate, SyncUnit};
use model::trial::{Phase, TrialRecord};
use model::{Description, DurabilityClass};

/// Operations of one kind: how many complete per second, and how long each is in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    /// Completions per second that share one latency.
    pub(crate) per_second: f64,
    /// Mean latency, seconds.
    pub(crate) latency_s: f64,
    /// The maximum number of operations behind one latency.
    pub(crate) overlapping_max: f64,
}

/// Requested syncs, and the device's flushes for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flushed {
    /// The counted unit.
    pub(crate) unit: SyncUnit,
    /// Units in the trial, if that is known.
    pub(crate) units: Option<f64>,
    /// Flushes per unit; `None` if the device does not count them.
    pub(crate) per_unit: Option<f64>,
    /// Whether every write asks the drive to force it to media, if it can (FUA).
    pub(crate) is_forced: bool,
}

/// The operations in flight, stream by stream; `None` if a figure is missing, or if the workload cannot count them.
pub(crate) fn streams(record: &TrialRecord, description: &Description) -> Option<Vec<Stream>> {
    let stream = |load: &Load| {
        Some(Stream {
            per_second: per_second(record, &load.rates)?,
            latency_s: value(record, &format!("{}_mean_us", load.latency))? / 1e6,
            overlapping_max: load.overlapping_max as f64,
        })
    };
    let streams: Vec<Stream> = description.loads.iter().map(stream).collect::<Option<_>>()?;
    (!streams.is_empty()).then_some(streams)
}

/// Flushes compared with the operations that requested them; `None` if none did.
pub(crate) fn flushed(record: &TrialRecord, description: &Description) -> Option<Flushed> {
    let Flushes { unit, rates, counted, is_forced, if_declared } = description.flushes.as_ref()?;
    let measurement = record.measurement.as_ref()?;
    if *if_declared && measurement.durability != DurabilityClass::Power {
        return None;
    }
    let units = in_trial(record, rates);
    let per_unit = match counted {
        Some(counted) => value(record, &counted.metric).map(|flushes| flushes * counted.operations as f64),
        None => flushes_of_device(measurement.phases.first()?).zip(units).map(|(all, units)| all / units),
    };
    // With less than one unit nothing was synced: the trial ended before.
    let is_asked = counted.is_some() || units.is_some_and(|units| units >= 1.0);
    is_asked.then_some(Flushed { unit: *unit, units, per_unit, is_forced: *is_forced })
}

fn flushes_of_device(phase: &Phase) -> Option<f64> {
    let device = phase.mechanism.device.value()?;
    Some(*device.flushes.value()? as f64)
}

/// The sum of the rates; `None` if one is missing.
fn per_second(record: &TrialRecord, rates: &[Rate]) -> Option<f64> {
    let of_rate = |rate: &Rate| match rate {
        Rate::Every { metric, operations } => Some(value(record, metric)? / (*operations).max(1) as f64),
        Rate::Times(times) => {
            let phase = record.measurement.as_ref()?.phases.first()?;
            Some(*times as f64 / phase.duration_s)
        }
    };
    let sum: f64 = rates.iter().map(of_rate).sum::<Option<f64>>()?;
    sum.is_finite().then_some(sum)
}

/// Their number in the phase that reports the first of them; `None` if it is zero.
fn in_trial(record: &TrialRecord, rates: &[Rate]) -> Option<f64> {
    let phases = &record.measurement.as_ref()?.phases;
    let reports = |phase: &&Phase| match rates.first() {
        Some(Rate::Every { metric, .. }) => {
            phase.metrics.get(metric).is_some_and(|figure| figure.value().is_some())
        }
        Some(Rate::Times(_)) | None => true,
    };
    let events = per_second(record, rates)? * phases.iter().find(reports)?.duration_s;
    (events.is_finite() && events > 0.0).then_some(events)
}
