//! Markdown pages: their tables, and the blocks of code between them.

use super::grid::{Grid, Misfits};
use super::html;
use super::limits::{COLUMNS_MAX, Room};
use super::part::{Line, Part, Piece};
use crate::number::Shown;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Whether a text has a table or a block of code of Markdown's.
pub(super) fn is_page(text: &str) -> bool {
    let mut before = "";
    text.lines().any(|line| {
        let line = line.trim();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        let is_table = before.contains('|') && is_delimiter_row(line);
        before = line;
        is_fence || is_table
    })
}

/// `|---|:--:|`: what makes lines with bars a table.
fn is_delimiter_row(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '-' | ':' | '|' | ' '))
}

/// What is collected while the page is read.
struct Collector<'a> {
    room: &'a mut Room,
    parts: Vec<Part>,
    heading: String,
    header: Vec<String>,
    rows: Vec<(u64, Vec<String>)>,
    cells: Vec<String>,
    text: String,
    begin: u64,
    header_line: u64,
}

/// The parts of a page, in its order. Without room its tables are left out.
pub(super) fn parts(text: &str, room: &mut Room) -> Vec<Part> {
    let breaks: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
    let line_of = |place: usize| breaks.partition_point(|line_break| *line_break < place) as u64 + 1;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut collector = Collector::new(room);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        collector.event(&event, line_of(range.start));
    }
    collector.parts
}

impl<'a> Collector<'a> {
    fn new(room: &'a mut Room) -> Self {
        Self {
            room,
            parts: Vec::new(),
            heading: String::new(),
            header: Vec::new(),
            rows: Vec::new(),
            cells: Vec::new(),
            text: String::new(),
            begin: 0,
            header_line: 0,
        }
    }

    fn event(&mut self, event: &Event<'_>, line: u64) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::TableCell | Tag::HtmlBlock) => self.begin(line),
            // The text of a list's item ends where an inner list begins.
            Event::Start(Tag::Paragraph | Tag::Item | Tag::List(_)) => {
                self.sentence();
                self.begin(line);
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item) => self.sentence(),
            Event::Start(Tag::CodeBlock(kind)) => {
                self.text.clear();
                // The text of a fenced block begins below its fence.
                self.begin = line + u64::from(kind.is_fenced());
            }
            Event::Start(Tag::TableHead) => self.header_line = line,
            Event::End(TagEnd::Heading(_)) => self.heading = self.taken(),
            Event::End(TagEnd::TableCell) => {
                let cell = self.taken();
                self.cells.push(cell);
            }
            Event::End(TagEnd::TableHead) => self.header = std::mem::take(&mut self.cells),
            Event::End(TagEnd::TableRow) => {
                let cells = std::mem::take(&mut self.cells);
                if self.room.take(cells.len()) {
                    self.rows.push((line, cells));
                }
            }
            Event::End(TagEnd::Table) => self.table(),
            Event::End(TagEnd::CodeBlock) => self.code(),
            Event::End(TagEnd::HtmlBlock) => {
                let text = std::mem::take(&mut self.text);
                let found = html::parts(&text, self.begin, self.room);
                self.parts
                    .extend(found.into_iter().map(|part| Part { heading: self.heading.clone(), ..part }));
            }
            Event::Text(text) | Event::Code(text) | Event::Html(text) => self.text.push_str(text),
            Event::SoftBreak => self.text.push(' '),
            Event::HardBreak => self.text.push('\n'),
            _ => {}
        }
    }

    fn begin(&mut self, line: u64) {
        self.text.clear();
        self.begin = line;
    }

    /// The text that was collected.
    fn taken(&mut self) -> String {
        std::mem::take(&mut self.text).trim().to_owned()
    }

    fn sentence(&mut self) {
        let text = self.taken();
        if !text.is_empty() {
            let piece = Piece::Text(Line { number: self.begin, text });
            self.parts.push(Part { heading: self.heading.clone(), piece });
        }
    }

    fn table(&mut self) {
        let (header, lines) = (std::mem::take(&mut self.header), std::mem::take(&mut self.rows));
        if header.len() <= COLUMNS_MAX && !lines.is_empty() {
            let grid = Grid {
                header_line: self.header_line,
                header,
                lines,
                misfits: Misfits::Remark,
                around: Shown::default(),
            };
            self.parts.push(Part { heading: self.heading.clone(), piece: Piece::Table(grid) });
        }
    }

    fn code(&mut self) {
        let text = std::mem::take(&mut self.text);
        let lines =
            (self.begin..).zip(text.lines()).map(|(number, text)| Line { number, text: text.to_owned() });
        self.parts.push(Part { heading: self.heading.clone(), piece: Piece::Preformatted(lines.collect()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_code_of_a_page() {
        let page = "# Results\n\nText.\n\n| a | **b** |\n|---|--:|\n| `x` | 5 |\n| y | 6 |\n\n## More\n\n```text\nq  r\n1  2\n```\n";
        assert!(is_page(page) && !is_page("a,b\n1,2\n") && !is_page("a | b\nc | d\n"));
        let parts = parts(page, &mut Room::default());
        assert_eq!(
            parts.iter().map(|part| part.heading.as_str()).collect::<Vec<_>>(),
            ["Results", "Results", "More"]
        );
        let Piece::Text(text) = &parts[0].piece else { panic!("{parts:?}") };
        assert_eq!((text.number, text.text.as_str()), (3, "Text."));
        let Piece::Table(grid) = &parts[1].piece else { panic!("{parts:?}") };
        assert_eq!((grid.header_line, grid.header.join(",")), (5, "a,b".to_owned()));
        assert_eq!(
            grid.lines,
            [(7, vec!["x".to_owned(), "5".to_owned()]), (8, vec!["y".to_owned(), "6".to_owned()])]
        );
        let Piece::Preformatted(lines) = &parts[2].piece else { panic!("{parts:?}") };
        assert_eq!((lines[0].number, lines[0].text.as_str()), (13, "q  r"));
    }
}
