//! A document as GitHub-flavoured Markdown.

mod escape;
mod lines;

pub use escape::{code_block, text};
pub use lines::Lines;

use crate::answer::Answer;
use crate::block::{Block, Details, Item, List, Row, Table};
use crate::cell::{Cell, Column};
use crate::document::{Document, Section};
use crate::forms::Forms;
use crate::text::{Badge, Span, Text};

/// Renders sections that stand among other text, below a heading of this level less one.
pub fn sections(sections: &[Section], level: usize) -> String {
    let mut lines = Lines::default();
    for section in sections {
        self::section(&mut lines, section, level);
    }
    lines.into_text()
}

/// Renders a document as a page.
pub fn document(document: &Document) -> String {
    let mut lines = Lines::default();
    lines.line(&format!("# {}", spans(&document.title)));
    for lead in &document.lead {
        lines.paragraph(&spans(lead));
    }
    for section in document.conclusion.iter().chain(&document.sections) {
        self::section(&mut lines, section, 2);
    }
    if !document.footer.is_empty() {
        lines.paragraph(&spans(&document.footer));
    }
    lines.into_text()
}

fn section(lines: &mut Lines, section: &Section, level: usize) {
    if section.forms == Forms::Html {
        return;
    }
    let heading = spans(&section.heading);
    let heading = match &section.kicker {
        Some(kicker) => format!("{}: {heading}", spans(kicker)),
        None => heading,
    };
    lines.paragraph(&format!("{} {heading}", "#".repeat(level)));
    for block in &section.blocks {
        self::block(lines, block, 0);
    }
    for part in &section.sections {
        self::section(lines, part, level + 1);
    }
}

/// Writes a block inside of `depth` lists.
fn block(lines: &mut Lines, block: &Block, depth: usize) {
    match block {
        Block::Paragraph(_, text) if depth > 0 => lines.item(depth, &spans(text)),
        Block::Paragraph(_, text) => lines.paragraph(&spans(text)),
        Block::List(list) => self::list(lines, list, depth),
        Block::Facts(facts) if depth > 0 => {
            for (name, value) in facts {
                lines.item(depth, &format!("{}: {}", spans(name), spans(value)));
            }
        }
        Block::Facts(facts) => {
            let row = |(name, value): &(Text, Text)| [name, value].map(spans_of_cell).to_vec();
            let headings = ["what", "value"].map(str::to_owned);
            lines.escaped_table(&headings, &[], &facts.iter().map(row).collect::<Vec<_>>());
        }
        Block::Table(table) => self::table(lines, table),
        Block::Details(details) | Block::Folded(details) => self::details(lines, details, depth),
        Block::Only(Forms::Html, _) => {}
        Block::Only(Forms::All | Forms::Pages, blocks) => {
            for block in blocks {
                self::block(lines, block, depth);
            }
        }
        Block::Figure(figure) => {
            if let Some(alternative) = &figure.alternative {
                lines.paragraph(&spans(alternative));
            }
        }
        Block::Answers(answers) => {
            lines.gap();
            for answer in answers {
                lines.item(depth, &self::answer(answer));
            }
            lines.gap();
        }
    }
}

fn list(lines: &mut Lines, list: &List, depth: usize) {
    if depth == 0 {
        lines.gap();
    }
    for (place, item) in list.items.iter().enumerate() {
        if list.is_numbered {
            lines.numbered_item(depth, place + 1, &self::item(item));
        } else {
            lines.item(depth, &self::item(item));
        }
        // What belongs to a number begins to the right of it.
        let below_depth = if list.is_numbered { depth + 2 } else { depth + 1 };
        for below in &item.below {
            block(lines, below, below_depth);
        }
    }
    if depth == 0 {
        lines.gap();
    }
}

fn item(item: &Item) -> String {
    let badge = item.badge.as_ref().map(badge);
    let label = item.label.as_ref().map(|label| format!("**{}**:", spans(label)));
    let text = Some(spans(&item.text)).filter(|text| !text.is_empty());
    badge.into_iter().chain(label).chain(text).collect::<Vec<_>>().join(" ")
}

fn badge(badge: &Badge) -> String {
    format!("**{}**", text(badge.word))
}

fn answer(answer: &Answer) -> String {
    let badge = answer.badge.as_ref().map(|badge| format!("{} ", self::badge(badge))).unwrap_or_default();
    let number = answer.number.as_ref().map_or_else(String::new, |number| {
        format!(" {} ({}): {}", text(&number.point), text(&number.interval), text(&number.what))
    });
    format!("{badge}{}: {}{number}", spans(&answer.name), spans(&answer.text))
}

