//! What the kernel counted in the two arms of a finding: sentences that say where a difference can and cannot come from.
//! Where other programs used the device beside an arm, its counters explain nothing and are withheld.

use crate::estimate;
use crate::phrase;
use crate::verdict::Cell;
use model::metric::{self, Family, Source};

/// Counters worth comparing, in the order they are told: what the device did, then what the CPU did.
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
];
/// Counters this close are the same: flushes are whole events, and a trial ends in the middle of one.
const SAME_WITHIN: f64 = 0.05;

/// One arm: what it is called and its configurations.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// Its name in sentences: `direct`.
    pub(crate) name: String,
    /// Indices of its configurations.
    pub(crate) configurations: Vec<usize>,
}

/// Whoever used the device is in its counters.
fn is_of_device(counter: &str) -> bool {
    metric::FAMILIES.iter().any(|family| family.name == counter && family.source == Source::Device)
}

/// Sentences that compare the counters of two arms, each averaged over its configurations; `foreign` says by
/// configuration what others moved on the device beside it.
pub(crate) fn sentences(
    cells: &[Cell],
    foreign: &[Option<String>],
    baseline: &Arm,
    level: &Arm,
) -> Vec<String> {
    let disturbed = [level, baseline].into_iter().find_map(|arm| {
        let words = arm.configurations.iter().find_map(|index| foreign.get(*index)?.as_deref())?;
        Some(format!(
            "What the device did explains nothing here and is withheld: beside {}, other programs {words} (audit \
             foreign-io).",
            arm.name
        ))
    });
    let sentence = |name: &&str| {
        let family = metric::FAMILIES.iter().find(|family| family.name == *name)?;
        Some(compare(family, (baseline, mean(cells, baseline, name)?), (level, mean(cells, level, name)?)))
    };
    let is_told = |name: &&&str| disturbed.is_none() || !is_of_device(name);
    let told: Vec<String> = COUNTERS.iter().filter(is_told).filter_map(sentence).collect();
    disturbed.into_iter().chain(told).collect()
}

fn mean(cells: &[Cell], arm: &Arm, metric: &str) -> Option<f64> {
    let of_cell = |index: &usize| cells.get(*index)?.figures.get(metric)?.mean.point;
    let means: Vec<f64> = arm.configurations.iter().filter_map(of_cell).collect();
    estimate::mean(&means).point
}

fn compare(family: &Family, (baseline, theirs): (&Arm, f64), (level, ours): (&Arm, f64)) -> String {
    let figure = |value| phrase::figure(family.name, value);
    let (theirs_text, ours_text) = (figure(theirs), figure(ours));
    let largest = theirs.abs().max(ours.abs());
    if (ours - theirs).abs() <= SAME_WITHIN * largest {
        return format!(
            "{} the same: {ours_text} with {}, {theirs_text} with {}.",
            capitalised(family.title),
            level.name,
            baseline.name
        );
    }
    let ratio = if theirs > 0.0 && ours > 0.0 {
        format!(" ({})", phrase::ratio(ours / theirs))
    } else {
        String::new()
    };
    format!(
        "{}: {ours_text} with {}, {theirs_text} with {}{ratio}.",
        capitalised(family.title),
        level.name,
        baseline.name
    )
}

fn capitalised(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
