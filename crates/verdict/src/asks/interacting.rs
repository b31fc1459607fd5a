//! Whether an effect is the same in every cell: a main effect that hides opposite effects is none.

use crate::blocks::Block;
use crate::phrase::ratio;
use stats::interaction::{Interaction, interaction};

/// Significance at which cells count as different.
const SIGNIFICANCE: f64 = 0.05;
/// A cell this far from the mean over cells changes what a reader should do, so the sentence itself gives the range.
const STRONG: f64 = 1.10;

/// A significant interaction, with the cells' names.
#[derive(Clone, Debug)]
pub(super) struct Interacting {
    found: Interaction,
    cells: Vec<String>,
}

/// Tests `rounds[round][cell]` of log ratios; `None` where cells agree or there is only one.
pub(super) fn check(logs: &[Vec<f64>], block: &Block) -> Option<Interacting> {
    let found = interaction(logs).ok().filter(|found| found.p <= SIGNIFICANCE)?;
    let cells = block.strips.iter().map(|strip| strip.label.clone()).collect();
    Some(Interacting { found, cells })
}

impl Interacting {
    /// The range across cells, where the interaction is strong: `0.94× at group_size=1 to 1.91× at group_size=4`.
    pub(super) fn range(&self) -> Option<String> {
        (self.found.departure > STRONG).then(|| {
            let ratios = &self.found.cell_ratios;
            let cell = |index: usize| self.cells.get(index).map_or("", String::as_str);
            let by_ratio = |a: &usize, b: &usize| ratios[*a].total_cmp(&ratios[*b]);
            let least = (0..ratios.len()).min_by(by_ratio).unwrap_or(0);
            let most = (0..ratios.len()).max_by(by_ratio).unwrap_or(0);
            let at = |index: usize| {
                let value = ratios.get(index).copied().unwrap_or(f64::NAN);
                format!("{} at {}", ratio(value), cell(index))
            };
            format!("{} to {}", at(least), at(most))
        })
    }

    /// The caveat: cells differ, by how much.
    pub(super) fn caveat(&self, factor: &str) -> String {
        let cell = self.cells.get(self.found.departure_cell).map_or("one cell", String::as_str);
        format!(
            "The effect of {factor} is not the same in every cell (interaction p = {:.2e}): {cell} is {} away from the \
             mean over cells.",
            self.found.p,
            ratio(self.found.departure)
        )
    }
}
