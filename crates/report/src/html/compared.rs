//! The result of a comparison: for each study one sentence, one change with its interval, and A beside B.

use super::{audit, small_plot};
use crate::headline::{Averaged, Row as PlotRow, Rows};
use crate::wording::{self, counted};
use crate::{change, quantity};
use maud::{Markup, html as markup};
use verdict::compare::{Comparison, Outcome, Row, Ruling, StudyComparison};
use verdict::{Answer, Estimate};

/// The answers: metrics that became worse first, then better, unchanged, and undecided ones.
pub(super) fn answers(comparison: &Comparison) -> Markup {
    let mut order: Vec<(usize, &StudyComparison)> = comparison.studies.iter().enumerate().collect();
    order.sort_by_key(|(_, study)| headline(study).map_or(u8::MAX, gravity));
    markup! {
        section.answers aria-labelledby="answers" {
            div.masthead {
                h2 #answers { "What changed from A to B" }
                p.caption { "dots: means over trials; lines: their 95 % intervals; axes begin at 0 unless logarithmic" }
            }
            @for (index, study) in order { (answer(study, index)) }
        }
    }
}

fn gravity(row: &Row) -> u8 {
    match (row.answer, row.better) {
        (Answer::Different, Some(false)) => 0,
        (Answer::Different, Some(true)) => 1,
        (Answer::Different, None) => 2,
        (Answer::Equivalent, _) => 3,
        (Answer::Undecided, _) => 4,
        (Answer::NotAssessable, _) => 5,
    }
}

fn answer(study: &StudyComparison, index: usize) -> Markup {
    let row = headline(study);
    markup! {
        article.answer-row {
            div.number { @if let Some(row) = row { (number(row)) } }
            div.said {
                h3 {
                    a href={ "#study-" (index) } { (study.name) }
                    @if let Some(row) = row { " " (badge(row)) }
                }
                p { @if let Some(row) = row { (sentence(row)) " " } (change::counts("", study.rows.iter())) }
            }
            @if let Some(row) = row { (small_plot::draw(&sides(row))) }
        }
    }
}

/// The row that a study's answer begins with: its first metric over all configurations, otherwise for the first one.
fn headline(study: &StudyComparison) -> Option<&Row> {
    let metric = study.metrics.first()?;
    let rows = || study.rows.iter().filter(|row| row.metric == *metric);
    rows().find(|row| row.configuration.is_none()).or_else(|| rows().next())
}

fn number(row: &Row) -> Markup {
    let ratio = row.ratio.as_ref();
    let point = ratio.and_then(|ratio| ratio.point).map_or_else(|| "–".to_owned(), change::change);
    markup! {
        p.point { (point) }
        p.interval { (interval(ratio)) }
        p.what { (quantity::named(&row.metric).title) ", " (change::place(row)) }
    }
}

/// The answer in words.
fn sentence(row: &Row) -> String {
    let (title, place) = (quantity::named(&row.metric).title, change::place(row));
    match row.answer {
        Answer::Different => format!("Mean {title} over {place} changed."),
        Answer::Equivalent => format!("Mean {title} over {place} stayed the same within 5 %."),
        Answer::Undecided => {
            let way_out = row.rounds_needed.map_or_else(String::new, |rounds| {
                format!("; about {} in each run would decide it", counted(rounds, "more round"))
            });
            format!("It is undecided whether mean {title} over {place} changed{way_out}.")
        }
        Answer::NotAssessable => {
            let why = row.why.as_ref().map(|why| wording::row_reason(why, &row.metric));
            let why = why.unwrap_or_else(|| "nothing was measured by both".to_owned());
            format!("No answer: {}.", why.trim_end_matches('.'))
        }
    }
}

/// `+12.0 % … +19.5 %, 99 %`, or the reason why there is none.
fn interval(ratio: Option<&Estimate>) -> String {
    let Some(ratio) = ratio else { return "no interval: nothing was compared".to_owned() };
    let Some((low, high)) = ratio.interval else {
        return format!("no interval: {}", quantity::reason(ratio));
    };
    let level = ratio.level.map(|level| format!(", {}", quantity::exact_percent(level))).unwrap_or_default();
    format!("{} to {}{level}", change::change(low), change::change(high))
}

fn badge(row: &Row) -> Markup {
    match (row.answer, row.better) {
        (Answer::Different, Some(false)) => audit::badge("✕", "Worse", "fail"),
        (Answer::Different, Some(true)) => audit::badge("✓", "Better", "pass"),
        (Answer::Different, None) => audit::answer_badge(Answer::Different),
        (Answer::Equivalent, _) => audit::badge("=", "Same within 5 %", "accent"),
        (Answer::Undecided | Answer::NotAssessable, _) => audit::answer_badge(row.answer),
    }
}

fn sides(row: &Row) -> Rows {
    let side = |label: &str, mean: &Estimate| PlotRow {
        label: label.to_owned(),
        mean: mean.clone(),
        is_marked: label == "B",
    };
    Rows {
        metric: row.metric.clone(),
        factors: "run".to_owned(),
        configurations: vec![side("A", &row.a), side("B", &row.b)],
        left_out: 0,
        figures: Averaged::Trials,
    }
}

/// The limits of the comparison; empty if there are none.
pub(super) fn limits(rulings: &[Ruling]) -> Markup {
    if rulings.is_empty() {
        return markup! {};
    }
    markup! {
        section.trust aria-labelledby="limits" {
            h2 #limits { "Limits" }
            ul.audits { @for ruling in rulings { li { (limit(ruling)) } } }
        }
    }
}

fn limit(ruling: &Ruling) -> Markup {
    let badge = match ruling.outcome {
        Outcome::Broken => audit::badge("✕", "Broken", "fail"),
        Outcome::Undecided => audit::badge("?", "Not decided", "warn"),
        Outcome::NotJudged => audit::badge("?", "Not judged", "unknown"),
        Outcome::Kept => audit::badge("✓", "Kept", "pass"),
    };
    markup! {
        (badge)
        div {
            p { code { (ruling.gate.text) } ": " (change::held(ruling)) "." }
            @if !ruling.broken.is_empty() {
                ul { @for held in &ruling.broken { li { "Beyond the limit: " (change::held_row(held)) } } }
            }
            @if !ruling.undecided.is_empty() {
                ul { @for held in &ruling.undecided { li { "Not decided: " (change::held_row(held)) } } }
            }
            @for unjudged in &ruling.unjudged {
                p.note { "Not judged: " (wording::unjudged(unjudged, &ruling.gate.metric)) @if !unjudged.rows.is_empty() { " (" (unjudged.rows.join(", ")) ")" } }
            }
        }
    }
}
