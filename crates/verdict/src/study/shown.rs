//! Which absolute figures of a study are shown: what it asks about, and beside that the rate, the bandwidth and the
//! latency that a reader wants of any disk.

use crate::verdict::StudyVerdict;
use model::metric::{self, Unit};
use model::plan::StudyPlan;

/// Rates of any study that has them.
const RATES: &[&str] = &["iops", "bandwidth_bytes_per_s"];
/// Statistics of its main latency.
const PERCENTILES: &[&str] = &["p50", "p99"];

/// Full names, what the study asks about first.
pub(super) fn all(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Vec<String> {
    let asked = study.asked.iter().cloned();
    unique(asked.chain(usual(study, plan).filter(|name| has_figure(study, name))))
}

/// The few that fit on one line: what is paid for first, then rate, bandwidth, p50 and p99.
pub(super) fn few(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Vec<String> {
    let unit =
        |name: &str| metric::find(name).filter(metric::Metric::is_paid).map(|metric| metric.family.unit);
    let paid = || study.asked.iter().filter(|name| unit(name).is_some());
    let first = paid().next().into_iter();
    let rate = paid().find(|name| unit(name) == Some(Unit::PerSecond)).into_iter();
    let usual = usual(study, plan);
    unique(first.chain(rate).cloned().chain(usual).filter(|name| has_figure(study, name)))
}

fn usual<'a>(study: &'a StudyVerdict, plan: Option<&'a StudyPlan>) -> impl Iterator<Item = String> + 'a {
    let of_plan = plan.and_then(|plan| plan.descriptions.first()?.figures.families.first().cloned());
    let is_asked = |name: &&String| metric::find(name).is_some_and(|metric| metric.family.distribution);
    let of_ask = study.asked.iter().find(is_asked).and_then(|name| metric::find(name));
    let family = of_ask.map(|metric| metric.family.name.to_owned()).or(of_plan);
    let percentiles = family
        .into_iter()
        .flat_map(|family| PERCENTILES.iter().map(move |percentile| format!("{family}_{percentile}_us")));
    RATES.iter().map(|name| (*name).to_owned()).chain(percentiles)
}

fn has_figure(study: &StudyVerdict, name: &str) -> bool {
    study.cells.iter().any(|cell| cell.figures.get(name).is_some_and(|figure| figure.mean.point.is_some()))
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}
