//! The append workload's metrics, from what its threads recorded, what the kernel counted, and what a kill or a watch
//! found.

use super::levels::{FileDurability, Store};
use super::parameters::Parameters;
use super::{Appender, FAMILIES};
use crate::Evidence;
use crate::distribution::{Metrics, insert_latency, insert_unsupported};
use crate::evidence::ratio;
use driver::Driven;
use model::mechanism::Measured;

const NO_TIME: &str = "no time passed";
const NO_ENTRY: &str = "no entry was acknowledged";

/// Acknowledged entries that a failure could have lost. They are measured outside the workload.
#[derive(Clone, Debug)]
pub struct Exposure {
    /// Acknowledged entries that were missing after the process was killed.
    pub lost_after_kill: Measured<f64>,
    /// The largest number of acknowledged bytes that were not on the device at one time.
    pub bytes_max: Measured<f64>,
    /// The mean of that number over time.
    pub bytes_mean: Measured<f64>,
    /// Time until the last of them had reached the device after an immediate sync, in seconds.
    pub drain_s: Measured<f64>,
}

impl Exposure {
    /// Every value unsupported, for this reason.
    pub fn unsupported(why: &str) -> Self {
        let none = || Measured::unsupported(why);
        Self { lost_after_kill: none(), bytes_max: none(), bytes_mean: none(), drain_s: none() }
    }
}

/// Every metric of the schema, by full name. An operation is an entry.
pub fn metrics<W: Appender>(
    parameters: &Parameters,
    team: &Driven<Vec<W>>,
    evidence: &Evidence<'_>,
    exposure: &Exposure,
) -> Metrics {
    let seconds = team.elapsed().seconds();
    let (entries, performed) = (entries(team) as f64, acknowledged(team) as f64);
    let user_bytes = team.workload.iter().map(W::acknowledged_bytes).sum::<u64>() as f64;
    let process = &evidence.mechanism.process;
    let device = &evidence.mechanism.device;
    let flushes = match device {
        Measured::Value(device) => device.flushes.map(|flushes| *flushes as f64),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported),
    };
    let over = |figure: Measured<f64>, denominator: f64| match figure {
        Measured::Value(figure) => ratio(figure, denominator, NO_ENTRY),
        Measured::Unsupported { .. } => figure,
    };
    let written_bytes = device.map(|device| device.written_bytes as f64);
    let cpu_s = process.user_s + process.system_s;
    let plain = [
        ("entries_per_s", ratio(entries, seconds, NO_TIME)),
        ("user_bytes_per_s", ratio(entries * f64::from(parameters.entry_bytes()), seconds, NO_TIME)),
        ("device_bytes_per_user_byte", over(written_bytes, user_bytes)),
        ("device_flushes_per_entry", over(flushes, performed)),
        ("lost_after_kill", exposure.lost_after_kill.clone()),
        ("exposed_bytes_max", exposure.bytes_max.clone()),
        ("exposed_bytes_mean", exposure.bytes_mean.clone()),
        ("exposed_drain_s", exposure.drain_s.clone()),
        ("system_calls_per_operation", over(system_calls(parameters, team.system_calls), performed)),
        ("cpu_seconds_per_million_operations", ratio(cpu_s * 1e6, performed, NO_ENTRY)),
        ("in_flight_mean", Measured::Value(team.in_flight_mean)),
        ("instrument_overhead_ns", evidence.instrument_overhead_ns.clone()),
    ];
    let mut metrics: Metrics = plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect();
    for family in FAMILIES {
        match (unsupported_family(parameters, family), team.recorder.histogram(family)) {
            (Some(why), _) => insert_unsupported(&mut metrics, family, why),
            (None, Some(histogram)) => insert_latency(&mut metrics, family, histogram),
            (None, None) => insert_unsupported(&mut metrics, family, "this workload records none"),
        }
    }
    metrics
}

/// Entries acknowledged in the time that was measured: in the windows of a trial that takes turns.
pub fn entries<W: Appender>(team: &Driven<Vec<W>>) -> u64 {
    // A latency is an entry's, unless a buffer acknowledges several at once: such a trial takes no turns.
    if team.turns.is_some() { team.recorder.completed("append_latency") } else { acknowledged(team) }
}

fn acknowledged<W: Appender>(team: &Driven<Vec<W>>) -> u64 {
    team.workload.iter().map(W::acknowledged).sum()
}

fn system_calls(parameters: &Parameters, made: u64) -> Measured<f64> {
    match parameters.store() {
        Store::File(_) => Measured::Value(made as f64),
        Store::Engine { .. } => {
            Measured::unsupported("an engine makes its system calls in its own code and threads")
        }
    }
}

fn unsupported_family(parameters: &Parameters, family: &str) -> Option<&'static str> {
    let durability = match (family, parameters.store()) {
        ("append_latency", Store::File(_)) if parameters.buffer_size > 0 => {
            return Some("an entry is acknowledged as soon as it is in the buffer: see write_latency");
        }
        ("append_latency", _) => return None,
        (_, Store::Engine { .. }) => return Some("an engine writes and syncs by itself: see append_latency"),
        ("write_latency", Store::File(_)) if parameters.acknowledges_apart() => return None,
        ("write_latency", Store::File(_)) => return Some("an append is its write: see append_latency"),
        (_, Store::File(durability)) => durability,
    };
    match durability {
        FileDurability::SyncAtEnd | FileDurability::Fdatasync => None,
        FileDurability::ODsync | FileDurability::OSync => Some("the sync is part of the write"),
        FileDurability::None => Some("with durability = none there is no sync"),
    }
}
