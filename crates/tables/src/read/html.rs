//! HTML pages: their tables, and text whose layout is kept.

use super::grid::{Grid, Misfits};
use super::limits::{COLUMNS_MAX, FIELD_MAX, NAME_MAX, Room};
use super::part::{Line, Part, Piece};
use crate::number::Shown;
use html5gum::{DefaultEmitter, EndTag, StartTag, Token, Tokenizer};
use std::iter;

/// Most columns that one cell is taken to span.
const SPAN_MAX: usize = 64;

/// Tags that do not end a sentence.
const INLINE: &[&[u8]] =
    &[b"b", b"i", b"em", b"strong", b"a", b"code", b"span", b"tt", b"sup", b"sub", b"small"];

/// Whether a text is a page of HTML.
pub(super) fn is_page(text: &str) -> bool {
    let begin: String = text.trim_start().chars().take(512).collect::<String>().to_ascii_lowercase();
    begin.starts_with('<')
        && (begin.starts_with("<!doctype")
            || begin.contains("<html")
            || begin.contains("<table")
            || begin.contains("<pre"))
}

/// A table while it is read.
#[derive(Default)]
struct OpenTable {
    /// Tables inside it, whose text is part of their cell.
    inner: usize,
    rows: Vec<TableRow>,
    row: TableRow,
    cell: Option<String>,
    /// Columns that the cell spans.
    span: usize,
}

/// A line of a table.
#[derive(Default)]
struct TableRow {
    line: u64,
    cells: Vec<String>,
    /// Whether a cell of it has data.
    has_data: bool,
}

struct Collector<'a> {
    room: &'a mut Room,
    parts: Vec<Part>,
    heading: String,
    open_heading: Option<String>,
    table: Option<OpenTable>,
    preformatted: Option<(u64, String)>,
    /// Text outside of all these, and the line that it begins at.
    sentence: (u64, String),
    /// Inside of a script or a style sheet.
    is_hidden: bool,
}

