//! The transactions workload's line in the list of workloads, and the combinations of levels that make no sense.

use super::definitions::DEFINITIONS;
use super::describe::describe;
use super::levels::Checkpoints;
use super::parameters::Parameters;
use super::size::scale_of_cold_scripts_min;
use model::{Configuration, Nanos, Schema};

/// The transactions workload's line in the list of workloads.
pub const SCHEMA: Schema = Schema {
    definitions: DEFINITIONS,
    summary: "clients of a PostgreSQL server of Syncline's own, as pgbench has them",
    metrics: &[
        "transactions_per_s",
        "transaction_latency",
        "wal_bytes_per_transaction",
        "wal_syncs_per_transaction",
        "full_page_images_per_transaction",
        "blocks_read_per_transaction",
        "wal_segments_created",
        "checkpoints",
        "device_flushes_per_transaction",
        "device_written_bytes_per_transaction",
        "device_read_bytes_per_transaction",
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
    if p.rate == Some(0) {
        return Err("rate = 0 issues no transaction: set a rate, or none for a closed loop".to_owned());
    }
    let script = p.script.name();
    let scale_min = scale_of_cold_scripts_min();
    if p.script.is_cold() && p.scale < scale_min {
        return Err(format!(
            "scale = {} is too small for script = {script}, whose data is to come from the device: set scale to at \
             least {scale_min}",
            p.scale
        ));
    }
    if p.checkpoints == Checkpoints::Cycle && !p.script.writes() {
        return Err(format!(
            "script = {script} writes nothing that a checkpoint would write: set checkpoints = none"
        ));
    }
    p.require_effect(configuration)
}
