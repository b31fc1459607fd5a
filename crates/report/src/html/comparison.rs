//! Two compared runs as one offline page without scripts.

use super::contents::{self, Entry};
use super::{audit, compared, page};
use crate::{change, quantity, wording};
use maud::{Markup, html as markup};
use verdict::compare::{Comparison, Difference, Outcome, Row, Ruling, RunFacts, StudyComparison};

/// Width of a row's plot in its own units; its middle means no change.
const PLOT: f64 = 200.0;

/// Renders the page: offline like the report, light and dark, without JavaScript. Changes come first, then the differences
/// around the runs, the tables, and the limits.
pub fn comparison_html(comparison: &Comparison, rulings: &[Ruling]) -> String {
    let title = format!("{} against {}", comparison.b.name, comparison.a.name);
    let study =
        |(place, study): (usize, &StudyComparison)| Entry::new(format!("#study-{place}"), &study.question);
    let studies: Vec<Entry> = comparison.studies.iter().enumerate().map(study).collect();
    let first = [Entry::new("#answers", "What changed"), Entry::new("#differs", "What differs")];
    let limits: Vec<Entry> = rulings.first().map(|_| Entry::new("#limits", "Limits")).into_iter().collect();
    let contents = contents::navigation(&first, "Questions", &studies, &limits);
    let text = markup! {
        header.page {
            h1 { (title) }
            p.lead { (change::summary(comparison)) " " (wording::machines(&comparison.machines)) }
            @if let Some(open) = not_kept(rulings) { p.lead { strong { (open) } } }
        }
        main #main {
            (compared::answers(comparison))
            (differs(comparison))
            @for (index, study) in comparison.studies.iter().enumerate() { (section(study, index)) }
            (compared::limits(rulings))
        }
        footer {
            p {
                "Syncline " (comparison.a.program_version)
                @if comparison.b.program_version != comparison.a.program_version {
                    " and " (comparison.b.program_version)
                }
                " · B ÷ A by Welch's t test on logarithms"
            }
        }
    };
    page(&title, &super::unbreakable(contents), &super::unbreakable(text), &markup! {}).into_string()
}

/// The limits that are not proven to be kept, as a sentence.
fn not_kept(rulings: &[Ruling]) -> Option<String> {
    let words = |ruling: &Ruling| {
        let word = match ruling.outcome {
            Outcome::Broken => "broken",
            Outcome::Undecided => "not decided",
            Outcome::NotJudged => "not judged",
            Outcome::Kept => return None,
        };
        Some(format!("{} is {word}", ruling.gate))
    };
    let open: Vec<String> = rulings.iter().filter_map(words).collect();
    (!open.is_empty()).then(|| format!("{}.", open.join("; ")))
}

fn differs(comparison: &Comparison) -> Markup {
    markup! {
        section aria-labelledby="differs" {
            h2 #differs { "What differs" }
            dl.facts {
                div.wide { dt { "A" } dd { (run(&comparison.a)) } }
                div.wide { dt { "B" } dd { (run(&comparison.b)) } }
            }
            (differences("Around the runs", &comparison.surroundings))
            (differences("Set differently, as allowed", &comparison.knobs))
            @for remark in &comparison.remarks { p.remark { (wording::comparison_remark(remark)) } }
        }
    }
}

fn run(side: &RunFacts) -> String {
    let RunFacts { name, host, kernel, disk, created_at, program_version: _ } = side;
    format!("{name} · {disk} · {host} · Linux {kernel} · {created_at}")
}

fn differences(title: &str, differences: &[Difference]) -> Markup {
    if differences.is_empty() {
        return markup! {};
    }
    markup! {
        h3 { (title) }
        div.scroll role="group" aria-label=(title) tabindex="0" {
            table {
                thead { tr { th scope="col" { "What" } th scope="col" { "A" } th scope="col" { "B" } } }
                tbody {
                    @for Difference { what, a, b } in differences {
                        tr { th scope="row" { (what) } td { (a) } td { (b) } }
                    }
                }
            }
        }
    }
}

