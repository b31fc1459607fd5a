//! The pool workload: a table filled, written back, displaced and read twice, in phases.

use super::{Access, Circumstances, Content, PassReading, cache_of_all};
use crate::observations::value;
use model::Configuration;
use model::trial::TrialRecord;

/// Of these parameters, and the bytes of all files.
pub(super) fn circumstances(values: &Configuration) -> (Circumstances, u64) {
    let page_bytes = values.bytes("page_size").unwrap_or(0);
    let table_bytes = values.count("blocks").unwrap_or(0).saturating_mul(page_bytes);
    let access = values.io_mode("mode").ok().map(|mode| Access { mode, block_bytes: page_bytes });
    let ahead = values.count("read_ahead").unwrap_or(0) as f64;
    let circumstances = Circumstances {
        reads: access,
        writes: access,
        writes_data: true,
        content: Content::Random,
        in_flight_max: ahead + 1.0,
        cache: cache_of_all(values),
        data_bytes: Some(table_bytes),
        ..Circumstances::default()
    };
    (circumstances, table_bytes)
}

/// The first pass. The table is as it is asked for when that begins, not before the trial: the fill comes between.
pub(super) fn passes(record: &TrialRecord) -> Vec<PassReading> {
    let first = PassReading {
        asked: cache_of_all(&record.values),
        hit_share: None,
        cached_share_before: value(record, "pass_cached_share_before"),
    };
    vec![first]
}
