//! Checks that a published number can be believed, one file each. To add one: its file and its line in [`CHECKS`].

mod bandwidth;
mod buffered_writes_without_fsync;
mod caches_dropped_once;
mod depth_ignored;
mod derived_rate;
mod duplicated_latency;
mod impossible_order;
mod interval_excludes_median;
mod latency_comb;
mod littles_law;
mod memory_as_device;
mod modes_flipped_together;
mod n_hidden;
mod not_direct;
mod quantised_intervals;
mod ratio_never_bound;
mod readings;
mod same_knobs;
mod sync_too_fast;
mod sync_without_flush;
mod timers_differ;
mod too_few_repeats;
mod too_short;
mod unlike_durability;
mod working_set;

pub(crate) use readings::{Concern, Reading, Readings};

use crate::table::{Kind, Table};
use verdict::{Audit, Reach, Status};

/// What a check finds; its name is in the list.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) audit: Audit,
    pub(crate) looks: Looks,
    pub(crate) readings: Vec<Reading>,
}

/// What a check has to say, by outcome.
struct Words {
    /// Where nothing was found.
    pass: String,
    /// Where something was.
    off: String,
    /// What to do then.
    advice: &'static str,
    /// Where no row has what it takes.
    missing: &'static str,
}

/// What a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Whether figures can be what they are said to be: one that passes was checked.
    AtFigures,
    /// How much is told of them: a figure that passes may still be wrong.
    AtTelling,
}

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

impl Judgement {
    fn new(status: Status, summary: impl Into<String>, advice: &str) -> Self {
        let silent = matches!(status, Status::Pass | Status::NotAssessable | Status::NotApplicable);
        let audit = Audit {
            name: String::new(),
            status,
            summary: summary.into(),
            evidence: Vec::new(),
            advice: if silent { String::new() } else { advice.to_owned() },
            about: if silent { Vec::new() } else { vec![Reach::Study] },
            unassessed: Vec::new(),
        };
        Self { audit, looks: Looks::AtFigures, readings: Vec::new() }
    }

    fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.audit.evidence.extend(evidence);
        self
    }

    /// A judgement from rows that were read one by one.
    fn of(readings: Readings, words: Words) -> Self {
        let status = readings.status();
        let summary = match status {
            Status::Pass => words.pass,
            Status::NotAssessable | Status::NotApplicable => words.missing.to_owned(),
            Status::Warn | Status::Fail => words.off,
        };
        let evidence = readings.evidence();
        Self { readings: readings.into_list(), ..Self::new(status, summary, words.advice).with(evidence) }
    }
}

/// A number with its noun: `1 row`, `3 rows`.
fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// No device answers earlier, ns: a trip over PCIe and an interrupt or a poll. The fastest (Optane) needs about 5 µs for
/// 4 KiB, and even `null_blk` more than two microseconds through `io_uring` or `pread`.
const DEVICE_MIN_NS: f64 = 2000.0;

/// Everything that a latency clock and a counter of operations give.
const MEASURED: &[Kind] = &[
    Kind::Rate,
    Kind::Bandwidth,
    Kind::LatencyMean,
    Kind::LatencySd,
    Kind::LatencyExtreme,
    Kind::LatencyPercentile,
];
/// Every latency figure.
const LATENCY: &[Kind] = &[Kind::LatencyMean, Kind::LatencySd, Kind::LatencyExtreme, Kind::LatencyPercentile];

/// The same with those of syncs and commits.
const ANY_LATENCY: &[Kind] = &[
    Kind::LatencyMean,
    Kind::LatencySd,
    Kind::LatencyExtreme,
    Kind::LatencyPercentile,
    Kind::Sync,
    Kind::Commit,
];

#[cfg(test)]
mod tests;
