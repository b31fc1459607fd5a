//! Figures of one distribution that cannot stand together: order statistics out of order, a mean outside of what the
//! percentiles allow, a deviation that no distribution between minimum and maximum has (Bhatia & Davis 2000: variance ≤
//! (max − mean)(mean − min)).

use super::{Judgement, LATENCY, Readings, Words};
use crate::latency::{Latency, time};
use crate::table::{Row, Table};
use verdict::Status;

/// Disagreement that rounding for print explains.
const ROUNDING: f64 = 0.01;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::of(table, LATENCY, read);
    let words = Words {
        pass: format!(
            "Minimum, percentiles, mean, deviation and maximum can stand together in {}.",
            readings.read()
        ),
        off: format!("Latency figures contradict each other in {}.", readings.share()),
        advice: "These figures are not of one distribution: take none of them before the whole output of one run is published.",
        missing: "No row gives two latency figures that could contradict each other.",
    };
    Judgement::of(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let lines: Vec<&Latency> =
        std::iter::once(&row.latency).chain(&row.completion).filter(|line| has_two_figures(line)).collect();
    if lines.is_empty() {
        return None;
    }
    let found: Vec<String> = lines.into_iter().filter_map(contradiction).collect();
    let status = if found.is_empty() { Status::Pass } else { Status::Fail };
    Some((status, found.join(" ")))
}

fn has_two_figures(latency: &Latency) -> bool {
    ordered(latency).len() + usize::from(latency.mean_ns.is_some()) >= 2
}

fn exceeds(low: f64, high: f64) -> bool {
    low > high * (1.0 + ROUNDING)
}

/// The first thing that cannot be.
fn contradiction(latency: &Latency) -> Option<String> {
    let ordered = ordered(latency);
    if let Some([low, high]) = ordered.array_windows().find(|[low, high]| exceeds(low.1, high.1)) {
        return Some(format!("{} {} is above {} {}.", low.0, time(low.1), high.0, time(high.1)));
    }
    let mean = latency.mean_ns?;
    let bounds = [latency.mean_at_least_ns(), latency.min_ns];
    let least = bounds.into_iter().flatten().reduce(f64::max);
    if let Some(least) = least.filter(|least| exceeds(*least, mean)) {
        let told = format!("a mean of {} is below the {} that", time(mean), time(least));
        return Some(format!("{told} minimum and percentiles allow."));
    }
    if let Some(most) = latency.mean_at_most_ns().filter(|most| exceeds(mean, *most)) {
        let told = format!("a mean of {} is above the {} that", time(mean), time(most));
        return Some(format!("{told} percentiles and maximum allow."));
    }
    let (sd, max) = (latency.sd_ns?, latency.max_ns?);
    let min = latency.min_ns.unwrap_or(0.0);
    let sd_most = ((max - mean).max(0.0) * (mean - min).max(0.0)).sqrt();
    // Rounding of mean and extremes moves the bound by its own step.
    let is_too_wide = sd > sd_most + ROUNDING * max;
    is_too_wide.then(|| {
        let told = format!("a deviation of {} is above the {} that", time(sd), time(sd_most));
        format!("{told} minimum, mean and maximum allow.")
    })
}

/// Figures that must ascend.
fn ordered(latency: &Latency) -> Vec<(String, f64)> {
    let end = |name: &str, value: Option<f64>| value.map(|value| (name.to_owned(), value));
    let percentiles = latency.percentiles.iter().map(|percentile| (percentile.name(), percentile.value_ns));
    end("minimum", latency.min_ns)
        .into_iter()
        .chain(percentiles)
        .chain(end("maximum", latency.max_ns))
        .collect()
}
