//! Rates that are the bandwidth divided by the block size, or bandwidths that are the rate times it: one measurement printed
//! twice, which cannot confirm itself.
//!
//! For two figures measured apart, the coarser one's rounding hides the finer one's last digits. If the finer figure is
//! what the coarser gives to its own last digit, it was computed from it.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Row, Table};
use model::units::{format_bytes_approximate, format_significant};
use std::collections::BTreeSet;
use verdict::Status;

/// How much finer one figure must be printed for its last digits to tell anything.
const FINER_MIN: f64 = 8.0;
/// Chance of figures that were measured apart lying like that, below which it is reported.
const CHANCE_MAX: f64 = 1e-3;

pub(super) fn check(table: &Table) -> Judgement {
    let judged: Vec<(usize, Pair)> = table
        .rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| Some((index, Pair::from_row(row)?)))
        .collect();
    let chance: f64 = judged.iter().map(|(_, pair)| pair.chance).product();
    let is_derived = judged.iter().all(|(_, pair)| pair.agrees) && chance < CHANCE_MAX;
    let status = if is_derived { Status::Warn } else { Status::Pass };
    let mut readings = Readings::default();
    for (row, pair) in judged {
        let concern = Concern::Names(BTreeSet::from([pair.computed.to_owned()]));
        readings.add(table, Reading { row, concern, status, text: pair.text });
    }
    let words = Words {
        pass: format!("Rate and bandwidth are separate measurements in {}.", readings.read()),
        off: format!("Rate and bandwidth are one measurement printed twice in {}.", readings.share()),
        advice: "Treat them as one figure; their agreement confirms nothing. Publish operations, bytes and time as \
         counted.",
        missing: "No row prints its rate much finer than its bandwidth, or the other way round, with a block size.",
    };
    Judgement::from_readings(readings, words)
}

/// Rate and bandwidth of one row, in operations per second.
struct Pair {
    /// Name of the finer of the two.
    computed: &'static str,
    /// Whether the finer is what the coarser gives.
    agrees: bool,
    /// The chance of that, had both been measured.
    chance: f64,
    text: String,
}

impl Pair {
    fn from_row(row: &Row) -> Option<Self> {
        let (rate, bandwidth) = (row.operations_per_s?, row.bandwidth_bytes_per_s?);
        let block = row.setting.block_bytes.filter(|block| *block > 0)? as f64;
        let (rate_step, bandwidth_step) = (row.step("iops"), row.step("bandwidth") / block);
        let (fine, coarse) = (rate_step.min(bandwidth_step), rate_step.max(bandwidth_step));
        if fine <= 0.0 || coarse < FINER_MIN * fine || rate <= 0.0 {
            return None;
        }
        let computed = if rate_step < bandwidth_step { "iops" } else { "bandwidth" };
        let text = format!(
            "{}/s and {}/s agree to the last digit of the {}.",
            format_significant(rate),
            format_bytes_approximate(bandwidth),
            if computed == "iops" { "rate" } else { "bandwidth" }
        );
        let agrees = (rate - bandwidth / block).abs() <= fine;
        Some(Self { computed, agrees, chance: (2.0 * fine / coarse).min(1.0), text })
    }
}
