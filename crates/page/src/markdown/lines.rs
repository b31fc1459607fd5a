//! Markdown that grows block by block.

use super::escape::text;
use std::fmt::Write as _;

/// Lines of Markdown. Their input is escaped already, except headings, facts and the cells of [`Lines::table`].
#[derive(Default)]
pub struct Lines(String);

impl Lines {
    pub fn into_text(self) -> String {
        self.0
    }

    pub fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// An empty line, if there is none.
    pub fn gap(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    pub fn heading(&mut self, level: usize, heading: &str) {
        self.paragraph(&format!("{} {}", "#".repeat(level), text(heading)));
    }

    /// A block of its own.
    pub fn paragraph(&mut self, paragraph: &str) {
        self.gap();
        self.line(paragraph);
        self.gap();
    }

    /// An item inside of `depth` lists.
    pub fn item(&mut self, depth: usize, item: &str) {
        self.line(&format!("{}- {item}", "  ".repeat(depth)));
    }

    pub(super) fn numbered_item(&mut self, depth: usize, number: usize, item: &str) {
        self.line(&format!("{}{number}. {item}", "  ".repeat(depth)));
    }

    /// A table of names and values, without empty ones.
    pub fn facts(&mut self, facts: &[(&str, String)]) {
        let rows: Vec<Vec<String>> = facts
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| vec![(*name).to_owned(), value.clone()])
            .collect();
        self.table(&["what".to_owned(), "value".to_owned()], &[], &rows);
    }

    /// A table; these columns contain numbers and are aligned to the right.
    pub fn table(&mut self, headings: &[String], numbers: &[usize], rows: &[Vec<String>]) {
        let escaped = |cells: &[String]| cells.iter().map(|cell| text(cell)).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| escaped(row)).collect();
        self.escaped_table(&escaped(headings), numbers, &rows);
    }

    /// The same with cells that are escaped already.
    pub(super) fn escaped_table(&mut self, headings: &[String], numbers: &[usize], rows: &[Vec<String>]) {
        self.gap();
        let row = |cells: &[String]| format!("| {} |", cells.join(" | "));
        self.line(&row(headings));
        let mut rule = String::from("|");
        for column in 0..headings.len() {
            // Writing to a String cannot fail.
            let _ = write!(rule, "{}|", if numbers.contains(&column) { "---:" } else { "---" });
        }
        self.line(&rule);
        for cells in rows {
            self.line(&row(cells));
        }
        self.gap();
    }
}
