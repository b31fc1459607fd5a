//! Every audit.

use super::check::Check;
use super::{
    aliasing, buffer_pages, burst_credits, cache_or_disk, carry_over, cold_cache, comparable_metric,
    complete_records, compressible_data, drift, durability_class, factor_took_effect, failed_trials,
    foreign_io, interruption, io_limit, laws_of_trials, layout, littles_law, overhead, same_knobs, shape,
    small_n, steady_state, steal_and_pressure, storage, sync_too_fast, volatile_cache, working_set,
};

pub(super) const AUDITS: &[Check] = &[
    storage::CHECK,
    littles_law::CHECK,
    laws_of_trials::IMPOSSIBLE_ORDER,
    laws_of_trials::NOT_DIRECT,
    factor_took_effect::CHECK,
    comparable_metric::CHECK,
    cold_cache::CHECK,
    cache_or_disk::CHECK,
    interruption::CHECK,
    carry_over::CHECK,
    foreign_io::CHECK,
    working_set::CHECK,
    compressible_data::CHECK,
    layout::CHECK,
    volatile_cache::CHECK,
    sync_too_fast::CHECK,
    durability_class::CHECK,
    same_knobs::CHECK,
    small_n::CHECK,
    failed_trials::CHECK,
    complete_records::CHECK,
    drift::CHECK,
    burst_credits::CHECK,
    io_limit::CHECK,
    shape::CHECK,
    laws_of_trials::SPREAD_EXCEEDS_MEAN,
    laws_of_trials::INTERVAL_EXCLUDES_MEDIAN,
    steal_and_pressure::CHECK,
    aliasing::CHECK,
    overhead::CHECK,
    buffer_pages::CHECK,
    steady_state::CHECK,
];
