//! github-action-benchmark's custom format: a JSON array for metrics of one direction.

use super::{Tracked, require_figure, tracked};
use model::metric::Better;
use model::run::Run;
use serde_json::{Value, json};
use verdict::Verdict;

/// Renders the figures of which this direction is better: `customSmallerIsBetter` and `customBiggerIsBetter` are files
/// of their own. Metrics of neither direction, and what is missing, are absent: the format has no place for a reason.
///
/// # Errors
/// No configuration has a figure of that direction: the reason.
pub fn github_action_benchmark(run: &Run, verdict: &Verdict, better: Better) -> Result<String, String> {
    let of_direction = |figure: &Tracked<'_>| figure.metric.family.better == better;
    let figures: Vec<Tracked<'_>> = tracked(run, verdict).into_iter().filter(of_direction).collect();
    require_figure(&figures)?;
    let entries = figures.iter().filter_map(|figure| {
        let mut entry = json!({
            "name": format!("{}: {}", figure.benchmark(), figure.metric.title()),
            "unit": figure.metric.family.unit.symbol(),
            "value": figure.value()?,
            "extra": format!("mean of {} trials", figure.cell.n),
        });
        if let Some((low, high)) = figure.interval() {
            entry["range"] = Value::String(format!("{low} – {high}"));
        }
        Some(entry)
    });
    Ok(format!("{:#}\n", Value::Array(entries.collect())))
}
