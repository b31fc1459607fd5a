//! A figure as an answer: one plain sentence.

use crate::quantity;
use verdict::KNEE_TOLERANCE;
use verdict::finding::Outcome;
use verdict::{Cell, StudyVerdict};

/// What was measured at a configuration, in words; `label` is what sets it apart from the others. That commits were durable
/// is said where the audits about that promise passed.
pub(super) fn of_figure(cell: &Cell, metric: &str, label: &str, is_durable: bool) -> String {
    let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
    if metric != "commits_per_s" {
        return format!("Mean {}{at}.", quantity::named(metric).title);
    }
    let promise = match cell.durability.as_str() {
        "power" if is_durable => ", each made durable before the next",
        "power" => ", each synced before the next; that it was durable is not proven",
        _ => "",
    };
    format!("Commits one after another{promise}{at}.{}", latency(cell, "commit_latency", ""))
}

/// What was measured at the configuration where it is highest; of reads, whether fewer in flight are enough.
pub(super) fn of_best(study: &StudyVerdict, cell: &Cell, metric: &str, label: &str) -> String {
    let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
    if metric != "iops" {
        return format!("Mean {}, highest{at}.", quantity::named(metric).title);
    }
    let takes = latency(cell, "completion_latency", &at);
    let mut of_metric = study.findings.iter().filter(|finding| finding.metric == metric);
    let told = of_metric.find_map(|finding| match &finding.outcome {
        Outcome::Enough { level, .. } => {
            Some(format!("{} in flight give all this disk has, to within {}.", level.level, near()))
        }
        Outcome::OnlyBest { best, is_smallest: true } => {
            Some(format!("{} in flight, the fewest measured, give most.", best.level))
        }
        Outcome::OnlyBest { best, is_smallest: false } => Some(format!(
            "{} in flight give most, and no fewer are proven to come within {} of it.",
            best.level,
            near()
        )),
        Outcome::EnoughUndecided { best } => {
            Some(format!("{} in flight give most; whether fewer are enough is not decided.", best.level))
        }
        _ => None,
    });
    told.map_or_else(|| format!("The most reads are served{at}.{takes}"), |told| format!("{told}{takes}"))
}

/// `5 %`, what counts as near the best.
fn near() -> String {
    quantity::exact_percent(KNEE_TOLERANCE)
}

/// Percentiles of a latency: each is a mean over trials, so none is what half of all operations stayed below.
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
