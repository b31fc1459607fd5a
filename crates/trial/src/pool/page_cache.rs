//! The kernel's cache of a table's files, before the first pass.

use crate::refusal::Refusal;
use disk::page_cache;
use model::Cache;
use model::IoMode;
use model::mechanism::Measured;
use std::path::Path;
use workload::pool::Parameters;

/// Leaves the configured share of a file in the kernel's cache. Returns the share that is there.
pub(super) fn settle(path: &Path, parameters: &Parameters) -> Result<Measured<f64>, Refusal> {
    let percent = match parameters.cache {
        Cache::Warm if parameters.mode != IoMode::Direct => parameters.cached_percentage,
        Cache::Cold | Cache::Warm | Cache::AsIs => 0,
    };
    let settled = match percent {
        100.. => page_cache::warm(path),
        0 => page_cache::evict(path),
        _ => page_cache::evict(path)
            .and_then(|_| page_cache::warm_scattered(path, percent, u64::from(parameters.page_size))),
    };
    settled.map_err(Refusal::failed)
}
