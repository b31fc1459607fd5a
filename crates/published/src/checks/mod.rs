//! Checks that a published number can be believed, one file each. To add one: its file and its line in [`CHECKS`].

mod bandwidth;
mod buffered_writes_without_fsync;
mod caches_dropped_once;
mod depth_ignored;
mod depth_label;
mod derived_latency;
mod derived_rate;
mod duplicated_latency;
mod impossible_order;
mod in_flight;
mod interval_excludes_median;
mod judgement;
mod latency_comb;
mod littles_law;
mod memory_as_device;
mod modes_flipped_together;
mod n_hidden;
mod not_direct;
mod quantised_intervals;
mod rank_order;
mod ratio_column;
mod ratio_never_bound;
mod readings;
mod reciprocal_latency;
mod same_knobs;
mod spread_exceeds_mean;
mod sync_methods_differ;
mod sync_too_fast;
mod sync_without_flush;
mod timers_differ;
mod too_few_repeats;
mod too_short;
mod unit_slip;
mod unlike_durability;
mod working_set;

pub(crate) use judgement::{Judgement, Looks};
pub(crate) use readings::Reading;

use crate::table::Table;

/// One check: its name, the roles it needs, and what it does.
struct Check {
    name: &'static str,
    looks: Looks,
    needs: &'static str,
    run: fn(&Table) -> Judgement,
}

const fn figures(name: &'static str, needs: &'static str, run: fn(&Table) -> Judgement) -> Check {
    Check { name, looks: Looks::AtFigures, needs, run }
}

const fn telling(name: &'static str, needs: &'static str, run: fn(&Table) -> Judgement) -> Check {
    Check { name, looks: Looks::AtTelling, needs, run }
}

const CHECKS: &[Check] = &[
    figures("littles-law", "iops, latency_mean_us, in_flight (or iodepth and numjobs)", littles_law::check),
    figures("depth-label", "iops, latency_mean_us, iodepth (or numjobs)", depth_label::check),
    figures("quantised-intervals", "half_width_of_COLUMN or sd_of_COLUMN", quantised_intervals::check),
    figures(
        "duplicated-latency",
        "iops, latency_mean_us, latency_sd_us, latency_max_us",
        duplicated_latency::check,
    ),
    figures(
        "impossible-order",
        "latency_min_us, latency_p50_us, latency_mean_us, latency_max_us",
        impossible_order::check,
    ),
    figures("bandwidth", "iops, bandwidth_mib_per_s, block_bytes", bandwidth::check),
    figures("derived-rate", "iops, bandwidth_mib_per_s, block_bytes", derived_rate::check),
    figures(
        "interval-excludes-median",
        "half_width_of_COLUMN, median_of_COLUMN",
        interval_excludes_median::check,
    ),
    figures("not-direct", "mode (or direct), latency_min_us", not_direct::check),
    figures("memory-as-device", "said_of, latency_mean_us", memory_as_device::check),
    figures("sync-too-fast", "sync_latency_p50_us (or sync, iops, in_flight)", sync_too_fast::check),
    figures("sync-methods-differ", "label, sync, iops", sync_methods_differ::check),
    figures("sync-without-flush", "system, sync", sync_without_flush::check),
    figures(
        "buffered-writes-without-fsync",
        "rw, mode, synced (or sync)",
        buffered_writes_without_fsync::check,
    ),
    figures("working-set", "rw, mode, file_bytes, memory_bytes", working_set::check),
    figures("caches-dropped-once", "rw, passes, cache_drops", caches_dropped_once::check),
    figures("same-knobs", "rw, mode, iodepth, numjobs, knob", same_knobs::check),
    figures("unlike-durability", "rw, durability (or sync)", unlike_durability::check),
    figures("timers-differ", "mode, sync_latency_p50_us, commit_latency_p50_us", timers_differ::check),
    figures("modes-flipped-together", "mode, log_mode, iops, commits_per_s", modes_flipped_together::check),
    figures("ratio-never-bound", "reads_per_commit, iops, commits_per_s", ratio_never_bound::check),
    figures("depth-ignored", "ioengine, iodepth", depth_ignored::check),
    figures("latency-comb", "a histogram, as fio's json+ has one", latency_comb::check),
    telling("reciprocal-latency", "iops, latency_mean_us, in_flight (or numjobs)", reciprocal_latency::check),
    telling("derived-latency", "iops, latency_mean_us, in_flight", derived_latency::check),
    telling("unit-slip", "iops, latency_mean_us", unit_slip::check),
    telling("ratio-column", "figure, iops", ratio_column::check),
    telling("rank-order", "rank, iops", rank_order::check),
    telling("spread-exceeds-mean", "half_width_of_COLUMN or sd_of_COLUMN", spread_exceeds_mean::check),
    telling("too-short", "runtime_s, operations", too_short::check),
    telling("too-few-repeats", "n", too_few_repeats::check),
    telling("n-hidden", "n, half_width_of_COLUMN", n_hidden::check),
];

/// Every check with the roles it needs, for help.
pub fn check_help() -> Vec<(&'static str, &'static str)> {
    CHECKS.iter().map(|check| (check.name, check.needs)).collect()
}

/// Every check of a table, in the list's order.
pub(crate) fn all(table: &Table) -> Vec<Judgement> {
    let run = |check: &Check| {
        let mut judgement = (check.run)(table);
        check.name.clone_into(&mut judgement.audit.name);
        Judgement { looks: check.looks, ..judgement }
    };
    CHECKS.iter().map(run).collect()
}

#[cfg(test)]
mod tests;
