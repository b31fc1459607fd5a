//! The requests workload's metrics, from what its clients recorded and what the kernel counted.

use super::machine::Client;
use crate::distribution::{Metrics, insert_latency};
use crate::evidence::ratio;
use driver::Driven;
use model::mechanism::{Measured, Mechanism};

const NO_TIME: &str = "no time passed";
const NO_REQUEST: &str = "no request was answered";

/// What a trial measured.
#[derive(Debug)]
pub struct RequestMeasurement<'a> {
    /// What its clients recorded.
    pub team: &'a Driven<Vec<Client>>,
    /// The kernel's counters over the same time.
    pub mechanism: &'a Mechanism,
    /// Cost of one request without a server, in nanoseconds.
    pub instrument_overhead_ns: Measured<f64>,
}

/// Every metric of the schema, by full name.
pub fn metrics(outcome: &RequestMeasurement<'_>) -> Metrics {
    let RequestMeasurement { team, mechanism, instrument_overhead_ns } = outcome;
    let mut metrics = Metrics::new();
    if let Some(histogram) = team.recorder.histogram("request_latency") {
        insert_latency(&mut metrics, "request_latency", histogram);
    }
    // Counters cover all that was performed, also outside the windows of turns.
    let each = |count: &Measured<u64>| match count {
        Measured::Value(count) => ratio(*count as f64, team.performed as f64, NO_REQUEST),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    };
    let flushes = match &mechanism.device {
        Measured::Value(device) => device.flushes.clone(),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    };
    let plain = [
        ("requests_per_s", ratio(team.in_windows, team.elapsed().seconds(), NO_TIME)),
        ("device_flushes_per_request", each(&flushes)),
        ("device_written_bytes_per_request", each(&mechanism.device.map(|device| device.written_bytes))),
        ("device_read_bytes_per_request", each(&mechanism.device.map(|device| device.read_bytes))),
        ("instrument_overhead_ns", instrument_overhead_ns.clone()),
    ];
    metrics.extend(plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)));
    metrics
}
