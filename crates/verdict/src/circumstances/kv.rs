//! The kv workload: an engine loaded, read, written and scanned in phases.

use super::{Access, Cached, Circumstances, Content, Paced};
use crate::observations::value;
use model::Configuration;
use model::trial::TrialRecord;

/// A load goes as fast as it can; what comes after it comes at the rate.
pub(super) const PACED: Paced = Paced {
    parameter: "rate_ops",
    rates: &[
        "hit_operations_per_s",
        "miss_operations_per_s",
        "mixed_operations_per_s",
        "scan_operations_per_s",
    ],
};

/// Of these parameters, and the bytes of all keys and values, which is what a cap in percent is one of.
pub(super) fn circumstances(values: &Configuration) -> (Circumstances, u64) {
    let threads = values.count("threads").unwrap_or(1).max(1) as f64;
    let entry_bytes = values.count("key_size").unwrap_or(0) + values.bytes("value_size").unwrap_or(0);
    let user_bytes = values.count("keys").unwrap_or(0).saturating_mul(entry_bytes);
    // In which sizes an engine reads and writes its files, no parameter tells.
    let access = values.io_mode("io").ok().map(|mode| Access { mode, block_bytes: 0 });
    let circumstances = Circumstances {
        reads: access,
        writes: access,
        writes_data: true,
        content: if values.is("values", "constant") { Content::Compressible } else { Content::Random },
        threads,
        in_flight_max: threads,
        arrivals_per_s: values.count("rate_ops").ok().map(|rate| rate as f64 * threads),
        data_bytes: Some(user_bytes),
        in_engine: true,
        ..Circumstances::default()
    };
    (circumstances, user_bytes)
}

/// Of the store's files, when the loaded keys had been read. How large they are is what they take on the disk.
pub(super) fn cached(record: &TrialRecord) -> Option<Cached> {
    let (circumstances, _) = circumstances(&record.values);
    let size_bytes = value(record, "space_amplification")? * circumstances.data_bytes? as f64;
    let bytes = value(record, "hit_page_cache_bytes")?;
    (size_bytes > 0.0).then_some(Cached { of: "of the store's files", bytes, size_bytes })
}
