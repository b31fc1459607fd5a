//! The difference between B and A, in words that the terminal and the page share.

use crate::quantity;
use crate::wording::counted;
use model::units::format_significant;
use verdict::compare::{Comparison, Held, Row, Ruling};
use verdict::{Answer, Estimate};

/// Larger ratios are printed as ratios: `+1 130 %` is harder to read than `12.3×`.
const FACTOR: f64 = 10.0;

/// A ratio as a change: `+15.7 %`, `−3.2 %`, `12.3×`.
pub(crate) fn change(ratio: f64) -> String {
    if ratio >= FACTOR {
        return format!("{}×", format_significant(ratio));
    }
    format!("{} %", percentage(ratio))
}

/// `+15.7`, `−3.2`.
fn percentage(ratio: f64) -> String {
    let text = format!("{:+.1}", (ratio - 1.0) * 100.0);
    // A rounded zero has no direction.
    match text.as_str() {
        "+0.0" | "-0.0" => "0.0".to_owned(),
        _ => text.replace('-', "−"),
    }
}

/// The change with its interval: `+15.7 % [+12.0 to +19.5]`; a dash if nothing was compared.
pub(crate) fn with_interval(ratio: Option<&Estimate>) -> String {
    let Some((ratio, point)) = ratio.and_then(|ratio| Some((ratio, ratio.point?))) else {
        return "–".to_owned();
    };
    let Some((low, high)) = ratio.interval else { return change(point) };
    // If the unit is the same for all three, it is printed once.
    let in_percent = [point, low, high].iter().all(|ratio| *ratio < FACTOR);
    let [low, high] = [low, high].map(if in_percent { percentage } else { change });
    format!("{} [{low} to {high}]", change(point))
}

/// The answer in a word or two.
pub(crate) fn answer(row: &Row) -> String {
    match row.answer {
        Answer::Different => {
            let judged = match row.better {
                Some(true) => "better",
                Some(false) => "worse",
                None => "different",
            };
            let small = if row.within_margin { ", below 5 %" } else { "" };
            format!("{judged}{small}")
        }
        Answer::Equivalent => "same within 5 %".to_owned(),
        Answer::Undecided => match row.rounds_needed {
            Some(rounds) => format!("undecided, +{}", counted(rounds, "round")),
            None => "undecided".to_owned(),
        },
        Answer::NotAssessable => "no answer".to_owned(),
    }
}

/// The meaning of the rounds behind "undecided"; `None` if no row has any.
pub(crate) fn rounds_note(rows: &[Row]) -> Option<&'static str> {
    let any = rows.iter().any(|row| row.rounds_needed.is_some());
    any.then_some("further rounds in each run that would decide it, if effect and scatter stay as they are")
}

/// The name of a row's configuration.
pub(crate) fn place(row: &Row) -> &str {
    match row.configuration.as_deref() {
        None => "all configurations",
        Some("") => "the one configuration",
        Some(label) => label,
    }
}

/// The meaning of the brackets: `99 % simultaneous interval`.
pub(crate) fn level(rows: &[Row]) -> Option<String> {
    let level = rows.iter().find_map(|row| row.ratio.as_ref()?.level)?;
    Some(quantity::exact_percent(level))
}

/// The number of comparisons by answer, over all studies; it comes first.
pub(crate) fn summary(comparison: &Comparison) -> String {
    counts("B against A, ", comparison.studies.iter().flat_map(|study| &study.rows))
}

/// The number of these comparisons by answer: `3 comparisons: 1 worse, 2 undecided.`
pub(crate) fn counts<'a>(prefix: &str, rows: impl Iterator<Item = &'a Row>) -> String {
    let rows: Vec<&Row> = rows.collect();
    if rows.is_empty() {
        return "The runs have no comparable measurements.".to_owned();
    }
    let word = |row: &Row| match (row.answer, row.better) {
        (Answer::Different, Some(false)) => "worse",
        (Answer::Different, Some(true)) => "better",
        (Answer::Different, None) => "different",
        (Answer::Equivalent, _) => "same within 5 %",
        (Answer::Undecided, _) => "undecided",
        (Answer::NotAssessable, _) => "without an answer",
    };
    let order = ["worse", "better", "different", "same within 5 %", "undecided", "without an answer"];
    let told = order.iter().filter_map(|wanted| {
        let count = rows.iter().filter(|row| word(row) == *wanted).count();
        (count > 0).then(|| format!("{count} {wanted}"))
    });
    format!("{prefix}{}: {}.", counted(rows.len(), "comparison"), told.collect::<Vec<_>>().join(", "))
}

/// The number of rows by their outcome under a limit: `of 5 comparisons 1 beyond the limit, 4 within it`.
pub(crate) fn held(ruling: &Ruling) -> String {
    let Ruling { gate: _, outcome: _, broken, undecided, kept, unjudged: _ } = ruling;
    let counted = [
        (broken.len(), "beyond the limit"),
        (undecided.len(), "not decided"),
        (kept.len(), "within it"),
        (ruling.rows_unjudged(), "not judged"),
    ];
    let all = counted.iter().map(|(count, _)| count).sum();
    let told = counted.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
    match told[..] {
        [] => "no study of both runs has it".to_owned(),
        _ => format!("of {} {}", self::counted(all, "comparison"), told.join(", ")),
    }
}

/// One row under a limit: `commit mode=direct: +14.2 % [+11.0 to +17.5]`.
pub(crate) fn held_row(held: &Held) -> String {
    format!("{}: {}", held.row, with_interval(Some(&held.ratio)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_direction_and_factors_have_none() {
        for (ratio, text) in
            [(1.157, "+15.7 %"), (0.968, "−3.2 %"), (1.000_2, "0.0 %"), (12.34, "12.3×"), (0.9999, "0.0 %")]
        {
            assert_eq!(change(ratio), text);
        }
    }

    /// In `12.3× [+850.0, 16.0×]` the unit of 850 was missing.
    #[test]
    fn a_bound_has_a_unit_of_its_own_where_it_differs() {
        for (point, interval, text) in [
            (1.157, (1.12, 1.195), "+15.7 % [+12.0 to +19.5]"),
            (12.34, (9.5, 16.0), "12.3× [+850.0 % to 16.0×]"),
            (12.34, (11.0, 13.0), "12.3× [11.0× to 13.0×]"),
        ] {
            let estimate =
                Estimate { point: Some(point), interval: Some(interval), level: Some(0.95), reason: None };
            assert_eq!(with_interval(Some(&estimate)), text);
        }
    }
}
