//! Bencher Metric Format: JSON of benchmarks, their measures, and each measure's value with its bounds.

use super::{require_figure, tracked};
use model::run::Run;
use serde_json::{Map, Value, json};
use verdict::Verdict;

/// Renders what `bencher run --adapter json` reads. What is missing is absent: the format has no place for a reason.
///
/// # Errors
/// No configuration has a figure: the reason.
pub fn bmf(run: &Run, verdict: &Verdict) -> Result<String, String> {
    let figures = tracked(run, verdict);
    require_figure(&figures)?;
    let mut benchmarks = Map::new();
    for figure in figures {
        let Some(mean) = figure.value() else { continue };
        let mut value = json!({ "value": mean });
        if let Some((low, high)) = figure.interval() {
            value["lower_value"] = json!(low);
            value["upper_value"] = json!(high);
        }
        let measures = benchmarks.entry(figure.benchmark()).or_insert_with(|| Value::Object(Map::new()));
        measures[figure.metric.name()] = value;
    }
    Ok(format!("{:#}\n", Value::Object(benchmarks)))
}
