//! Intervals of a mean that leave out the median that is published, or recommended, beside it: the distribution is skewed
//! or a mixture, and the interval says nothing of what is recommended. On page 002 sizes of two kinds were pooled.

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
        pass: format!("The mean's interval contains the median in {}.", readings.read()),
        off: format!("The mean's interval does not contain the median in {}.", readings.share()),
        advice: "Do not give that interval to the median: look at the values themselves, separate what was pooled, and give the \
                 median an interval of its own (order statistics).",
        missing: "No row gives a mean with the half width of its interval and a median of the same values.",
    };
    Judgement::from_readings(readings, words)
}

fn read(estimate: &Estimate) -> Option<(Status, String, BTreeSet<String>)> {
    let mean = estimate.value?;
    let median = estimate.median.as_ref()?;
    let half = estimate.spread.as_ref().filter(|spread| spread.kind == SpreadKind::HalfWidth)?;
    let rounding = estimate.step + median.step + half.resolution;
    let is_outside = (median.value - mean).abs() > half.value + rounding;
    let text = format!(
        "{} is {} ± {}, but its median is {}.",
        estimate.column,
        format_significant(mean),
        format_significant(half.value),
        format_significant(median.value)
    );
    let names = [&estimate.column, &half.column, &median.column].into_iter().cloned().collect();
    Some((if is_outside { Status::Warn } else { Status::Pass }, text, names))
}
