//! A document as lines for a terminal.

mod columns;
mod lines;

pub use lines::{Lines, fitted, wrap};

use crate::answer::Answer;
use crate::block::{Block, Item, List, Role, Table};
use crate::document::{Document, Section};
use crate::figure::Figure;
use crate::forms::Forms;
use crate::text::{Badge, Tone};
use columns::Layout;
use lines::width;

/// Narrower lines are unreadable, so they overflow instead.
pub const WIDTH_MIN: usize = 60;

/// Indent of an item of a list.
const ITEM: usize = 2;
/// Indent of what belongs to an item.
const BELOW: usize = 6;

/// Renders a document for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn document(document: &Document, width: usize, colour: bool) -> String {
    let mut terminal = Terminal::new(width, colour);
    terminal.lines.heading(&document.title.words());
    for lead in &document.lead {
        terminal.lines.paragraph(0, lead);
    }
    terminal.sections(&document.conclusion);
    terminal.sections(&document.sections);
    if let Some(elsewhere) = document.elsewhere.as_ref().filter(|_| terminal.has_left_out) {
        terminal.lines.gap();
        terminal.lines.labelled(ITEM, &[(Tone::Faint, "more")], elsewhere);
    }
    if let Some(closing) = &document.closing {
        terminal.lines.gap();
        terminal.lines.paragraph(0, closing);
    }
    terminal.lines.finish()
}

/// Renders sections that stand among other text.
pub fn sections(sections: &[Section], width: usize, colour: bool) -> String {
    let mut terminal = Terminal::new(width, colour);
    terminal.sections(sections);
    terminal.lines.finish()
}

struct Terminal {
    lines: Lines,
    has_left_out: bool,
}

impl Terminal {
    fn new(width: usize, colour: bool) -> Self {
        Self { lines: Lines::new(width.max(WIDTH_MIN), colour), has_left_out: false }
    }

    fn sections(&mut self, sections: &[Section]) {
        for section in sections {
            if section.forms != Forms::All {
                self.has_left_out = true;
                continue;
            }
            self.lines.gap();
            let heading = section.heading.words();
            match &section.kicker {
                Some(kicker) => self.lines.heading(&format!("{} — {heading}", kicker.words())),
                None => self.lines.heading(&heading),
            }
            self.blocks(&section.blocks, 0);
            self.sections(&section.sections);
        }
    }

    fn blocks(&mut self, blocks: &[Block], indent: usize) {
        let mut before = None;
        for block in blocks.iter().filter(|block| is_printed(block)) {
            if before.is_some_and(|before| is_apart(before, block)) {
                self.lines.gap();
            }
            self.block(block, indent);
            before = Some(block);
        }
    }

    fn block(&mut self, block: &Block, indent: usize) {
        let item = if indent == 0 { ITEM } else { indent };
        match block {
            Block::Paragraph(Role::Plain, text) => self.lines.paragraph(indent, text),
            Block::Paragraph(Role::Answer, text) => {
                self.lines.labelled(item, &[(Tone::Strong, "Answer")], text);
            }
            Block::Paragraph(Role::Note, text) => self.lines.paragraph(item, text),
            Block::Paragraph(Role::Remark, text) => {
                self.lines.labelled(item, &[(Tone::Warn, "note")], text);
            }
            Block::List(list) => self.list(list, item),
            Block::Facts(facts) => {
                let names: Vec<String> = facts.iter().map(|(name, _)| name.words()).collect();
                let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
                for (name, (_, value)) in names.iter().zip(facts) {
                    self.lines.labelled(item, &[(Tone::Faint, &padded(name, widest))], value);
                }
            }
            Block::Table(table) => self.table(table),
            Block::Details(details) => {
                self.has_left_out = true;
                self.lines.labelled(item, &[(Tone::Faint, "more")], &details.summary);
            }
            Block::Folded(details) => self.blocks(&details.blocks, indent),
            Block::Only(Forms::All, blocks) => self.blocks(blocks, indent),
            Block::Only(Forms::Pages | Forms::Html, _) => {}
            Block::Figure(figure) => {
                if let Some(alternative) = &figure.alternative {
                    self.lines.paragraph(item, alternative);
                }
            }
            Block::Answers(answers) => answers.iter().for_each(|answer| self.answer(answer, item)),
        }
    }

