//! Whether an effect is the same in every cell: a main effect that hides opposite effects is not one.

use crate::blocks::Block;
use crate::finding::{CellRange, CellRatio, Remark};
use stats::interaction::{Interaction, interaction};

/// Significance at which cells count as different.
const SIGNIFICANCE: f64 = 0.05;
/// A cell this far from the mean over cells changes what a reader should do, so the answer itself gives the range.
const STRONG: f64 = 1.10;

/// Tests `rounds[round][cell]` of log ratios, if neighbouring rounds correlate by this; `None` if cells agree or there
/// is only one.
pub(super) fn check(logs: &[Vec<f64>], block: &Block, correlation: f64) -> Option<Remark> {
    let Interaction { p, cell_ratios, departure, departure_cell, .. } =
        interaction(logs, correlation).ok().filter(|found| found.p <= SIGNIFICANCE)?;
    let cell =
        |index: usize| block.strata.get(index).map(|stratum| stratum.label.clone()).unwrap_or_default();
    let farthest = CellRatio { cell: cell(departure_cell), ratio: departure };
    let ratios: Vec<CellRatio> = cell_ratios
        .iter()
        .enumerate()
        .map(|(index, ratio)| CellRatio { cell: cell(index), ratio: *ratio })
        .collect();
    let least = ratios.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let most = ratios.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let range = least.zip(most).filter(|_| departure > STRONG);
    let range = range.map(|(least, most)| CellRange { least: least.clone(), most: most.clone() });
    Some(Remark::Interaction { p, farthest, range })
}
