//! What a shared volume gives to more and more ranks.

use super::prose::{Page, Tone};
use super::{WIDTH_MIN, table};
use crate::wording::scaling as words;
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table};
use fleet::scaling::ScalingOf;
use model::printable;

/// Renders the scaling of each configuration of a shared run for a terminal of `width` columns, with ANSI colours if `colour` is set;
/// empty if it was not shared.
pub fn scaling(found: &[ScalingOf], width: usize, colour: bool) -> String {
    let mut page = Page::new(width.max(WIDTH_MIN), colour);
    for one in found {
        page.gap();
        page.heading(&words::title(one));
        let text = rendered(one, page.width, page.colour);
        page.block(&text);
        for (label, sentence) in words::sentences(&one.scaling) {
            page.item(Tone::Plain, label, &sentence);
        }
    }
    page.finish()
}

fn rendered(one: &ScalingOf, width: usize, colour: bool) -> String {
    let mut table = Table::new();
    table.load_style(table::style()).set_content_arrangement(ContentArrangement::Dynamic);
    table.force_no_tty().set_width(u16::try_from(width).unwrap_or(u16::MAX));
    if colour {
        table.enforce_styling();
    }
    let right = |text: &str| Cell::new(printable(text)).set_alignment(CellAlignment::Right);
    table.set_header(words::HEADINGS.map(|heading| right(heading).add_attribute(Attribute::Bold)));
    for level in &one.scaling.levels {
        table.add_row(words::row(level).map(|text| right(&text)));
    }
    table.trim_fmt()
}
