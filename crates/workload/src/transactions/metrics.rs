//! The transactions workload's metrics, from what its clients recorded, what the kernel counted, and what the server
//! counted.

use super::machine::Client;
use crate::distribution::{Metrics, insert_latency};
use crate::evidence::ratio;
use driver::Driven;
use model::Nanos;
use model::mechanism::{Measured, Mechanism};

const NO_TIME: &str = "no time passed";
const NO_TRANSACTION: &str = "no transaction completed";

/// What the server counted while the clients worked. Each figure may be one that this server does not count.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerCounts {
    /// Bytes of write-ahead log.
    pub wal_bytes: Measured<u64>,
    /// Syncs of the log.
    pub wal_syncs: Measured<u64>,
    /// Pages that the log holds whole.
    pub full_page_images: Measured<u64>,
    /// Segments of the log that were made, and not reused.
    pub wal_segments_created: Measured<u64>,
    /// Checkpoints that were completed.
    pub checkpoints: Measured<u64>,
    /// Blocks of tables and indexes that were read into the server's buffers.
    pub blocks_read: Measured<u64>,
}

/// What a trial measured.
#[derive(Debug)]
pub struct TransactionMeasurement<'a> {
    /// What its clients recorded.
    pub team: &'a Driven<Vec<Client>>,
    /// The kernel's counters over the same time.
    pub mechanism: &'a Mechanism,
    pub server: &'a ServerCounts,
    /// If each turn ends when its server has nothing left to do, the time that this took: the rate is over whole turns
    /// and that time.
    pub after_turns: Option<Nanos>,
    /// Cost of one transaction without a server, in nanoseconds.
    pub instrument_overhead_ns: Measured<f64>,
}

/// Every metric of the schema, by full name.
pub fn metrics(outcome: &TransactionMeasurement<'_>) -> Metrics {
    let TransactionMeasurement { team, mechanism, server, after_turns, instrument_overhead_ns } = outcome;
    let per_s = match after_turns {
        None => ratio(team.in_windows, team.elapsed().seconds(), NO_TIME),
        Some(after) => ratio(team.performed as f64, (team.counted() + *after).seconds(), NO_TIME),
    };
    let mut metrics = Metrics::new();
    if let Some(histogram) = team.recorder.histogram("transaction_latency") {
        insert_latency(&mut metrics, "transaction_latency", histogram);
    }
    // Counters cover all that was performed, also outside the windows of turns.
    let each = |count: &Measured<u64>| match count {
        Measured::Value(count) => ratio(*count as f64, team.performed as f64, NO_TRANSACTION),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    };
    let in_all = |count: &Measured<u64>| count.map(|count| *count as f64);
    let flushes = match &mechanism.device {
        Measured::Value(device) => device.flushes.clone(),
        Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
    };
    let plain = [
        ("transactions_per_s", per_s),
        ("wal_bytes_per_transaction", each(&server.wal_bytes)),
        ("wal_syncs_per_transaction", each(&server.wal_syncs)),
        ("full_page_images_per_transaction", each(&server.full_page_images)),
        ("blocks_read_per_transaction", each(&server.blocks_read)),
        ("wal_segments_created", in_all(&server.wal_segments_created)),
        ("checkpoints", in_all(&server.checkpoints)),
        ("device_flushes_per_transaction", each(&flushes)),
        ("device_written_bytes_per_transaction", each(&mechanism.device.map(|device| device.written_bytes))),
        ("device_read_bytes_per_transaction", each(&mechanism.device.map(|device| device.read_bytes))),
        ("instrument_overhead_ns", instrument_overhead_ns.clone()),
    ];
    metrics.extend(plain.into_iter().map(|(name, figure)| (name.to_owned(), figure)));
    metrics
}
