//! Blocks in HTML. What is wider than the page scrolls by itself.

use super::inline::{badge, shown, spans};
use crate::answer::Answer;
use crate::block::{Block, Details, Item, List, Role, Row, Table};
use crate::cell::{Cell, Column, Footnote};
use crate::figure::Figure;
use crate::forms::Forms;
use crate::text::Text;
use maud::{Markup, html as markup};

pub(super) fn blocks(blocks: &[Block]) -> Markup {
    markup! { @for block in blocks { (self::block(block)) } }
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Paragraph(Role::Plain, text) => markup! { p { (spans(text)) } },
        Block::Paragraph(Role::Answer, text) => markup! { p.answer { (spans(text)) } },
        Block::Paragraph(Role::Note, text) => markup! { p.note { (spans(text)) } },
        Block::Paragraph(Role::Remark, text) => markup! { p.remark { (spans(text)) } },
        Block::List(list) => self::list(list),
        Block::Facts(facts) => markup! {
            dl.facts { @for (name, value) in facts { div.wide { dt { (spans(name)) } dd { (spans(value)) } } } }
        },
        Block::Table(table) => self::table(table),
        Block::Details(Details { summary, blocks }) | Block::Folded(Details { summary, blocks }) => markup! {
            details { summary { (spans(summary)) } (self::blocks(blocks)) }
        },
        Block::Only(Forms::All | Forms::Pages | Forms::Html, blocks) => self::blocks(blocks),
        Block::Figure(figure) => self::figure(figure),
        Block::Answers(answers) => markup! { @for answer in answers { (self::answer(answer)) } },
    }
}

fn figure(figure: &Figure) -> Markup {
    markup! {
        (figure.markup)
        @if let Some(caption) = &figure.caption { p.caption { (spans(caption)) } }
    }
}

/// Items with badges have them in a column of their own.
fn list(list: &List) -> Markup {
    let has_badges = list.items.iter().any(|item| item.badge.is_some());
    let items = markup! {
        @for item in &list.items {
            li {
                @if has_badges {
                    @if let Some(badge) = &item.badge { (self::badge(badge)) } @else { span {} }
                    div { (content(item)) }
                } @else {
                    (content(item))
                }
            }
        }
    };
    match (list.is_numbered, has_badges) {
        (true, _) => markup! { ol { (items) } },
        (false, true) => markup! { ul.audits { (items) } },
        (false, false) => markup! { ul.lines { (items) } },
    }
}

fn content(item: &Item) -> Markup {
    let words = markup! {
        @if let Some(label) = &item.label { strong { (spans(label)) } " " }
        (spans(&item.text))
    };
    markup! {
        @if item.below.is_empty() { (words) } @else { p { (words) } (blocks(&item.below)) }
    }
}

fn answer(answer: &Answer) -> Markup {
    markup! {
        article.answer-row {
            div.number {
                @if let Some(number) = &answer.number {
                    p.point { (shown(&number.point)) }
                    p.interval { (shown(&number.interval)) }
                    p.what { (shown(&number.what)) }
                }
            }
            div.said {
                h3 {
                    a href={ "#" (answer.anchor) } { (spans(&answer.name)) }
                    @if let Some(badge) = &answer.badge { " " (self::badge(badge)) }
                }
                p { (spans(&answer.text)) }
            }
            @if let Some(figure) = &answer.figure { (self::figure(figure)) }
        }
    }
}

fn table(table: &Table) -> Markup {
    markup! {
        @if table.is_sortable { p.caption { "Press a heading to sort." } }
        div.scroll role="group" aria-label=(shown(&table.name)) tabindex="0" {
            table.sortable[table.is_sortable] style=[label_width(table)] {
                thead {
                    tr {
                        @let (keys, others) = table.columns.split_at(keys(table));
                        @if let [key] = keys { (heading(key)) } @else { th scope="col" { (joined(keys.iter().map(Column::heading))) } }
                        @for column in others { (heading(column)) }
                        @if let Some(details) = &table.details { th scope="col" { (spans(details)) } }
                    }
                }
                tbody { @for row in &table.rows { (self::row(table, row)) } }
            }
        }
        @for (footnote, note) in table.footnotes() { p.note { (footnote.mark()) " " (spans(note)) } }
    }
}

/// The columns that name a row, joined so that they can stay in sight while the others scroll.
fn keys(table: &Table) -> usize {
    table.keys.clamp(1, table.columns.len().max(1))
}

/// No line begins with the dot.
fn joined<'a>(parts: impl Iterator<Item = &'a Text>) -> Markup {
    markup! { @for (place, part) in parts.enumerate() { @if place > 0 { "\u{a0}· " } (spans(part)) } }
}

/// The room that the longest name of a row would take on one line: a column of short names is no wider than they are.
fn label_width(table: &Table) -> Option<String> {
    let keys = Some(keys(table)).filter(|keys| *keys > 1)?;
    let width = |row: &Row| {
        let widths = row.cells.iter().take(keys).map(|cell| cell.text.words().chars().count());
        widths.sum::<usize>() + 3 * (keys - 1)
    };
    Some(format!("--label:{}ch", table.rows.iter().map(width).max().unwrap_or(0)))
}

fn heading(column: &Column) -> Markup {
    match column {
        Column::Words(heading) => markup! { th scope="col" { (spans(heading)) } },
        Column::Figures(heading) => markup! { th.number scope="col" { (spans(heading)) } },
        Column::Drawings => markup! { td.bar.interval aria-hidden="true" {} },
    }
}

fn row(table: &Table, row: &Row) -> Markup {
    markup! {
        tr {
            @let keys = keys(table);
            @if keys > 1 { th scope="row" { (joined(row.cells.iter().take(keys).map(|cell| &cell.text))) } }
            @for (place, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
                @if keys == 1 || place >= keys { (self::cell(place, column, cell)) }
            }
            @if table.details.is_some() { td.details { (blocks(&row.details)) } }
        }
    }
}

fn cell(place: usize, column: &Column, cell: &Cell) -> Markup {
    let order = cell.order.map(|order| order.map_or_else(String::new, |number| number.to_string()));
    let hint = cell.hint.as_deref().map(|hint| hint.lines().map(shown).collect::<Vec<_>>().join("\n"));
    let content = markup! {
        @if let Some(found) = &cell.badge { (badge(found)) " " }
        (spans(&cell.full_text()))
        @if let Some(mark) = cell.footnote.map(Footnote::mark) { "\u{a0}" (mark) }
    };
    match column {
        Column::Drawings => markup! {
            td.bar.interval aria-hidden="true" { @if let Some(figure) = &cell.figure { (figure.markup) } }
        },
        Column::Words(_) if place == 0 => markup! {
            th scope="row" data-value=[order] title=[hint] { (content) }
        },
        Column::Figures(_) if place == 0 => markup! {
            th.number scope="row" data-value=[order] title=[hint] { (content) }
        },
        Column::Words(_) => markup! { td data-value=[order] title=[hint] { (content) } },
        Column::Figures(_) => markup! { td.number data-value=[order] title=[hint] { (content) } },
    }
}
