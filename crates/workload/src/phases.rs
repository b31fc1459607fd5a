//! The typed streams and flushes of a trial's phases, derived from metrics that only their workload can name.
//!
//! A worker adds them to what it measured. The reader of a run adds them to records from before they were kept.

use model::description::{Flushes, Load, Rate};
use model::trial::{Measurement, Phase};
use model::{Description, DurabilityClass, MeasuredFlushes, MeasuredStream};

/// Adds the streams and flushes of each phase that reports what they are made of.
pub fn complete(measurement: &mut Measurement, description: &Description) {
    let survives_power_loss = measurement.durability == DurabilityClass::Power;
    let flushes =
        description.figures.flushes.as_ref().filter(|flushes| survives_power_loss || !flushes.if_declared);
    for phase in &mut measurement.phases {
        if phase.streams.is_empty() {
            phase.streams = streams(phase, &description.figures.loads).unwrap_or_default();
        }
        if phase.flushes.is_none() {
            phase.flushes = flushes.and_then(|flushes| flushed(phase, flushes));
        }
    }
}

/// What is in flight, load by load; `None` if a figure is missing.
fn streams(phase: &Phase, loads: &[Load]) -> Option<Vec<MeasuredStream>> {
    let stream = |load: &Load| {
        Some(MeasuredStream {
            latencies_per_s: per_s(phase, &load.rates)?,
            latency_mean_s: figure(phase, &format!("{}_mean_us", load.latency))? / 1e6,
            latency_sd_s: figure(phase, &format!("{}_sd_us", load.latency)).map(|us| us / 1e6),
            overlapping_max: load.overlapping_max,
        })
    };
    loads.iter().map(stream).collect()
}

/// Flushes against what asked for them; `None` if nothing did in this phase.
fn flushed(phase: &Phase, flushes: &Flushes) -> Option<MeasuredFlushes> {
    let Flushes { unit, rates, counted, is_forced, .. } = flushes;
    let units = per_s(phase, rates).map(|rate| rate * phase.duration_s);
    let units = units.filter(|units| units.is_finite() && *units > 0.0);
    let per_unit = match counted {
        Some(counted) => {
            phase.metrics.get(&counted.metric)?;
            figure(phase, &counted.metric).map(|flushes| flushes * counted.operations as f64)
        }
        None => of_device(phase).zip(units).map(|(all, units)| all / phase.counted(units)),
    };
    // Less than one, nothing was synced: the trial ended before.
    let is_asked = counted.is_some() || units.is_some_and(|units| units >= 1.0);
    is_asked.then_some(MeasuredFlushes {
        unit: *unit,
        units,
        per_unit: per_unit.filter(|per_unit| per_unit.is_finite()),
        is_forced: *is_forced,
    })
}

fn of_device(phase: &Phase) -> Option<f64> {
    Some(*phase.mechanism.device.value()?.flushes.value()? as f64)
}

/// The sum of these rates; `None` if one is missing.
fn per_s(phase: &Phase, rates: &[Rate]) -> Option<f64> {
    let of_rate = |rate: &Rate| match rate {
        Rate::Every { metric, operations } => Some(figure(phase, metric)? / (*operations).max(1) as f64),
        Rate::Times(times) => Some(*times as f64 / phase.duration_s),
    };
    let sum: f64 = rates.iter().map(of_rate).sum::<Option<f64>>()?;
    sum.is_finite().then_some(sum)
}

/// A metric's figure. A record may hold anything, even infinity.
fn figure(phase: &Phase, metric: &str) -> Option<f64> {
    phase.metrics.get(metric)?.value().copied().filter(|figure| figure.is_finite())
}
