//! Bencher Metric Format: JSON of benchmarks, their measures, and each measure's value with its bounds.

use super::tracked;
use serde_json::{Map, Value, json};
use verdict::Verdict;

/// Renders what `bencher run --adapter json` reads. A configuration without a figure is absent.
pub fn bmf(verdict: &Verdict) -> String {
    let mut benchmarks = Map::new();
    for figure in tracked(verdict) {
        let Some(mean) = figure.mean() else { continue };
        let mut value = json!({ "value": mean });
        if let Some((low, high)) = figure.interval() {
            value["lower_value"] = json!(low);
            value["upper_value"] = json!(high);
        }
        let measures = benchmarks.entry(figure.benchmark()).or_insert_with(|| Value::Object(Map::new()));
        measures[figure.metric.name()] = value;
    }
    format!("{:#}\n", Value::Object(benchmarks))
}
