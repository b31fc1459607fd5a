//! The pool workload: a table filled, written back, displaced and read twice, in phases.

use super::{Access, Cache, Circumstances, Content, cache};
use model::Configuration;

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
        // The file is as it is asked for before the first pass, not before the trial: the fill comes between.
        cache: if cache(values) == Cache::Warm { Cache::Warm } else { Cache::AsIs },
        data_bytes: Some(table_bytes),
        ..Circumstances::default()
    };
    (circumstances, table_bytes)
}
