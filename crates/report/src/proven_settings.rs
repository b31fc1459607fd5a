//! A proof as the settings file that PostgreSQL loads: each setting with its proof in the comment above it. What is not proven, or
//! proven worse, stands as a comment.

use crate::terminal::wrap;
use crate::wording::proof as words;
use model::printable;
use proof::{Line, Outcome, Proof, Standing};
use std::fmt::Write as _;

/// Columns of a comment.
const WIDTH: usize = 96;

/// The file's text; `None` if no change was asked about.
///
/// Text from the records is in comments of one line each, without control characters, so it cannot end them.
pub fn proven_settings(proof: &Proof) -> Option<String> {
    proof.settings.first()?;
    let mut text = String::new();
    comment(&mut text, &format!("{}, {}.", words::title(proof), proof.design.created_at));
    comment(&mut text, &words::ending(proof));
    for claim in proof.bundle.iter().chain(&proof.mended) {
        let subject = words::subject(proof, claim);
        comment(&mut text, &format!("{}: {subject}. {}", words::word(&claim.outcome), words::claim(claim)));
    }
    if let Some(floor) = words::floor(proof) {
        comment(&mut text, &floor);
    }
    for standing in &proof.settings {
        text.push('\n');
        setting(&mut text, standing);
    }
    Some(text)
}

fn setting(text: &mut String, standing: &Standing) {
    let claim = &standing.claim;
    let word = match claim.outcome {
        Outcome::Undecided { .. } => "not proven",
        Outcome::Proven | Outcome::Harmless | Outcome::Refuted => words::word(&claim.outcome),
    };
    comment(text, &format!("{word}: {}", words::claim(claim)));
    if let Some(predicted) = &standing.predicted {
        comment(text, &words::predicted(predicted));
    }
    let is_good = matches!(claim.outcome, Outcome::Proven | Outcome::Harmless);
    if is_good && standing.line == Line::Comment {
        comment(text, "The settings that it was measured among are not proven together, so it is left out.");
    }
    let line = format!("{} = {}", printable(&standing.name), quoted(&standing.value));
    match standing.line {
        // Writing to a String cannot fail.
        Line::Active => drop(writeln!(text, "{line}")),
        Line::Comment => comment(text, &line),
    }
}

/// As `postgresql.conf` has it: quotes around what is not a plain word or number.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let value = printable(value);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.into_owned();
    }
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
}

fn comment(text: &mut String, sentence: &str) {
    for line in wrap(&printable(sentence), WIDTH) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# {line}");
    }
}
