//! A figure as an answer: one plain sentence.

use crate::quantity;
use model::durability::DurabilityClass;
use verdict::KNEE_TOLERANCE;
use verdict::finding::Outcome;
use verdict::{Cell, StudyVerdict};

/// The measurement at a configuration, in words; `label` distinguishes it from the others. It calls commits durable
/// only if the audits of durability passed.
pub(super) fn of_figure(cell: &Cell, metric: &str, label: &str, is_durable: bool) -> String {
    let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
    if metric != "commits_per_s" {
        return format!("Mean {}{at}.", quantity::named(metric).title);
    }
    let promise = match (cell.durability.is(DurabilityClass::Power), is_durable) {
        (true, true) => ", each made durable before the next",
        (true, false) => ", each synced before the next; their durability is not proven",
        (false, _) => "",
    };
    format!("Commits one after another{promise}{at}.{}", latency(cell, "commit_latency", ""))
}

/// The measurement at the configuration with the highest figure; for reads, also whether fewer in flight are enough.
pub(super) fn of_best(study: &StudyVerdict, cell: &Cell, metric: &str, label: &str) -> String {
    let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
    if metric != "iops" {
        return format!("Mean {}, highest{at}.", quantity::named(metric).title);
    }
    let takes = latency(cell, "completion_latency", &at);
    let mut of_metric = study.findings.iter().filter(|finding| finding.metric == metric);
    let told = of_metric.find_map(|finding| match &finding.outcome {
        Outcome::Enough { level, .. } => {
            Some(format!("{} in flight reach this disk's maximum, to within {}.", level.level, near()))
        }
        Outcome::OnlyBest { best, is_smallest: true } => {
            Some(format!("{} in flight, the smallest number measured, are the fastest.", best.level))
        }
        Outcome::OnlyBest { best, is_smallest: false } => Some(format!(
            "{} in flight are the fastest, and no smaller number is proven to come within {} of it.",
            best.level,
            near()
        )),
        Outcome::EnoughUndecided { best } => Some(format!(
            "{} in flight are the fastest; it is undecided whether fewer are enough.",
            best.level
        )),
        _ => None,
    });
    told.map_or_else(|| format!("Reads are fastest{at}.{takes}"), |told| format!("{told}{takes}"))
}

/// `5 %`, the tolerance for "near the best".
fn near() -> String {
    quantity::exact_percent(KNEE_TOLERANCE)
}

/// Percentiles of a latency: each is a mean over trials, so it is not a percentile of all operations.
fn latency(cell: &Cell, family: &str, at: &str) -> String {
    let percentile = |percentile: &str| {
        let name = format!("{family}_{percentile}_us");
        let mean = &cell.figures.get(&name)?.mean;
        mean.point?;
        Some(format!("{percentile} {}", quantity::with_interval(mean, quantity::named(&name).unit)))
    };
    let told: Vec<String> = ["p50", "p99"].into_iter().filter_map(percentile).collect();
    if told.is_empty() {
        return String::new();
    }
    format!(" Latency{at}, means over trials: {}.", told.join("; "))
}
