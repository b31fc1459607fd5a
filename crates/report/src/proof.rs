//! A proof on the terminal, as a page, and in the report of the run whose advice it proves.

use crate::html::{self, ratio_plot};
use page::terminal;
use proof::{Plots, Proof};

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
    html::document(&proof.document(&ratio_plot::of_proof()), None)
}
