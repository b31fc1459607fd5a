//! The laws over claims, one file each. To add one: its file and its line in [`LAWS`].

pub mod bandwidth;
pub mod buffered_writes_without_fsync;
pub mod caches_dropped_once;
pub mod depth_ignored;
pub mod depth_label;
pub mod derived_latency;
pub mod derived_rate;
pub mod duplicated_latency;
pub mod impossible_order;
pub mod interval_excludes_median;
pub mod latency_comb;
pub mod littles_law;
pub mod memory_as_device;
pub mod modes_flipped_together;
pub mod n_hidden;
pub mod not_direct;
pub mod quantised_intervals;
pub mod rank_order;
pub mod ratio_column;
pub mod ratio_never_bound;
pub mod reciprocal_latency;
pub mod same_knobs;
pub mod spread_exceeds_mean;
pub mod sync_methods_differ;
pub mod sync_too_fast;
pub mod sync_without_flush;
pub mod timers_differ;
pub mod too_few_repeats;
pub mod too_short;
pub mod unit_slip;
pub mod unlike_durability;
pub mod working_set;

use crate::law::Law;

/// Every law over claims.
pub const LAWS: &[&Law] = &[
    &littles_law::LAW,
    &depth_label::LAW,
    &quantised_intervals::LAW,
    &duplicated_latency::LAW,
    &impossible_order::LAW,
    &bandwidth::LAW,
    &derived_rate::LAW,
    &interval_excludes_median::LAW,
    &not_direct::LAW,
    &memory_as_device::LAW,
    &sync_too_fast::LAW,
    &sync_methods_differ::LAW,
    &sync_without_flush::LAW,
    &buffered_writes_without_fsync::LAW,
    &working_set::LAW,
    &caches_dropped_once::LAW,
    &same_knobs::LAW,
    &unlike_durability::LAW,
    &timers_differ::LAW,
    &modes_flipped_together::LAW,
    &ratio_never_bound::LAW,
    &depth_ignored::LAW,
    &latency_comb::LAW,
    &reciprocal_latency::LAW,
    &derived_latency::LAW,
    &unit_slip::LAW,
    &ratio_column::LAW,
    &rank_order::LAW,
    &spread_exceeds_mean::LAW,
    &too_short::LAW,
    &too_few_repeats::LAW,
    &n_hidden::LAW,
];
