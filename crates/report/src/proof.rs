//! A proof on the terminal, as a page, and in the report of the run whose advice it proves.

use crate::html::{self, ratio_plot};
use maud::{Markup, PreEscaped};
use page::{Figure, terminal};
use proof::{Plots, Proof, Ratio};

/// Renders a proof for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn proof(proof: &Proof, width: usize, colour: bool) -> String {
    terminal::document(&proof.document(&Plots::NONE), width, colour)
}

/// The same in a few lines, for the report of the run whose advice was proven.
pub fn proof_beside(proof: &Proof, width: usize, colour: bool) -> String {
    terminal::sections(&[proof.section(&Plots::NONE)], width, colour)
}

/// Renders the page: offline like the report, light and dark, without scripts.
pub fn proof_html(proof: &Proof) -> String {
    html::document(&proof.document(&plots()), None)
}

/// The section of a run's Markdown.
pub(crate) fn markdown(proof: &Proof) -> String {
    page::markdown::sections(&[proof.section(&Plots::NONE)], 2)
}

/// The section of a run's page.
pub(crate) fn section(proof: &Proof) -> Markup {
    page::html::sections(&[proof.section(&plots())])
}

fn plots() -> Plots<'static> {
    let legend = Figure::beside_text(&PreEscaped(String::new())).with_caption("The shaded band is ±5 %.");
    Plots { legend: Some(legend), ratios: &ratios }
}

fn ratios(ratios: &[Option<Ratio>]) -> Vec<Option<Figure>> {
    let intervals = ratios.iter().flatten().map(|ratio| (ratio.low, ratio.high));
    let reach = ratio_plot::reach(intervals);
    let draw =
        |ratio: Ratio| Figure::beside_text(&ratio_plot::draw(ratio.point, (ratio.low, ratio.high), reach));
    ratios.iter().map(|ratio| ratio.map(draw)).collect()
}
