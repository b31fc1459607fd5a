//! A ± larger than the figure before it: rates and times are not negative, so the runs do not scatter around that mean. A few of
//! them lie far away, or the figure before the ± is another. On page 002 a page costs 2.43 ± 3.42 µs.

use super::judgement::{Judgement, Words};
use super::readings::{Concern, Reading, Readings};
use crate::table::{Estimate, SpreadKind, Table};
use model::units::format_significant;
use std::collections::BTreeSet;
use verdict::Status;

pub(super) fn check(table: &Table) -> Judgement {
    let mut readings = Readings::default();
    for (row, published) in table.rows.iter().enumerate() {
        for (status, text, names) in published.estimates.iter().filter_map(read) {
            readings.add(table, Reading { row, concern: Concern::Names(names), status, text });
        }
    }
    let words = Words {
        pass: format!("No spread is larger than its figure in {}.", readings.read()),
        off: format!("A spread is larger than its figure in {}.", readings.share()),
        advice: "Look at the runs themselves: publish their median with an interval of its own (order statistics), and find out \
                 what the outliers are.",
        missing: "No row gives a figure with a spread.",
    };
    Judgement::from_readings(readings, words)
}

fn read(estimate: &Estimate) -> Option<(Status, String, BTreeSet<String>)> {
    let (mean, spread) = (estimate.value.filter(|mean| *mean > 0.0)?, estimate.spread.as_ref()?);
    let is_larger = spread.value - spread.resolution > mean + estimate.step;
    let what = match spread.kind {
        SpreadKind::HalfWidth => "±",
        SpreadKind::StandardDeviation => "a standard deviation of",
    };
    let [mean, width] = [mean, spread.value].map(format_significant);
    let text = format!("{} is {mean}, {what} {width}.", estimate.column);
    let names = [estimate.number(), &spread.column].map(str::to_owned).into();
    Some((if is_larger { Status::Warn } else { Status::Pass }, text, names))
}
