//! A page of Markdown, written block by block.

use super::escape::text;
use std::fmt::Write as _;

/// A page that grows block by block. Its input is escaped already, except headings, facts and cells.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn into_text(self) -> String {
        self.0
    }

    pub(super) fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    pub(super) fn gap(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    pub(super) fn heading(&mut self, level: usize, heading: &str) {
        self.gap();
        self.line(&format!("{} {}", "#".repeat(level), text(heading)));
        self.gap();
    }

    pub(super) fn paragraph(&mut self, paragraph: &str) {
        self.gap();
        self.line(paragraph);
        self.gap();
    }

    pub(super) fn item(&mut self, depth: usize, item: &str) {
        self.line(&format!("{}- {item}", "  ".repeat(depth)));
    }

    /// A table of names and values, without empty ones.
    pub(super) fn facts(&mut self, facts: &[(&str, String)]) {
        let rows: Vec<Vec<String>> = facts
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| vec![(*name).to_owned(), value.clone()])
            .collect();
        self.table(&["what".to_owned(), "value".to_owned()], &[], &rows);
    }

    /// A table; these columns contain numbers and are aligned to the right.
    pub(super) fn table(&mut self, headings: &[String], numbers: &[usize], rows: &[Vec<String>]) {
        self.gap();
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| text(cell)).collect();
            format!("| {} |", cells.join(" | "))
        };
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