    fn table(&mut self, table: &Table) {
        match columns::lay_out(table, &self.lines) {
            Layout::Beside(parts) => {
                for (part, columns) in parts.into_iter().enumerate() {
                    if part > 0 {
                        self.lines.gap();
                    }
                    columns.heading(&mut self.lines);
                    for (place, row) in table.rows.iter().enumerate() {
                        columns.row(&mut self.lines, place);
                        self.blocks(&row.details, BELOW);
                    }
                }
            }
            Layout::Below(records) => {
                for (record, row) in records.iter().zip(&table.rows) {
                    record.write(&mut self.lines, (ITEM, BELOW));
                    self.blocks(&row.details, BELOW);
                }
            }
        }
        for (footnote, note) in table.footnotes() {
            self.lines.labelled(ITEM, &[(Tone::Faint, &footnote.mark())], note);
        }
    }

    /// Items with their badges and labels; badges have one width, so that what follows them is aligned.
    fn list(&mut self, list: &List, indent: usize) {
        let badges = list.items.iter().filter_map(|item| item.badge.as_ref());
        let badge_width = badges.map(|badge| width(badge.word)).max().unwrap_or(0);
        for (place, item) in list.items.iter().enumerate() {
            let number = list.is_numbered.then(|| (place + 1).to_string());
            self.item(item, number, badge_width, indent);
        }
    }

    fn item(&mut self, item: &Item, number: Option<String>, badge_width: usize, indent: usize) {
        let badge = item.badge.as_ref().map(|badge| (badge.tone, padded(badge.word, badge_width)));
        let label = item.label.as_ref().map(|label| (Tone::Strong, label.words()));
        let is_bare = badge.is_none() && label.is_none();
        let bullet = number.or_else(|| is_bare.then(|| "-".to_owned())).map(|bullet| (Tone::Faint, bullet));
        let labels: Vec<(Tone, String)> = bullet.into_iter().chain(badge).chain(label).collect();
        let labels: Vec<(Tone, &str)> = labels.iter().map(|(tone, text)| (*tone, text.as_str())).collect();
        self.lines.labelled(indent, &labels, &item.text);
        self.blocks(&item.below, BELOW.max(indent + BELOW - ITEM));
    }

    fn answer(&mut self, answer: &Answer, indent: usize) {
        let badge = answer.badge.as_ref().map(|Badge { tone, word, .. }| (*tone, *word));
        let name = answer.name.words();
        let labels: Vec<(Tone, &str)> = badge.into_iter().chain([(Tone::Strong, name.as_str())]).collect();
        self.lines.labelled(indent, &labels, &answer.text);
        if let Some(number) = &answer.number {
            let text = format!("{} ({}): {}", number.point, number.interval, number.what);
            self.lines.paragraph(BELOW, &text.into());
        }
    }
}

/// Whether a terminal has it: a drawing beside text of the same content is for a page.
const fn is_printed(block: &Block) -> bool {
    !matches!(
        block,
        Block::Figure(Figure { alternative: None, .. }) | Block::Only(Forms::Pages | Forms::Html, _)
    )
}

/// Whether an empty line stands between two blocks: around a table, but not before what explains it.
const fn is_apart(before: &Block, block: &Block) -> bool {
    match (before, block) {
        (Block::Table(_), Block::Paragraph(Role::Note, _) | Block::Details(_)) => false,
        (Block::Table(_), _) | (_, Block::Table(_)) => true,
        _ => false,
    }
}

fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Cell, Column, Spread};

    fn rendered(width: usize) -> String {
        let columns = vec![
            Column::Words("question".into()),
            Column::Figures("slowest of all".into()),
            Column::Drawings,
        ];
        let mut table = Table::new("Questions", columns);
        let note = Some(table.footnote("not measured"));
        table.row(vec![Cell::of("commits/s of commit"), Cell::of("9\u{2009}375 µs"), Cell::default()]);
        table.row(vec![Cell::of("IOPS"), Cell::of("–").with_footnote(note)]);
        table.rows[0].details = vec![Block::paragraph("measured again")];
        let mut terminal = Terminal { lines: Lines::new(width, false), has_left_out: false };
        terminal.table(&table);
        terminal.lines.finish()
    }

    #[test]
    fn figures_are_at_the_right_and_a_row_has_its_details_below() {
        let expected = " question             slowest of all\n\
                        ─────────────────────────────────────\n \
                         commits/s of commit        9\u{2009}375 µs\n      measured again\n \
                         IOPS                          – [1]\n  [1]  not measured\n";
        assert_eq!(rendered(80), expected);
    }

    #[test]
    fn words_and_headings_break_before_figures_do() {
        let expected = " question    slowest\n              of all\n\
                        ─────────────────────\n \
                         commits/s  9\u{2009}375 µs\n of commit\n      measured again\n \
                         IOPS          – [1]\n  [1]  not measured\n";
        assert_eq!(rendered(21), expected);
    }

    /// At 80 columns the rows of a comparison were 83 wide, and the terminal tore each of them.
    #[test]
    fn an_interval_stands_below_its_figure_before_a_row_is_torn() {
        let columns = vec![Column::Words("setting".into()), Column::Figures("change".into())];
        let mut table = Table::new("Changes", columns);
        table.row(vec![Cell::of("mode=direct"), Cell::of("−97.4 % [−97.7 to −96.9]")]);
        table.row(vec![Cell::of("mode=buffered"), Cell::of("–")]);
        let mut terminal = Terminal { lines: Lines::new(34, false), has_left_out: false };
        terminal.table(&table);
        let expected = " setting                  change\n\
                        ─────────────────────────────────\n \
                         mode=direct             −97.4 %\n                [−97.7 to −96.9]\n \
                         mode=buffered                 –\n";
        assert_eq!(terminal.lines.finish(), expected);
    }

    /// A table whose longest words need more columns than the terminal has went over its edge.
    #[test]
    fn a_table_that_does_not_fit_becomes_lines() {
        let columns = vec![
            Column::Words("setting".into()),
            Column::Figures("commits/s".into()),
            Column::Words("answer".into()),
        ];
        let mut table = Table::new("Settings", columns);
        let spread = Some(Spread::HalfWidth("3".to_owned()));
        table.row(vec![
            Cell::of("wal_sync_method=open_datasync"),
            Cell { spread, ..Cell::of("1\u{2009}200") },
            Cell::of("better"),
        ]);
        table.row(vec![Cell::of("wal_sync_method=fsync"), Cell::of("900"), Cell::default()]);
        let mut terminal = Terminal { lines: Lines::new(34, false), has_left_out: false };
        terminal.table(&table);
        let expected = "  wal_sync_method=open_datasync\n      commits/s  1\u{2009}200 ± 3\n      answer  better\n  \
                        wal_sync_method=fsync\n      commits/s  900\n";
        assert_eq!(terminal.lines.finish(), expected);
    }

    #[test]
    fn a_drawing_that_no_text_repeats_has_words_instead() {
        let drawing = Figure::beside_text(&maud::PreEscaped("<svg></svg>".to_owned()));
        let blocks =
            vec![Block::Figure(drawing.clone()), Block::Figure(drawing.with_alternative("a rising line"))];
        let found = sections(&[Section::new("", "Drawings", blocks)], 80, false);
        assert_eq!(found, "\nDrawings\n  a rising line\n");
    }

    /// A drawing before a table left an empty line below the heading.
    #[test]
    fn a_drawing_beside_a_table_takes_no_line() {
        let drawing = Block::Figure(Figure::beside_text(&maud::PreEscaped("<svg></svg>".to_owned())));
        let mut table = Table::new("Disks", vec![Column::Words("disk".into())]);
        table.row(vec![Cell::of("vda")]);
        let lines = |blocks| sections(&[Section::new("", "Disks", blocks)], 80, false);
        let table = Block::Table(table);
        assert_eq!(lines(vec![drawing, table.clone()]), lines(vec![table]));
    }

    /// The result of a comparison was on line 300: who read from the beginning did not find it. The last line is what
    /// a terminal shows.
    #[test]
    fn a_terminal_begins_with_the_conclusion_and_ends_with_its_sentence() {
        let section = |heading: &str| Section::new("", heading, vec![Block::paragraph("text")]);
        let found = Document {
            title: "title".into(),
            conclusion: vec![section("conclusion")],
            closing: Some("closing".into()),
            sections: vec![section("first"), section("page").on_a_page()],
            elsewhere: Some("on the page".into()),
            ..Document::default()
        };
        let expected = "title\n\nconclusion\ntext\n\nfirst\ntext\n\n  more  on the page\n\nclosing\n";
        assert_eq!(document(&found, 80, false), expected);
    }
}
