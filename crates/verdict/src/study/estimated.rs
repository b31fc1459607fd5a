//! A cell of an estimate: the mean with its half width, and a footnote with the reason if there is none.

use crate::estimate::Estimate;
use crate::quantity::{PlusMinus, cut, plus_minus, reason};
use model::metric::Unit;
use page::{Cell, Table};

pub(super) fn cell(table: &mut Table, estimate: &Estimate, unit: Unit) -> Cell {
    let PlusMinus { point, spread, suffix } = plus_minus(estimate, unit);
    let footnote = spread.is_none().then(|| table.footnote(reason(estimate)));
    Cell { spread, suffix, ..Cell::of(point) }.with_footnote(footnote)
}

/// The name of a configuration: its levels.
pub(super) fn name(label: &str) -> Cell {
    Cell::of(if label.is_empty() { "the one configuration" } else { label })
}

/// How to read these figures, and their brackets if they have some.
pub(super) fn note<'a>(estimates: impl Iterator<Item = &'a Estimate>) -> String {
    let mean =
        "Arithmetic mean ± half the width of its 95 % t interval over n trials (never over operations).";
    match cut(estimates) {
        Some(cut) => format!("{mean} In brackets {cut}."),
        None => mean.to_owned(),
    }
}