/// The parts of a page, in its order; its first line has this number. Without room its tables are left out.
pub(super) fn parts(text: &str, first_line: u64, room: &mut Room) -> Vec<Part> {
    let breaks: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
    let line_of = |place: usize| breaks.partition_point(|line_break| *line_break < place) as u64 + first_line;
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut collector = Collector::new(room);
    for token in Tokenizer::new_with_emitter(text, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => collector.start(&tag, line_of(tag.span.start)),
            Token::EndTag(tag) => collector.end(&tag),
            Token::String(text) => collector.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    // A page may end within its last table.
    collector.finish_sentence(0);
    collector.finish_table();
    collector.parts
}

impl<'a> Collector<'a> {
    fn new(room: &'a mut Room) -> Self {
        Self {
            room,
            parts: Vec::new(),
            heading: String::new(),
            open_heading: None,
            table: None,
            preformatted: None,
            sentence: (0, String::new()),
            is_hidden: false,
        }
    }

    fn start(&mut self, tag: &StartTag<usize>, line: u64) {
        if !INLINE.contains(&tag.name.as_slice()) {
            self.finish_sentence(line);
        }
        match tag.name.as_slice() {
            b"table" => match &mut self.table {
                Some(table) => table.inner += 1,
                None => self.table = Some(OpenTable::default()),
            },
            b"pre" if self.table.is_none() => self.preformatted = Some((line, String::new())),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"caption" => {
                self.open_heading = Some(String::new());
            }
            b"script" | b"style" => self.is_hidden = true,
            b"br" => self.text("\n"),
            b"tr" => {
                if let Some(table) = self.table.as_mut().filter(|table| table.inner == 0) {
                    table.finish_row(self.room);
                    table.row.line = line;
                }
            }
            name @ (b"td" | b"th") => {
                let span = tag
                    .attributes
                    .get(b"colspan".as_slice())
                    .and_then(|value| std::str::from_utf8(value).ok()?.parse().ok());
                if let Some(table) = self.table.as_mut().filter(|table| table.inner == 0) {
                    table.finish_cell();
                    table.row.has_data |= name == b"td";
                    table.span = span.unwrap_or(1).clamp(1, SPAN_MAX);
                    table.cell = Some(String::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: &EndTag<usize>) {
        match tag.name.as_slice() {
            b"table" => match self.table.as_mut().filter(|table| table.inner > 0) {
                Some(table) => table.inner -= 1,
                None => self.finish_table(),
            },
            b"tr" => {
                if let Some(table) = self.table.as_mut().filter(|table| table.inner == 0) {
                    table.finish_row(self.room);
                }
            }
            b"td" | b"th" => {
                if let Some(table) = self.table.as_mut().filter(|table| table.inner == 0) {
                    table.finish_cell();
                }
            }
            b"pre" => {
                if let Some((line, text)) = self.preformatted.take() {
                    let lines = (line..).zip(text.lines());
                    let lines = lines.map(|(number, text)| Line { number, text: text.to_owned() }).collect();
                    self.parts
                        .push(Part { heading: self.heading.clone(), piece: Piece::Preformatted(lines) });
                }
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"caption" => {
                self.heading = self.open_heading.take().map(|text| one_line(&text)).unwrap_or_default();
            }
            b"script" | b"style" => self.is_hidden = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_hidden {
            return;
        }
        if let Some(heading) = &mut self.open_heading {
            heading.push_str(text);
        } else if let Some(cell) = self.table.as_mut().and_then(|table| table.cell.as_mut()) {
            cell.push_str(text);
        } else if let Some((_, preformatted)) = &mut self.preformatted {
            preformatted.push_str(text);
        } else if self.sentence.1.len() < FIELD_MAX {
            self.sentence.1.push_str(text);
        }
    }

    /// Ends a paragraph or a line of a list; what comes next begins at this line.
    fn finish_sentence(&mut self, line: u64) {
        let (number, text) = std::mem::replace(&mut self.sentence, (line, String::new()));
        let text = one_line(&text);
        if !text.is_empty() {
            let piece = Piece::Text(Line { number, text });
            self.parts.push(Part { heading: self.heading.clone(), piece });
        }
    }

    fn finish_table(&mut self) {
        let Some(mut table) = self.table.take() else { return };
        table.finish_row(self.room);
        if let Some(grid) = table.grid(self.room) {
            self.parts.push(Part { heading: self.heading.clone(), piece: Piece::Table(grid) });
        }
    }
}

impl OpenTable {
    fn finish_cell(&mut self) {
        let Some(text) = self.cell.take() else { return };
        let text = one_line(&text);
        // One more than a row may have, so that its end shows that it has too many.
        let columns = self.span.min((COLUMNS_MAX + 1).saturating_sub(self.row.cells.len()));
        // A longer text is not a name of several columns.
        let again = if text.len() <= NAME_MAX { text.clone() } else { String::new() };
        self.row.cells.extend(iter::once(text).chain(iter::repeat(again)).take(columns));
    }

    fn finish_row(&mut self, room: &mut Room) {
        self.finish_cell();
        let row = std::mem::take(&mut self.row);
        if (1..=COLUMNS_MAX).contains(&row.cells.len()) && room.take(row.cells.len()) {
            self.rows.push(row);
        }
    }

    /// The last of the rows of headings that it begins with is the header, or else its first row.
    fn grid(self, room: &mut Room) -> Option<Grid> {
        let headings = self.rows.iter().take_while(|row| !row.has_data).count();
        let mut rows = self.rows.into_iter().skip(headings.saturating_sub(1));
        let header = rows.next()?;
        let length = header.cells.len();
        // A line is as long as the header, whatever it has itself.
        let lines = rows.map(|row| {
            let mut cells = row.cells;
            room.take(length.saturating_sub(cells.len())).then(|| {
                cells.resize(length, String::new());
                (row.line, cells)
            })
        });
        let lines: Vec<(u64, Vec<String>)> = lines.collect::<Option<_>>()?;
        (!lines.is_empty()).then_some(Grid {
            header_line: header.line,
            header: header.cells,
            lines,
            misfits: Misfits::Remark,
            around: Shown::default(),
        })
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_preformatted_text_of_a_page() {
        let page = "<!DOCTYPE html>\n<html><script>var t = '<table>';</script>\n<h2>Random <b>reads</b></h2>\n<table>\n\
            <thead><tr><th>mode</th><th colspan=2>IOPS</th></tr>\n<tr><th>mode</th><th>read</th><th>write</th></tr></thead>\n\
            <tr><th>direct<td>813k<td>5&nbsp;k\n<tr><td>buffered</td><td>1<table><tr><td>x</td></tr></table></td></tr>\n\
            </table><pre>a  b\n1  2</pre>";
        assert!(is_page(page) && !is_page("a < b") && !is_page("<name>,iops"));
        let parts = parts(page, 1, &mut Room::default());
        assert_eq!(parts.iter().map(|part| part.heading.as_str()).collect::<Vec<_>>(), ["Random reads"; 2]);
        let Piece::Table(grid) = &parts[0].piece else { panic!("{parts:?}") };
        assert_eq!(grid.header, ["mode", "read", "write"]);
        let cells: Vec<String> =
            grid.lines.iter().map(|(line, cells)| format!("{line} {}", cells.join("|"))).collect();
        assert_eq!(cells, ["7 direct|813k|5 k", "8 buffered|1x|"]);
        let Piece::Preformatted(lines) = &parts[1].piece else { panic!("{parts:?}") };
        assert_eq!(
            lines.iter().map(|line| (line.number, line.text.as_str())).collect::<Vec<_>>(),
            [(9, "a  b"), (10, "1  2")]
        );
    }

    #[test]
    fn a_page_that_ends_within_its_table() {
        assert_eq!(parts("<table><tr><th>iops<tr><td>5", 1, &mut Room::default()).len(), 1);
        assert_eq!(parts("<table></td></tr></table></table>", 1, &mut Room::default()).len(), 0);
    }

    #[test]
    fn a_row_that_never_ends_keeps_no_more_cells_than_a_row_may_have() {
        let mut table = OpenTable::default();
        for _ in 0..100 {
            table.cell = Some("5".to_owned());
            table.span = SPAN_MAX;
            table.finish_cell();
        }
        assert_eq!(table.row.cells.len(), COLUMNS_MAX + 1);
        table.finish_row(&mut Room::default());
        assert!(table.rows.is_empty());
    }
}
