//! Intervals without the number of runs behind them, and means without any spread. The figures may be right for all that:
//! what is unknown is whether two of them differ.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Row, Table};
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let mut readings = Readings::default();
    for (index, row) in table.rows.iter().enumerate() {
        if let Some((status, text)) = read(row) {
            readings.add(table, Reading { row: index, concern: Concern::Comparison, status, text });
        }
    }
    let words = Words {
        pass: format!("The number of runs and their spread are given in {}.", readings.read()),
        off: format!("The number of runs or their spread is not given in {}.", readings.share()),
        advice: "Ask for n and for the runs themselves: a mean or a ± without n cannot be judged.",
        missing: "No row holds a figure.",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    if row.numbers().is_empty() {
        return None;
    }
    let has_spread = row.estimates.iter().any(|estimate| estimate.spread.is_some());
    Some(match (row.n, has_spread) {
        (None, true) => (Status::Warn, "a ± is given, but not n.".to_owned()),
        (None, false) => (Status::Warn, "neither n nor a spread between runs is given.".to_owned()),
        // One run has no spread; too few for an interval is another check's business.
        (Some(0 | 1), _) | (Some(_), true) => (Status::Pass, String::new()),
        (Some(n), false) if n < stats::TRIALS_MIN as u64 => (Status::Pass, String::new()),
        (Some(n), false) => (Status::Warn, format!("n = {n}, but no spread between runs is given.")),
    })
}
