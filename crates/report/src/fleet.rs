//! A fleet on the terminal and as a page.

use crate::html;
use fleet::scaling::{self, ScalingOf};
use fleet::{Plots, Statement};
use page::terminal;

/// Renders the statement about a fleet for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn fleet(statement: &Statement, width: usize, colour: bool) -> String {
    let mut document = statement.document(Plots::NONE);
    document.elsewhere = Some("--html FILE writes a page with every question and every disk.".into());
    terminal::document(&document, width, colour)
}

/// Renders the page: offline like the report, light and dark. Only sorting needs a script.
pub fn fleet_html(statement: &Statement) -> String {
    html::document(&statement.document(html::fleet_plot::plots()), Some(html::SORTING))
}

/// Renders the scaling of each configuration of a shared run for a terminal of `width` columns, with ANSI colours if
/// `colour` is set; empty if it was not shared.
pub fn scaling(found: &[ScalingOf], width: usize, colour: bool) -> String {
    terminal::sections(&scaling::sections(found), width, colour)
}
