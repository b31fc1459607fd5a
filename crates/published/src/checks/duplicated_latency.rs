//! One latency line on rows whose rates differ: it was measured at most once. On page 001 the rows capped to 10 GiB and
//! 2.5 GiB share minimum, mean, deviation and maximum to the last digit.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, LATENCY, Reading, Readings};
use crate::latency::time;
use crate::table::{Row, Table};
use model::units::format_significant;
use std::collections::BTreeMap;
use verdict::Status;

/// Figures that must agree to the last digit, the mean among them.
const FIGURES_MIN: usize = 3;
/// Digits that these figures must have between them: `1 ms, 2 ms, 9 ms` agree by chance.
const DIGITS_MIN: f64 = 6.0;
/// Digits of a figure that was not rounded.
const DIGITS_IN_FULL: f64 = 15.0;
/// Rates that differ by more are not of one run.
const RATE_WITHIN: f64 = 0.01;
/// Distance from the operations possible in flight up to which a latency belongs to its row.
const FITS_WITHIN: f64 = 0.10;

pub(super) fn check(table: &Table) -> Judgement {
    let mut groups: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate() {
        if let Some(line) = line(row) {
            groups.entry(line).or_default().push(index);
        }
    }
    let mut found: Vec<Reading> = groups.values().flat_map(|rows| read(table, rows)).collect();
    found.sort_by_key(|reading| reading.row);
    let mut readings = Readings::default();
    for reading in found {
        readings.add(table, reading);
    }
    let words = Words {
        pass: format!("{} have their own latency lines.", readings.read()),
        off: format!("Rows with different rates have the same latency line: {}.", readings.share()),
        advice: "At most one of the rows measured that line: run the others again.",
        missing: "Fewer than two rows give a rate and a latency line of three figures or more.",
    };
    if table.rows.iter().filter(|row| line(row).is_some()).count() < 2 {
        return Judgement::new(Status::NotAssessable, words.missing, "");
    }
    Judgement::from_readings(readings, words)
}

/// A latency line's figures, bit by bit; `None` for lines that could agree by chance.
fn line(row: &Row) -> Option<Vec<u64>> {
    row.operations_per_s?;
    let latency = &row.latency;
    let mean = latency.mean_ns?;
    let figures = [latency.sd_ns, latency.min_ns, latency.max_ns];
    let known = 1 + figures.iter().flatten().count() + latency.percentiles.len();
    if known < FIGURES_MIN {
        return None;
    }
    let ends =
        [("mean", Some(mean)), ("sd", latency.sd_ns), ("min", latency.min_ns), ("max", latency.max_ns)];
    let named = ends.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let quantiles = latency.percentiles.iter().map(|known| (known.name(), known.value_ns));
    if named.chain(quantiles).map(|(name, value)| digits(row, &name, value)).sum::<f64>() < DIGITS_MIN {
        return None;
    }
    let percentiles = latency.percentiles.iter().map(|percentile| Some(percentile.value_ns));
    let all = std::iter::once(Some(mean)).chain(figures).chain(percentiles);
    Some(all.map(|figure| figure.map_or(u64::MAX, f64::to_bits)).collect())
}

/// Digits that a figure was printed with.
fn digits(row: &Row, name: &str, value: f64) -> f64 {
    let step = row.step(&format!("latency {name}"));
    if step > 0.0 { (value / step).log10().clamp(0.0, DIGITS_IN_FULL) } else { DIGITS_IN_FULL }
}

fn read(table: &Table, group: &[usize]) -> Vec<Reading> {
    let rate = |index: usize| table.rows[index].operations_per_s.unwrap_or(0.0);
    let rates = || group.iter().map(|index| rate(*index));
    let (low, high) = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    let is_one_run = group.len() < 2 || high <= low * (1.0 + RATE_WITHIN);
    let reading = |row: usize| {
        let concern = Concern::Kinds(LATENCY);
        if is_one_run {
            return Reading { row, concern, status: Status::Pass, text: String::new() };
        }
        let others: Vec<String> = group
            .iter()
            .filter(|other| **other != row)
            .take(3)
            .map(|other| table.rows[*other].name())
            .collect();
        let shared =
            format!("shares its latency line ({}) with {}", describe(&table.rows[row]), others.join(", "));
        let (status, fit) = fit(&table.rows[row]);
        Reading { row, concern, status, text: format!("{shared}{fit}.") }
    };
    group.iter().map(|row| reading(*row)).collect()
}

/// Whether the line may be this row's own, by Little's law.
fn fit(row: &Row) -> (Status, String) {
    let (Some(implied), Some(possible)) = (row.in_flight_implied(), row.setting.in_flight_possible()) else {
        return (Status::Fail, String::new());
    };
    let told = format!("{} in flight of {possible} possible", format_significant(implied));
    if (implied / possible as f64 - 1.0).abs() <= FITS_WITHIN {
        (Status::Warn, format!("; by Little's law it may be this row's ({told})"))
    } else {
        (Status::Fail, format!("; by Little's law it is not this row's ({told})"))
    }
}

fn describe(row: &Row) -> String {
    let latency = &row.latency;
    let figures =
        [("min", latency.min_ns), ("mean", latency.mean_ns), ("sd", latency.sd_ns), ("max", latency.max_ns)];
    let told: Vec<String> =
        figures.iter().filter_map(|(name, value)| Some(format!("{name} {}", time((*value)?)))).collect();
    told.join(", ")
}