/// Folded as a page folds it; inside of a list it is unfolded, because a list has no HTML blocks.
fn details(lines: &mut Lines, details: &Details, depth: usize) {
    if depth == 0 {
        lines.paragraph(&format!("<details><summary>{}</summary>", spans(&details.summary)));
    }
    for block in &details.blocks {
        self::block(lines, block, depth);
    }
    if depth == 0 {
        lines.paragraph("</details>");
    }
}

fn table(lines: &mut Lines, table: &Table) {
    let shown: Vec<(usize, &Text, bool)> = table
        .columns
        .iter()
        .enumerate()
        .filter_map(|(place, column)| match column {
            Column::Words(heading) => Some((place, heading, false)),
            Column::Figures(heading) => Some((place, heading, true)),
            Column::Drawings => None,
        })
        .collect();
    let headings = shown.iter().map(|(_, heading, _)| *heading).chain(&table.details).map(spans_of_cell);
    let figures = shown.iter().enumerate().filter(|(_, (_, _, is_figures))| *is_figures);
    let figures: Vec<usize> = figures.map(|(column, _)| column).collect();
    let row = |row: &Row| {
        let cells = shown.iter().map(|(place, _, _)| row.cells.get(*place).map_or_else(String::new, cell));
        cells.chain(table.details.as_ref().map(|_| inline(&row.details))).collect()
    };
    let rows: Vec<Vec<String>> = table.rows.iter().map(row).collect();
    lines.escaped_table(&headings.collect::<Vec<_>>(), &figures, &rows);
    for (footnote, note) in table.footnotes() {
        lines.paragraph(&format!("{} {}", text(&footnote.mark()), spans(note)));
    }
}

fn cell(cell: &Cell) -> String {
    let badge = cell.badge.as_ref().map(|badge| text(badge.word));
    let words = Some(spans_of_cell(&cell.full_text())).filter(|text| !text.is_empty());
    let mark = cell.footnote.map(|footnote| text(&footnote.mark()));
    badge.into_iter().chain(words).chain(mark).collect::<Vec<_>>().join(" ")
}

/// Blocks in a cell, which has one line.
fn inline(blocks: &[Block]) -> String {
    let part = |block: &Block| match block {
        Block::Paragraph(_, text) => vec![spans_of_cell(text)],
        Block::List(list) => {
            let item = |item: &Item| {
                let label =
                    item.label.as_ref().map_or_else(String::new, |it| format!("{}: ", spans_of_cell(it)));
                label + &spans_of_cell(&item.text)
            };
            list.items.iter().map(item).collect()
        }
        Block::Facts(_)
        | Block::Table(_)
        | Block::Details(_)
        | Block::Folded(_)
        | Block::Only(..)
        | Block::Figure(_)
        | Block::Answers(_) => Vec::new(),
    };
    blocks.iter().flat_map(part).collect::<Vec<_>>().join("<br>")
}

fn spans(all: &Text) -> String {
    all.spans().iter().map(|span| self::span(span, escape::code)).collect()
}

/// In a table a vertical bar needs its escape even in code.
fn spans_of_cell(all: &Text) -> String {
    let code = |words: &str| escape::code(words).replace('|', "\\|");
    all.spans().iter().map(|span| self::span(span, code)).collect()
}

fn span(span: &Span, code: impl Fn(&str) -> String) -> String {
    match span {
        Span::Plain(words) | Span::Hinted { text: words, hint: _ } => text(words),
        Span::Strong(words) => format!("**{}**", text(words)),
        Span::Code(words) => code(words),
        // The places of a page have other names in Markdown.
        Span::Link { text: words, target } if target.starts_with('#') => text(words),
        Span::Link { text: words, target } => format!("[{}](<{}>)", text(words), escape::target(target)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_end_its_column_nor_a_span_its_mark() {
        let mut table =
            Table::new("Disks", vec![Column::Words("disk".into()), Column::Figures("IOPS|".into())]);
        let note = Some(table.footnote("too few | rounds"));
        table.row(vec![
            Cell::of(Text::default().strong("a|b").code("c`|d")),
            Cell::of("9").with_footnote(note),
        ]);
        let mut lines = Lines::default();
        super::table(&mut lines, &table);
        let expected = "| disk | IOPS\\| |\n|---|---:|\n| **a\\|b**``c`\\|d`` | 9 \\[1\\] |\n\n\\[1\\] too few \\| \
            rounds\n\n";
        assert_eq!(lines.into_text(), format!("\n{expected}"));
    }

    #[test]
    fn what_belongs_to_an_item_is_indented_below_it() {
        let below = vec![Block::note("why"), Block::List(List::of(vec![Item::of("deeper")]))];
        let list = List { is_numbered: true, items: vec![Item::labelled("node", "slow").with_below(below)] };
        let mut lines = Lines::default();
        super::list(&mut lines, &list, 0);
        assert_eq!(lines.into_text(), "\n1. **node**: slow\n    - why\n    - deeper\n\n");
    }
}
