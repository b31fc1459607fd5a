//! What the findings of a study hold for: the readahead and the latency of the device.

use model::description::Readahead;
use model::figure::{count, interval, round_figure};
use model::mechanism::Measured;
use model::metric::Unit;
use model::units::format_bytes_approximate;
use verdict::{DeviceLatency, DeviceReadahead, StudyVerdict};

/// The heading of the conditions.
pub(crate) const CONDITIONS: &str = "Conditions of every finding";

/// The conditions of all findings of a study, a clause each; none if they do not depend on the readahead of a device.
pub(crate) fn conditions(study: &StudyVerdict) -> Vec<String> {
    let Some(conditions) = &study.conditions else { return Vec::new() };
    let mut clauses: Vec<String> = conditions.devices.iter().map(device).collect();
    if clauses.is_empty() {
        clauses.push("read_ahead_kb not known (no trial succeeded)".to_owned());
    }
    let one = match &conditions.devices[..] {
        [only] => only.read_ahead_kib.value().copied(),
        _ => None,
    };
    clauses.extend(conditions.hints.iter().filter_map(|readahead| effect(*readahead, one)));
    clauses.push(latency(&conditions.device_latency));
    clauses
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
