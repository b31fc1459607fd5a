//! github-action-benchmark's custom format: a JSON array for metrics of one direction.

use super::tracked;
use model::metric::Better;
use serde_json::{Value, json};
use verdict::Verdict;

/// Renders the figures of which this direction is better: `customSmallerIsBetter` and `customBiggerIsBetter` are files of their own.
/// Metrics of neither direction, and configurations without a figure, are absent.
pub fn github_action_benchmark(verdict: &Verdict, better: Better) -> String {
    let of_direction = tracked(verdict).into_iter().filter(|figure| figure.metric.family.better == better);
    let entries = of_direction.filter_map(|figure| {
        let mut entry = json!({
            "name": format!("{}: {}", figure.benchmark(), figure.metric.title()),
            "unit": figure.metric.family.unit.symbol(),
            "value": figure.mean()?,
            "extra": format!("mean of {} trials", figure.cell.n),
        });
        if let Some((low, high)) = figure.interval() {
            entry["range"] = Value::String(format!("{low} – {high}"));
        }
        Some(entry)
    });
    format!("{:#}\n", Value::Array(entries.collect()))
}
