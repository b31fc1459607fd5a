//! What a shared volume gives to more and more ranks.

use super::prose::{Page, Tone};
use super::{WIDTH_MIN, table};
use crate::wording::scaling as words;
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table};
use fleet::scaling::{Scaling, ScalingOf};
use model::printable;

/// Renders the scaling of each configuration of a shared run for a terminal of `width` columns, with ANSI colours if `colour` is set;
/// empty if it was not shared.
pub fn scaling(found: &[ScalingOf], width: usize, colour: bool) -> String {
    let mut page = Page::new(width.max(WIDTH_MIN), colour);
    for one in found {
        page.gap();
        page.heading(&words::title(one));
        for rate in &one.rates {
            let text = rendered(rate, page.width, page.colour);
            page.block(&text);
            for (label, sentence) in words::of_rate(rate) {
                page.item(Tone::Plain, label, &sentence);
            }
            page.gap();
        }
        for (label, sentence) in words::of_turns(one) {
            page.item(Tone::Plain, label, &sentence);
        }
    }
    page.finish()
}

fn rendered(rate: &Scaling, width: usize, colour: bool) -> String {
    let mut table = Table::new();
    table.load_style(table::style()).set_content_arrangement(ContentArrangement::Dynamic);
    table.force_no_tty().set_width(u16::try_from(width).unwrap_or(u16::MAX));
    if colour {
        table.enforce_styling();
    }
    let right = |text: &str| Cell::new(printable(text)).set_alignment(CellAlignment::Right);
    table.set_header(words::headings(rate).map(|heading| right(&heading).add_attribute(Attribute::Bold)));
    for row in words::rows(rate) {
        table.add_row(row.map(|text| right(&text)));
    }
    table.trim_fmt()
}