fn section(study: &StudyComparison, index: usize) -> Markup {
    let level = change::level(&study.rows);
    markup! {
        section.study id={ "study-" (index) } aria-labelledby={ "title-" (index) } {
            p.kicker { "Study " (study.name) " · " a href="#contents" { "contents" } }
            h2 id={ "title-" (index) } { (study.question) }
            @for left_out in &study.left_out { p.remark { (wording::left_out(left_out)) } }
            @for metric in &study.metrics {
                @let rows: Vec<&Row> = study.rows.iter().filter(|row| row.metric == *metric).collect();
                (table(metric, &rows))
            }
            p.note {
                "Mean ± half the width of its 95 % t interval over n trials of A and B."
                @if let Some(cut) = wording::cut(study.rows.iter().flat_map(|row| [&row.a, &row.b])) { " In brackets " (cut) "." }
                @if let Some(level) = level {
                    " In square brackets the " (level) " interval of the change"
                    @if study.family > 1 { ": " (study.family) " comparisons share 5 % of error" }
                    "."
                }
                @if let Some(note) = change::rounds_note(&study.rows) { " + rounds: " (note) "." }
            }
            @if !study.audits.is_empty() {
                h3 { "What could not be trusted" }
                ul.audits {
                    @for found in &study.audits {
                        li {
                            (audit::status_badge(found.status))
                            p { strong { (found.name) } " in " (found.side) ": " (found.summary) }
                        }
                    }
                }
            }
        }
    }
}

fn table(metric: &str, rows: &[&Row]) -> Markup {
    let named = quantity::named(metric);
    let heading = named.heading();
    let reach = reach(rows);
    let reason = |row: &Row| row.why.as_ref().map(|why| wording::row_reason(why, metric));
    let mut reasons: Vec<String> = Vec::new();
    for why in rows.iter().filter_map(|row| reason(row)) {
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    markup! {
        h3 { (heading) @if !named.direction().is_empty() { " (" (named.direction()) ")" } }
        div.scroll role="group" aria-label=(heading) tabindex="0" {
            table.changes {
                thead {
                    tr {
                        th scope="col" { "Configuration" }
                        th.number scope="col" { "A" }
                        th.number scope="col" { "B" }
                        th.number scope="col" { "B against A" }
                        td.bar aria-hidden="true" {}
                        th scope="col" { "Answer" }
                        th.number scope="col" { "n" }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" { (change::place(row)) }
                            td.number { (quantity::plus_minus_text(&row.a, named.unit)) }
                            td.number { (quantity::plus_minus_text(&row.b, named.unit)) }
                            td.number { (change::with_interval(row.ratio.as_ref())) }
                            td.bar.interval aria-hidden="true" { (plot(row, reach)) }
                            td title=[reason(row)] {
                                (change::answer(row))
                                @if let Some(place) = reason(row).and_then(|why| reasons.iter().position(|it| *it == why)) {
                                    " [" (place + 1) "]"
                                }
                            }
                            td.number { (row.n_a) "+" (row.n_b) }
                        }
                    }
                }
            }
        }
        @for (index, why) in reasons.iter().enumerate() { p.note { "[" (index + 1) "] " (why) } }
    }
}

/// The largest distance of any row's interval from no change, as a logarithm; at least a tenth, so that small changes do
/// not look large.
fn reach(rows: &[&Row]) -> f64 {
    let bounds = rows.iter().filter_map(|row| row.ratio.as_ref()?.interval);
    let farthest = bounds.flat_map(|(low, high)| [low.ln().abs(), high.ln().abs()]);
    farthest.filter(|reach| reach.is_finite()).fold(1.1_f64.ln(), f64::max)
}

/// The interval as a line with its estimate as a dot; the text beside it has the same content.
fn plot(row: &Row, reach: f64) -> Markup {
    let Some((point, (low, high))) =
        row.ratio.as_ref().and_then(|ratio| Some((ratio.point?, ratio.interval?)))
    else {
        return markup! {};
    };
    let x = |ratio: f64| format!("{:.1}", (ratio.ln() / reach).clamp(-1.0, 1.0) * PLOT / 2.0);
    markup! {
        svg viewBox={ (-PLOT / 2.0 - 6.0) " -8 " (PLOT + 12.0) " 16" } width="160" height="13" {
            line x1="0" x2="0" y1="-8" y2="8" stroke="var(--line)" stroke-width="2" {}
            line x1=(x(low)) x2=(x(high)) y1="0" y2="0" stroke="var(--accent)" stroke-width="3" {}
            circle cx=(x(point)) cy="0" r="5" fill="var(--accent)" {}
        }
    }
}
