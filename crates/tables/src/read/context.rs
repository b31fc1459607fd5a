//! What stands around a table and holds for its rows: the heading above it, the fio command above it, the page's text.
//! Columns and labels count more, in that order.

use super::fio_command::setting_of_command;
use super::part::{Part, Piece};
use super::program::fio_jobs;
use crate::hint::{self, Facts, Sentence};
use laws::{Circumstances, Claim};
use std::collections::{BTreeMap, BTreeSet};

/// Columns of a table of names and values, the last of which explains.
const NAMES_AND_VALUES: usize = 3;
/// Lines of such a table.
const LINES_MAX: usize = 100;

/// What a command line says.
#[derive(Clone, Debug)]
pub(super) struct Command {
    line: u64,
    setting: Circumstances,
}

/// The fio commands of a page, as its parts go by.
#[derive(Default)]
pub(super) struct Commands {
    last: Option<Command>,
    heading: String,
    /// Whether a table followed.
    is_used: bool,
}

impl Commands {
    /// Looks for commands in a part that is not a table.
    pub(super) fn read(&mut self, part: &Part) {
        let lines: Vec<(u64, &str)> = match &part.piece {
            Piece::Table(_) => return,
            Piece::Text(line) => vec![(line.number, line.text.as_str())],
            Piece::Preformatted(_) => part.lines().collect(),
        };
        let Some((line, jobs)) = fio_jobs(&lines) else { return };
        // Jobs that differ say nothing of a table's rows but what they have in common.
        let mut common = jobs.first().cloned().unwrap_or_default();
        common.retain(|name, value| jobs.iter().all(|job| job.get(name) == Some(value)));
        let open = jobs.iter().flat_map(BTreeMap::keys).filter(|name| !common.contains_key(*name));
        let open: Vec<(String, String)> = open.map(|name| (name.clone(), "$".to_owned())).collect();
        common.extend(open);
        self.last = Some(Command { line, setting: setting_of_command(common) });
        self.heading.clone_from(&part.heading);
        self.is_used = false;
    }

    /// Forgets a command whose output is on the page.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// The command for a table below this heading: of those below the same one, and else for the first table only.
    pub(super) fn above(&mut self, heading: &str) -> Option<Command> {
        if self.is_used && self.heading != heading {
            self.last = None;
        }
        self.is_used = true;
        self.last.clone()
    }
}

/// What the text of a page states, and its tables of names and values.
pub(super) fn facts(parts: &[Part]) -> Facts {
    let mut facts = Facts::default();
    for Part { heading, piece } in parts {
        let mut read = |line: u64, text: &str| facts.read(Sentence { line, heading, text });
        match piece {
            Piece::Text(line) => read(line.number, &line.text),
            Piece::Table(grid) if grid.header.len() <= NAMES_AND_VALUES => {
                for (line, cells) in grid.lines.iter().take(LINES_MAX) {
                    if let [name, value, ..] = cells.as_slice() {
                        read(*line, &format!("{name}: {value}"));
                    }
                }
            }
            Piece::Table(_) | Piece::Preformatted(_) => {}
        }
    }
    facts
}

/// What a table took from around it.
pub(super) struct Taken {
    /// Sentences about its heading and its command.
    pub(super) remarks: Vec<String>,
    /// Roles that the page's text filled in.
    pub(super) of_text: BTreeSet<&'static str>,
}

/// Fills in what columns and labels left open.
pub(super) fn fill(rows: &mut [Claim], heading: &str, command: Option<&Command>, facts: &Facts) -> Taken {
    let mut remarks = Vec::new();
    let all = |rows: &mut [Claim], setting: &Circumstances| -> BTreeSet<&'static str> {
        rows.iter_mut().flat_map(|row| row.setting.fill(setting.clone())).collect()
    };
    let listed = |names: BTreeSet<&'static str>| names.into_iter().collect::<Vec<_>>().join(", ");
    let mut of_heading = all(rows, &hint::of_heading(heading));
    if let Some(runs) = hint::stated_n(heading) {
        of_heading.extend(repeated(rows, runs));
    }
    if !of_heading.is_empty() {
        remarks.push(format!("Taken from the heading: {}.", listed(of_heading)));
    }
    if let Some(command) = command {
        let of_command = all(rows, &command.setting);
        if !of_command.is_empty() {
            remarks.push(format!(
                "Taken from the fio command of line {}: {}.",
                command.line,
                listed(of_command)
            ));
        }
    }
    let mut of_text = all(rows, &facts.setting());
    if let Some(runs) = facts.runs() {
        of_text.extend(repeated(rows, runs));
    }
    Taken { remarks, of_text }
}

/// A sentence about what was taken from the text of the page, with the lines that state it.
pub(super) fn of_text(names: &BTreeSet<&'static str>, facts: &Facts) -> Option<String> {
    let place = |name: &&str| match facts.line_of(name) {
        Some(line) => format!("{name} (line {line})"),
        None => (*name).to_owned(),
    };
    let told: Vec<String> = names.iter().map(place).collect();
    (!told.is_empty()).then(|| format!("Taken from the page's text: {}.", told.join(", ")))
}

/// States how often each row was measured that does not say it; the role's name if there is one.
fn repeated(rows: &mut [Claim], runs: u64) -> Option<&'static str> {
    let mut is_new = false;
    for row in rows.iter_mut().filter(|row| row.n.is_none()) {
        row.n = Some(runs);
        is_new = true;
    }
    is_new.then_some("n")
}
