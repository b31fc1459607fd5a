//! The requests workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::levels::LogCycles;
use super::parameters::Parameters;
use model::{Configuration, Nanos, RequestKind, Schema};

/// The requests workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "clients of a MariaDB, MySQL or etcd server of Syncline's own, one row a request",
    metrics: &[
        "requests_per_s",
        "request_latency",
        "device_flushes_per_request",
        "device_written_bytes_per_request",
        "device_read_bytes_per_request",
        "instrument_overhead_ns",
    ],
    check,
    describe,
};

fn check(configuration: &Configuration) -> Result<(), String> {
    let p = Parameters::read(configuration).map_err(|error| error.to_string())?;
    if p.runtime == Nanos::ZERO {
        return Err("runtime = 0s measures nothing: set a length".to_owned());
    }
    if !p.server.has(p.request) {
        return Err(format!("server = {} has no request = {}", p.server, p.request));
    }
    if p.binary_log && !p.server.has_binary_log() {
        return Err(format!("server = {} has no binary log: set binary_log = false", p.server));
    }
    if p.log_cycles == LogCycles::Whole && (p.request != RequestKind::Update || p.log_setting().is_none()) {
        return Err("log_cycles = whole is for request = update of MariaDB and MySQL".to_owned());
    }
    p.require_settings()?;
    p.require_effect(configuration)
}
