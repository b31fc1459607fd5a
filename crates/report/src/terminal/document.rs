//! Sections of documents among other lines.

use page::Section;
use page::terminal::{self, Lines};

pub(super) fn sections(page: &mut Lines, sections: impl IntoIterator<Item = Section>) {
    let sections: Vec<Section> = sections.into_iter().collect();
    page.block(&terminal::sections(&sections, page.width, page.colour));
}
