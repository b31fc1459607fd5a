//! The kernel's counters on both sides of a finding, which show where a difference can and cannot come from. If other
//! programs used the device beside an arm, its counters explain nothing and are withheld.

use crate::estimate;
use crate::finding::Counter;
use crate::verdict::Cell;
use model::Value;
use model::metric::{self, Source};

/// Counters that are compared, in their order: what the device did, then what the CPU did.
const COUNTERS: &[&str] = &[
    "device_flushes_per_commit",
    "device_writes_per_commit",
    "device_written_bytes_per_commit",
    "device_read_bytes_per_read",
    "page_cache_hit_share",
    "device_written_bytes_per_written_byte",
    "device_flushes_per_entry",
    "device_bytes_per_user_byte",
    "write_amplification",
    "hit_page_cache_bytes",
    "device_queue_depth_mean",
    "system_calls_per_operation",
    "major_faults_per_operation",
    "cpu_seconds_per_million_operations",
    "load_cpu_seconds_per_million_operations",
    "hit_cpu_seconds_per_million_operations",
];
/// Counters this close are the same: flushes are whole events, and a trial can end during one.
const SAME_WITHIN: f64 = 0.05;

/// One arm: its level and its configurations.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// The level of the factor that distinguishes it.
    pub(crate) level: Value,
    /// Indices of its configurations.
    pub(crate) configurations: Vec<usize>,
}

/// Whether the counter includes every program that used the device.
fn is_of_device(counter: &str) -> bool {
    metric::FAMILIES.iter().any(|family| family.name == counter && family.source == Source::Device)
}

/// Whether a counter is of the phase that a metric is about.
fn explains(counter: &str, metric: &str) -> bool {
    let phase = |name: &str| metric::find(name).and_then(|metric| metric.family.phase);
    phase(counter) == phase(metric)
}

/// The counters of two arms that explain a metric, each averaged over its configurations: those of its phase. `foreign`
/// lists by configuration what others moved on the device beside it.
pub(crate) fn counters(
    metric: &str,
    cells: &[Cell],
    foreign: &[Option<String>],
    baseline: &Arm,
    level: &Arm,
) -> Vec<Counter> {
    let disturbed = [level, baseline].into_iter().find_map(|arm| {
        let moved = arm.configurations.iter().find_map(|index| foreign.get(*index)?.clone())?;
        Some(Counter::Disturbed { level: arm.level.clone(), moved })
    });
    let compared = |name: &&str| {
        let (level, baseline) = (mean(cells, level, name)?, mean(cells, baseline, name)?);
        let is_same = (level - baseline).abs() <= SAME_WITHIN * level.abs().max(baseline.abs());
        Some(Counter::Compared { metric: (*name).to_owned(), level, baseline, is_same })
    };
    let is_told = |name: &&&str| explains(name, metric) && (disturbed.is_none() || !is_of_device(name));
    let compared: Vec<Counter> = COUNTERS.iter().filter(is_told).filter_map(compared).collect();
    disturbed.into_iter().chain(compared).collect()
}

/// The mean of a metric over the configurations of an arm.
pub(crate) fn mean(cells: &[Cell], arm: &Arm, metric: &str) -> Option<f64> {
    let of_cell = |index: &usize| cells.get(*index)?.figures.get(metric)?.mean.point;
    let means: Vec<f64> = arm.configurations.iter().filter_map(of_cell).collect();
    estimate::mean(&means).point
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads were explained by the CPU time of all phases, most of which were gets.
    #[test]
    fn a_counter_explains_figures_of_its_own_phase() {
        assert!(COUNTERS.iter().all(|counter| metric::find(counter).is_some()));
        for (counter, metric, is_of_it) in [
            ("cpu_seconds_per_million_operations", "commits_per_s", true),
            ("cpu_seconds_per_million_operations", "load_and_drain_operations_per_s", false),
            ("load_cpu_seconds_per_million_operations", "load_and_drain_operations_per_s", true),
            ("write_amplification", "load_latency_p99_us", true),
            ("write_amplification", "scan_operations_per_s", false),
            ("hit_page_cache_bytes", "hit_latency_p50_us", true),
            ("hit_cpu_seconds_per_million_operations", "miss_operations_per_s", false),
        ] {
            assert_eq!(explains(counter, metric), is_of_it, "{counter} explains {metric}");
        }
    }
}
