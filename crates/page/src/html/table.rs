//! A table in HTML: what is wider than the page scrolls by itself.

use super::{badge, blocks, shown, spans};
use crate::table::{Cell, Column, Footnote, Row, Table};
use maud::{Markup, html as markup};

pub(super) fn table(table: &Table) -> Markup {
    markup! {
        @if table.is_sortable { p.caption { "Press a heading to sort." } }
        div.scroll role="group" aria-label=(shown(&table.name)) tabindex="0" {
            table.sortable[table.is_sortable] {
                thead {
                    tr {
                        @for column in &table.columns { (heading(column)) }
                        @if let Some(details) = &table.details { th scope="col" { (spans(details)) } }
                    }
                }
                tbody { @for row in &table.rows { (self::row(table, row)) } }
            }
        }
        @for (footnote, note) in table.footnotes() { p.note { (footnote.mark()) " " (spans(note)) } }
    }
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
            @for (place, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
                (self::cell(place, column, cell))
            }
            @if table.details.is_some() { td { (blocks(&row.details)) } }
        }
    }
}

fn cell(place: usize, column: &Column, cell: &Cell) -> Markup {
    let order = cell.order.map(|order| order.map_or_else(String::new, |number| number.to_string()));
    let hint = cell.hint.as_deref().map(|hint| hint.lines().map(shown).collect::<Vec<_>>().join("\n"));
    let content = markup! {
        @if let Some(found) = &cell.badge { (badge(found)) " " }
        (spans(&cell.text))
        @if let Some(mark) = cell.footnote.map(Footnote::mark) { " " (mark) }
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
