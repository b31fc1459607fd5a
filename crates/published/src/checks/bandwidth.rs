//! Bandwidth = operations per second × block size.

use super::judgement::{Judgement, Words};
use super::readings::Readings;
use crate::table::{Kind, Row, Table};
use model::units::{format_bytes, format_bytes_approximate, format_significant};
use verdict::Status;

/// Disagreement that rounding does not explain, beyond which something is off.
const WARN_BEYOND: f64 = 0.02;
/// Disagreement beyond which one of the figures is of something else.
const FAIL_BEYOND: f64 = 0.10;
/// Factors between units of the same letter.
const CONFUSIONS: &[(f64, &str)] = &[
    (1.048_576, "MB were printed as MiB or the other way round"),
    (1.024, "KB were printed as KiB or the other way round"),
    (1.073_741_824, "GB were printed as GiB or the other way round"),
    (8.0, "bits were printed as bytes or the other way round"),
];

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, &[Kind::Rate, Kind::Bandwidth], read);
    let words = Words {
        pass: format!("Bandwidth is rate × block size in {}.", readings.read()),
        off: format!("Bandwidth is not rate × block size in {}.", readings.share()),
        advice: "Find out which of rate, bandwidth and block size is wrong; units of 1000 and 1024 are the usual \
         reason.",
        missing: "No row gives rate, bandwidth and block size together.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    let rate = row.operations_per_s?;
    let bandwidth = row.bandwidth_bytes_per_s?;
    let block = row.setting.block_bytes?;
    let ratio = bandwidth / (rate * block as f64);
    if !ratio.is_finite() {
        return None;
    }
    let rounding = row.rounding("iops", rate) + row.rounding("bandwidth", bandwidth);
    let off = ((ratio - 1.0).abs() - rounding).max(0.0);
    let within = 0.004 + rounding;
    let is_confused =
        |factor: f64| (ratio / factor - 1.0).abs() < within || (ratio * factor - 1.0).abs() < within;
    let hint = CONFUSIONS.iter().find(|(factor, _)| is_confused(*factor));
    let text = format!(
        "{}/s × {} = {}/s, and {}/s is published, {} % {}{}.",
        format_significant(rate),
        format_bytes(block),
        format_bytes_approximate(rate * block as f64),
        format_bytes_approximate(bandwidth),
        format_significant((ratio - 1.0).abs() * 100.0),
        if ratio > 1.0 { "more" } else { "less" },
        hint.map(|(_, hint)| format!(": {hint}")).unwrap_or_default()
    );
    let status = if off > FAIL_BEYOND {
        Status::Fail
    } else if off > WARN_BEYOND {
        Status::Warn
    } else {
        Status::Pass
    };
    Some((status, text))
}
