//! What the findings of a study hold for beside its parameters: the readahead of the device's queue, what the study's
//! own hints do to it, and the device's latency. If one of these differs, the same study can find the opposite.

use crate::observations::Observations;
use model::description::Readahead;
use model::figure::{count, interval, round_figure};
use model::host::Placement;
use model::mechanism::Measured;
use model::metric::Unit;
use model::trial::{Measurement, TrialRecord};
use model::units::format_bytes_approximate;
use serde::Serialize;
use std::collections::BTreeSet;

/// What the findings of a study hold for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// One for each device and value that its trials found; none if no trial succeeded.
    pub devices: Vec<DeviceReadahead>,
    /// What its configurations do to that readahead, each once.
    pub hints: BTreeSet<Readahead>,
    /// The time of a request to the device, over the trials that read from it.
    pub device_latency: Measured<DeviceLatency>,
}

/// The readahead of a device's queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceReadahead {
    /// The device below the files.
    pub device: Measured<String>,
    /// `queue/read_ahead_kb`, KiB.
    pub read_ahead_kib: Measured<u64>,
}

/// The mean time of a request to the device (`/proc/diskstats`: time in flight ÷ requests), over trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceLatency {
    /// Median over trials, µs.
    pub median_us: f64,
    /// Shortest of a trial, µs.
    pub least_us: f64,
    /// Longest of a trial, µs.
    pub most_us: f64,
    /// Mean bytes of a request, median over trials.
    pub request_bytes: f64,
    pub trials: usize,
}

impl Conditions {
    pub fn text(&self) -> Vec<String> {
        let mut clauses: Vec<String> = self.devices.iter().map(device).collect();
        if clauses.is_empty() {
            clauses.push("read_ahead_kb not known (no trial succeeded)".to_owned());
        }
        let one = match &self.devices[..] {
            [only] => only.read_ahead_kib.value().copied(),
            _ => None,
        };
        clauses.extend(self.hints.iter().filter_map(|readahead| effect(*readahead, one)));
        clauses.push(latency(&self.device_latency));
        clauses
    }

    /// The conditions of a study; `None` if none of its configurations reads from a device with readahead, or without
    /// it by choice.
    pub(crate) fn of(observations: &Observations<'_>) -> Option<Self> {
        let readahead = |configuration| observations.plan.description(configuration)?.readahead;
        let hints: BTreeSet<Readahead> =
            (0..observations.plan.configurations.len()).filter_map(readahead).collect();
        if hints.is_empty() {
            return None;
        }
        let reads = |record: &&TrialRecord| readahead(record.key.configuration).is_some();
        let measured: Vec<&Measurement> =
            observations.analysed().filter(reads).filter_map(|record| record.measurement.as_ref()).collect();
        let mut devices: Vec<DeviceReadahead> = Vec::new();
        for found in measured.iter().map(|measurement| DeviceReadahead::of(&measurement.placement)) {
            if !devices.contains(&found) {
                devices.push(found);
            }
        }
        Some(Self { devices, hints, device_latency: device_latency(&measured) })
    }
}

impl DeviceReadahead {
    fn of(placement: &Placement) -> Self {
        let read_ahead_kib = match placement.queue_setting("read_ahead_kb").map(str::parse) {
            Some(Ok(kib)) => Measured::Value(kib),
            Some(Err(_)) => Measured::unsupported("the device reports no number"),
            None => Measured::unsupported(placement.device.reason().unwrap_or("it was not recorded")),
        };
        Self { device: placement.device.clone(), read_ahead_kib }
    }
}

/// For one trial, mean time and mean bytes of a request.
struct Request {
    mean_us: f64,
    bytes: f64,
}

fn device_latency(measured: &[&Measurement]) -> Measured<DeviceLatency> {
    let requests: Vec<Result<Request, &str>> =
        measured.iter().map(|measurement| request(measurement)).collect();
    let counted: Vec<&Request> = requests.iter().filter_map(|request| request.as_ref().ok()).collect();
    let times: Vec<f64> = counted.iter().map(|request| request.mean_us).collect();
    let bytes: Vec<f64> = counted.iter().map(|request| request.bytes).collect();
    let (Some(median_us), Some(request_bytes)) =
        (stats::sample::median(&times), stats::sample::median(&bytes))
    else {
        let why = requests.iter().find_map(|request| request.as_ref().err());
        return Measured::unsupported(*why.unwrap_or(&"no trial succeeded"));
    };
    let least_us = times.iter().copied().fold(f64::INFINITY, f64::min);
    let most_us = times.iter().copied().fold(0.0, f64::max);
    Measured::Value(DeviceLatency { median_us, least_us, most_us, request_bytes, trials: times.len() })
}

/// Over all phases of a trial: a pass that is read from the page cache has hardly a request.
fn request(measurement: &Measurement) -> Result<Request, &str> {
    let (mut requests, mut bytes, mut in_flight_s) = (0, 0, 0.0);
    for phase in &measurement.phases {
        match &phase.mechanism.device {
            Measured::Value(device) => {
                requests += device.reads + device.writes + device.discards;
                bytes += device.read_bytes + device.written_bytes;
                in_flight_s += device.queue_s;
            }
            Measured::Unsupported { unsupported } => return Err(unsupported),
        }
    }
    if requests == 0 || !in_flight_s.is_finite() || in_flight_s <= 0.0 {
        return Err("the device counted no time of a request");
    }
    let requests = requests as f64;
    Ok(Request { mean_us: in_flight_s / requests * 1e6, bytes: bytes as f64 / requests })
}

/// `read_ahead_kb = 128 (vda)`.
fn device(found: &DeviceReadahead) -> String {
    let of = found.device.value().map_or_else(String::new, |device| format!(" ({device})"));
    match &found.read_ahead_kib {
        Measured::Value(kib) => format!("read_ahead_kb = {kib}{of}"),
        Measured::Unsupported { unsupported } => format!("read_ahead_kb not known{of}: {unsupported}"),
    }
}

/// What a hint of the study does to it.
fn effect(readahead: Readahead, read_ahead_kib: Option<u64>) -> Option<String> {
    match readahead {
        Readahead::AsSet => None,
        Readahead::Doubled => {
            let to = read_ahead_kib.map_or_else(String::new, |kib| format!(" to {}", kib.saturating_mul(2)));
            Some(format!("the hint sequential doubles it{to}"))
        }
        Readahead::Off => Some("the hint random switches it off".to_owned()),
        Readahead::Dropped => {
            Some("the hint dontneed before each block drops the pages that it has read".to_owned())
        }
        Readahead::Bypassed => Some("direct I/O has none".to_owned()),
    }
}

/// `device latency 612 µs (410–1 020 µs in 48 trials) for a request of 118 KiB`.
fn latency(measured: &Measured<DeviceLatency>) -> String {
    match measured {
        Measured::Value(found) => format!(
            "device latency {} for a request of {} (median of {}; {})",
            round_figure(found.median_us, Unit::Microseconds),
            format_bytes_approximate(found.request_bytes),
            count(found.trials, "trial"),
            interval((found.least_us, found.most_us), found.median_us, Unit::Microseconds),
        ),
        Measured::Unsupported { unsupported } => format!("device latency not known: {unsupported}"),
    }
}
