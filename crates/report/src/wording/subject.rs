//! The subject of a finding in words: factors, levels, and the held level of another factor.

use model::Value;
use model::every_trial::RANKS;
use model::figure::round_figure;
use model::metric::Unit;
use model::units::{format_bytes_approximate, format_significant};
use verdict::Estimate;
use verdict::finding::{Finding, Levels, Subject};

/// The subject of a finding as a label: `direct against buffered with cached_percentage = 0`.
pub(crate) fn text(finding: &Finding) -> String {
    let text = compared(finding);
    match at(finding) {
        at if at.is_empty() => text,
        at => format!("{text} with {at}"),
    }
}

/// The cells or levels of a finding, each with its label and estimate: `iodepth=4`.
pub(crate) fn parts(finding: &Finding) -> impl Iterator<Item = (String, &Estimate)> {
    let cells = finding.by_cell.iter().map(|(label, estimate)| (label.clone(), estimate));
    let levels = finding.by_level.iter();
    cells.chain(levels.map(|at| (format!("{}={}", finding.ask.factor, at.level), &at.estimate)))
}

/// The same without the held level: `direct against buffered`.
pub(super) fn compared(finding: &Finding) -> String {
    let factor = &finding.ask.factor;
    match &finding.subject {
        Subject::Factor => factor.clone(),
        Subject::Range { first, last } => format!("{factor} {first} to {last}"),
        Subject::Level(level) => name(factor, level),
        Subject::Levels(_) | Subject::Arms { .. } | Subject::Rung(_) => {
            finding.subject.levels().map_or_else(String::new, |levels| {
                let (level, baseline) = names(levels);
                format!("{level} against {baseline}")
            })
        }
        Subject::Ladder => "the durability ladder".to_owned(),
    }
}

/// A sentence about it, after the levels of the ask: `With cached_percentage = 0, …`; mostly the sentence alone. Its first word
/// is a name, or one of [`first_word`].
pub(super) fn opened(finding: &Finding, sentence: &str) -> String {
    match opening(finding) {
        Some(opening) => format!("{opening}, {sentence}"),
        None => sentence.to_owned(),
    }
}

/// The word or title that a sentence about it begins with, if that is not a name: capital if nothing stands before it.
pub(super) fn first_word(finding: &Finding, word: &str) -> String {
    if opening(finding).is_none() { capital(word) } else { word.to_owned() }
}

/// What stands before a sentence. Rank 0 gets less beside more ranks, while all of them together may get more.
fn opening(finding: &Finding) -> Option<String> {
    let at = at(finding);
    let is_of_ranks = finding.ask.factor == RANKS;
    match (is_of_ranks, at.is_empty()) {
        (true, true) => Some("For rank 0 alone".to_owned()),
        (true, false) => Some(format!("For rank 0 alone, with {at}")),
        (false, true) => None,
        (false, false) => Some(format!("With {at}")),
    }
}

fn at(finding: &Finding) -> String {
    let held = finding.ask.at.iter().map(|held| format!("{} = {}", held.factor, held.level));
    held.collect::<Vec<_>>().join(", ")
}

/// A level in a sentence: `direct`, or `group_size = 4` if the level is a bare number.
pub(crate) fn name(factor: &str, level: &Value) -> String {
    match level {
        Value::Name(name) => name.clone(),
        Value::Bytes(_)
        | Value::Duration(_)
        | Value::Count(_)
        | Value::Number(_)
        | Value::Percent(_)
        | Value::Flag(_) => format!("{factor} = {level}"),
    }
}

/// Names of the level and of the baseline.
pub(crate) fn names(levels: &Levels) -> (String, String) {
    (name(&levels.factor, &levels.level), name(&levels.factor, &levels.baseline))
}

/// The sides of a finding's ratio and counters: level and baseline, or the last level of a range and the first.
pub(crate) fn sides(finding: &Finding) -> Option<(String, String)> {
    match &finding.subject {
        Subject::Range { first, last } => {
            let factor = &finding.ask.factor;
            Some((format!("{factor} = {last}"), format!("{factor} = {first}")))
        }
        subject => subject.levels().map(names),
    }
}

/// Levels in a list: `1, 2, 4`.
pub(super) fn list(levels: &[Value]) -> String {
    levels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A place on this level's axis, between levels or at one: `33.3 %`, `48.0 MiB`.
pub(crate) fn place(number: f64, on_axis_of: Option<&Value>) -> String {
    match on_axis_of {
        Some(Value::Percent(_)) => format!("{} %", format_significant(number)),
        Some(Value::Bytes(_)) => format_bytes_approximate(number),
        Some(Value::Duration(_)) => round_figure(number, Unit::Seconds),
        Some(Value::Count(_) | Value::Number(_) | Value::Flag(_) | Value::Name(_)) | None => {
            round_figure(number, Unit::Count)
        }
    }
}

/// The first letter as at the start of a sentence; a name such as `wal_layout` is unchanged.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if !word.contains('_') => first.to_uppercase().chain(letters).collect(),
        Some(_) | None => word.to_owned(),
    }
}
