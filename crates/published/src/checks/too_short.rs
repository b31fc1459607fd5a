//! Rows measured for seconds only, and quantiles with too few operations behind them.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, MEASURED, Reading, Readings};
use crate::latency::Percentile;
use crate::table::{Row, Table};
use model::units::format_significant;
use verdict::Status;

/// Below this a run shows caches, clocks and drives that have not settled, seconds: its figures may be right, but only for so long.
const RUNTIME_MIN_S: f64 = 10.0;
/// Below this how a run begins and ends is a good part of its figures, seconds.
const FIGURE_MIN_S: f64 = 1.0;
/// Operations beyond a quantile that it takes to tell it.
const BEYOND_MIN: f64 = 10.0;

pub(super) fn check(table: &Table) -> Judgement {
    let mut readings = Readings::default();
    for (index, row) in table.rows.iter().enumerate() {
        if let Some((concern, status, text)) = runtime(row) {
            readings.add(table, Reading { row: index, concern, status, text });
        }
        for (name, status, text) in quantiles(row) {
            readings.add(table, Reading { row: index, concern: Concern::Names([name].into()), status, text });
        }
    }
    let words = Words {
        pass: format!(
            "Measured for {RUNTIME_MIN_S} s or more, with enough operations for every quantile, in {}.",
            readings.read()
        ),
        off: format!("Measured too briefly in {}.", readings.share()),
        advice: "Measure for at least 10 s, longer for higher quantiles; a drive's steady state takes minutes.",
        missing: "No row gives its runtime, or quantiles with a number of operations.",
    };
    Judgement::from_readings(readings, words)
}

/// By the time that it gives, or else by its operations and their rate.
fn runtime(row: &Row) -> Option<(Concern, Status, String)> {
    let of_rate = || Some((row.operations? as f64, row.operations_per_s.filter(|rate| *rate > 0.0)?));
    let (seconds, text) = match (row.runtime_s, of_rate()) {
        (Some(seconds), _) => (seconds, format!("measured for {} s.", format_significant(seconds))),
        (None, Some((operations, rate))) => {
            let [seconds, operations, per_s] = [operations / rate, operations, rate].map(format_significant);
            let text = format!("measured for {seconds} s: {operations} operations at {per_s}/s.");
            (row.operations? as f64 / rate, text)
        }
        (None, None) => return None,
    };
    let is_brief = (FIGURE_MIN_S..RUNTIME_MIN_S).contains(&seconds);
    let concern = if is_brief { Concern::Comparison } else { Concern::Kinds(MEASURED) };
    let status = if seconds < RUNTIME_MIN_S { Status::Warn } else { Status::Pass };
    Some((concern, status, text))
}

fn quantiles(row: &Row) -> Vec<(String, Status, String)> {
    let from_rate = || Some(row.operations_per_s? * row.runtime_s?);
    let Some(operations) = row.operations.map(|count| count as f64).or_else(from_rate) else {
        return Vec::new();
    };
    let latencies = [("latency", Some(&row.latency)), ("completion latency", row.completion.as_ref())];
    let judge = |name: &str, percentile: &Percentile| {
        let needed = BEYOND_MIN / (1.0 - percentile.quantile);
        // Quantiles are published in decimals: 10/(1 − 0.99) must not come to 1000.0000000001.
        let status = if operations * (1.0 + 1e-9) < needed { Status::Warn } else { Status::Pass };
        let text = format!(
            "{} of {} operations: it needs {}.",
            percentile.name(),
            format_significant(operations),
            format_significant(needed)
        );
        (format!("{name} {}", percentile.name()), status, text)
    };
    latencies
        .into_iter()
        .filter_map(|(name, latency)| Some((name, latency?)))
        .flat_map(|(name, latency)| latency.percentiles.iter().map(move |percentile| judge(name, percentile)))
        .filter(|(_, status, _)| *status != Status::Pass || row.runtime_s.is_none())
        .collect()
}
