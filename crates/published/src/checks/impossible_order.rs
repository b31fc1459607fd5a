//! Figures of one distribution that cannot stand together: order statistics out of order, a mean outside of what the
//! percentiles allow, a deviation that no distribution between minimum and maximum has (Bhatia & Davis 2000: variance ≤
//! (max − mean)(mean − min)).

use super::judgement::{Judgement, Words};
use super::readings::{ANY_LATENCY, Readings};
use crate::latency::{Latency, Percentile, time};
use crate::table::{Row, Table, Timed};
use verdict::Status;

/// Disagreement that rounding for print explains.
const ROUNDING: f64 = 0.01;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, ANY_LATENCY, read);
    let words = Words {
        pass: format!(
            "Minimum, percentiles, mean, deviation and maximum are consistent in {}.",
            readings.read()
        ),
        off: format!("Latency figures contradict each other in {}.", readings.share()),
        advice: "These figures do not come from one distribution: use none of them until the whole output of one run \
         is published.",
        missing: "No row gives two latency figures that could contradict each other.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let completion = row.completion.as_ref().map(|latency| ("completion latency", latency));
    let timed = [Timed::Operation, Timed::Sync, Timed::Commit];
    let lines = timed.into_iter().map(|timed| (timed.name(), row.latency_of(timed)));
    let lines: Vec<Line<'_>> = lines
        .chain(completion)
        .map(|(name, latency)| Line { row, name, latency })
        .filter(Line::has_two_figures)
        .collect();
    if lines.is_empty() {
        return None;
    }
    let found: Vec<String> = lines.iter().filter_map(Line::contradiction).collect();
    let status = if found.is_empty() { Status::Pass } else { Status::Fail };
    Some((status, found.join(" ")))
}

/// A figure with the step of its last digit.
struct Figure {
    name: String,
    value: f64,
    step: f64,
}

impl Figure {
    /// Whether it lies above another, however both were rounded.
    fn exceeds(&self, other: &Self) -> bool {
        self.value - self.step > (other.value + other.step) * (1.0 + ROUNDING)
    }
}

/// One latency line of a row.
struct Line<'a> {
    row: &'a Row,
    name: &'static str,
    latency: &'a Latency,
}

impl Line<'_> {
    fn has_two_figures(&self) -> bool {
        self.ordered().len() + usize::from(self.latency.mean_ns.is_some()) >= 2
    }

    fn step(&self, what: &str) -> f64 {
        self.row.step(&format!("{} {what}", self.name))
    }

    fn figure(&self, name: &str, key: &str, value: f64) -> Figure {
        Figure { name: name.to_owned(), value, step: self.step(key) }
    }

    /// Figures that must ascend.
    fn ordered(&self) -> Vec<Figure> {
        let end = |name, key, value: Option<f64>| value.map(|value| self.figure(name, key, value));
        let percentiles = self.latency.percentiles.iter().map(|percentile| {
            let name = percentile.name();
            self.figure(&name, &name, percentile.value_ns)
        });
        let min = end("minimum", "min", self.latency.min_ns);
        min.into_iter().chain(percentiles).chain(end("maximum", "max", self.latency.max_ns)).collect()
    }

    /// The line with every figure this number of steps away.
    fn moved(&self, steps: f64) -> Latency {
        let move_by = |name: &str, value: f64| (value + steps * self.step(name)).max(0.0);
        let end = |name: &str, value: Option<f64>| value.map(|value| move_by(name, value));
        let percentile =
            |known: &Percentile| Percentile { value_ns: move_by(&known.name(), known.value_ns), ..*known };
        Latency {
            mean_ns: end("mean", self.latency.mean_ns),
            sd_ns: end("sd", self.latency.sd_ns),
            min_ns: end("min", self.latency.min_ns),
            max_ns: end("max", self.latency.max_ns),
            percentiles: self.latency.percentiles.iter().map(percentile).collect(),
        }
    }

    /// The first thing that cannot be.
    fn contradiction(&self) -> Option<String> {
        let ordered = self.ordered();
        if let Some([low, high]) = ordered.array_windows().find(|[low, high]| low.exceeds(high)) {
            return Some(format!(
                "{} {} is above {} {}.",
                low.name,
                time(low.value),
                high.name,
                time(high.value)
            ));
        }
        let latency = self.latency;
        let mean = self.figure("a mean", "mean", latency.mean_ns?);
        // For the mean's bounds every figure may lie a step lower, or higher.
        let (lowered, raised) = (self.moved(-1.0), self.moved(1.0));
        let bound = |value| Figure { name: String::new(), value, step: 0.0 };
        let least = [lowered.mean_at_least_ns(), lowered.min_ns].into_iter().flatten().reduce(f64::max);
        if let Some(least) = least.map(bound).filter(|least| least.exceeds(&mean)) {
            let told = format!("a mean of {} is below the {} that", time(mean.value), time(least.value));
            return Some(format!("{told} minimum and percentiles allow."));
        }
        if let Some(most) = raised.mean_at_most_ns().map(bound).filter(|most| mean.exceeds(most)) {
            let told = format!("a mean of {} is above the {} that", time(mean.value), time(most.value));
            return Some(format!("{told} percentiles and maximum allow."));
        }
        let (sd, max) = (latency.sd_ns?, raised.max_ns?);
        let min = lowered.min_ns.unwrap_or(0.0);
        let sd_most = |mean: f64| ((max - mean).max(0.0) * (mean - min).max(0.0)).sqrt();
        let sd_most = sd_most(mean.value - mean.step).max(sd_most(mean.value + mean.step));
        let is_too_wide = sd - self.step("sd") > sd_most + ROUNDING * max;
        is_too_wide.then(|| {
            let told = format!("a deviation of {} is above the {} that", time(sd), time(sd_most));
            format!("{told} minimum, mean and maximum allow.")
        })
    }
}
