//! The questions about a fleet: metrics of configurations.

use model::metric::{self, Better};
use model::plan::StudyPlan;
use page::quantity;
use serde::Serialize;

/// A metric of a configuration, with every parameter: runs that differ in one parameter answer different questions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Question {
    pub study: String,
    /// The configuration's levels of the study's factors: `mode=direct`.
    pub label: String,
    /// Full name of the metric.
    pub metric: String,
    /// Every parameter, as `name=value`.
    pub parameters: String,
}

impl Question {
    /// `IOPS of depth, iodepth=32`.
    pub(crate) fn title(&self) -> String {
        let label = if self.label.is_empty() { String::new() } else { format!(", {}", self.label) };
        format!("{} of {}{label}", quantity::named(&self.metric).title, self.study)
    }

    /// `+1` if a higher figure is better, `-1` if a lower one is: multiplies a logarithm so that lower always means
    /// slower.
    pub(crate) fn sign(&self) -> f64 {
        let better = metric::find(&self.metric).map(|metric| metric.family.better);
        if better == Some(Better::Lower) { -1.0 } else { 1.0 }
    }
}

/// The metrics of a study that users pay for: rates and latencies among its responses, without repeats. A counter that
/// explains one does not make a disk slow.
pub(crate) fn metrics(plan: &StudyPlan) -> Vec<&str> {
    let asked = plan.asks.iter().flat_map(|ask| &ask.on);
    let mut metrics: Vec<&str> = Vec::new();
    for name in plan.responses.iter().chain(asked) {
        let is_paid = metric::find(name).is_some_and(|metric| metric.is_paid());
        if is_paid && !metrics.contains(&name.as_str()) {
            metrics.push(name);
        }
    }
    metrics
}
