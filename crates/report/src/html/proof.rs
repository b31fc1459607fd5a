//! A proof as one offline page without scripts: what it comes to, a plot of all ratios, then each claim under each load.

use super::contents::{self, Entry};
use super::page;
use crate::quantity;
use crate::wording::proof as words;
use maud::{Markup, html as markup};
use proof::{Claim, Judged, Outcome, Proof, Ratio, Standing};
use verdict::EQUIVALENCE_MARGIN;

/// Width of a row's plot in its own units; its middle means no change.
const PLOT: f64 = 320.0;

/// Renders the page: offline like the report, light and dark.
pub fn proof_html(proof: &Proof) -> String {
    let title = words::title(proof);
    let rows = rows(proof);
    let first = [Entry::new("#outcome", "What is proven"), Entry::new("#loads", "Under each load")];
    let mut others = vec![Entry::new("#checked", "What was checked")];
    if !proof.candidates.is_empty() {
        others.insert(0, Entry::new("#candidates", "Candidates"));
    }
    let contents = contents::navigation(&first, "More", &others, &[]);
    let text = markup! {
        header.page {
            h1 { (title) }
            p.lead { (words::ending(proof)) }
        }
        main #main {
            section aria-labelledby="outcome" {
                h2 #outcome { "What is proven" }
                (table(&rows))
                p.note {
                    "Each ratio is transactions per second with the change ÷ without it, with its simultaneous interval. The shaded band is ±5 %."
                }
            }
            section aria-labelledby="loads" {
                h2 #loads { "Under each load" }
                @for row in &rows { (loads(row)) }
            }
            @if !proof.candidates.is_empty() {
                section aria-labelledby="candidates" {
                    h2 #candidates { "Candidates" }
                    p.note { "What was picked of them is proven above, on rounds that took no part in picking." }
                    (table(&candidates(proof)))
                }
            }
            (checked(proof))
        }
        footer { p { "Syncline " (proof.design.program_version) " · seed " (proof.design.seed) " · " (proof.design.created_at) } }
    };
    page(&title, &super::unbreakable(contents), &super::unbreakable(text), &markup! {}).into_string()
}

/// A claim with its name, and what was predicted of it.
struct Row<'a> {
    name: String,
    claim: &'a Claim,
    predicted: Option<String>,
}

fn rows(proof: &Proof) -> Vec<Row<'_>> {
    let whole = proof.bundle.iter().chain(&proof.mended).chain(&proof.servers);
    let whole = whole.map(|claim| Row { name: words::subject(proof, claim), claim, predicted: None });
    whole.chain(proof.settings.iter().map(of_standing)).collect()
}

fn candidates(proof: &Proof) -> Vec<Row<'_>> {
    proof.candidates.iter().map(of_standing).collect()
}

fn of_standing(standing: &Standing) -> Row<'_> {
    let predicted = standing.predicted.as_ref().map(words::predicted);
    Row { name: words::change(standing), claim: &standing.claim, predicted }
}

fn table(rows: &[Row<'_>]) -> Markup {
    let ratios = rows.iter().filter_map(|row| row.claim.decisive()?.ratio);
    let reach = reach(ratios);
    markup! {
        div.scroll role="group" aria-label="What is proven" tabindex="0" {
            table.changes {
                thead {
                    tr {
                        th scope="col" { "Change" }
                        th scope="col" { "Outcome" }
                        th.number scope="col" { "Ratio" }
                        td.bar aria-hidden="true" {}
                        th scope="col" { "Evidence" }
                    }
                }
                tbody {
                    @for row in rows {
                        @let ratio = row.claim.decisive().and_then(|judged| judged.ratio);
                        tr {
                            th scope="row" { (row.name) }
                            td { (badge(&row.claim.outcome)) }
                            td.number { (ratio.map_or_else(|| "–".to_owned(), |ratio| words::times(&ratio))) }
                            td.bar.interval aria-hidden="true" { (plot(ratio, reach)) }
                            td {
                                (words::claim(row.claim))
                                @if let Some(predicted) = &row.predicted { " " (predicted) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn loads(row: &Row<'_>) -> Markup {
    let reach = reach(row.claim.by_load.iter().filter_map(|judged| judged.ratio));
    markup! {
        @if !row.claim.by_load.is_empty() {
            h3 { (row.name) }
            div.scroll role="group" aria-label=(row.name) tabindex="0" {
                table.changes {
                    thead {
                        tr {
                            th scope="col" { "Load" }
                            th scope="col" { "Outcome" }
                            th.number scope="col" { "Without" }
                            th.number scope="col" { "With" }
                            th.number scope="col" { "Ratio" }
                            td.bar aria-hidden="true" {}
                            th.number scope="col" { "Rounds" }
                            th scope="col" { "Stage" }
                            th scope="col" { "Audits that warn" }
                        }
                    }
                    tbody { @for judged in &row.claim.by_load { (load(judged, reach)) } }
                }
            }
        }
    }
}

fn load(judged: &Judged, reach: f64) -> Markup {
    let unit = quantity::named(&judged.metric).unit;
    let mean = |of: fn((f64, f64)) -> f64| {
        judged.means.map_or_else(|| "–".to_owned(), |means| quantity::round_figure(of(means), unit))
    };
    markup! {
        tr {
            th scope="row" { (words::load(judged.load)) }
            td title=(words::judged(judged)) { (badge(&judged.outcome)) }
            td.number { (mean(|(base, _)| base)) }
            td.number { (mean(|(_, other)| other)) }
            td.number { (judged.ratio.map_or_else(|| "–".to_owned(), |ratio| words::times(&ratio))) }
            td.bar.interval aria-hidden="true" { (plot(judged.ratio, reach)) }
            td.number { (judged.rounds) }
            td { (judged.stage) }
            td { (judged.warnings.join(", ")) }
        }
    }
}

fn checked(proof: &Proof) -> Markup {
    let arms =
        |server: &proof::Server| server.settings().map_or_else(|why| why, |settings| settings.to_string());
    markup! {
        section aria-labelledby="checked" {
            h2 #checked { "What was checked" }
            @if let Some(floor) = words::floor(proof) { p { (floor) } p { (words::CHECKED) } }
            dl.facts {
                div.wide { dt { "What runs now" } dd { (arms(&proof.design.current)) } }
                @if let Some(run) = &proof.design.advised_by { div.wide { dt { "Advice of" } dd { (run) } } }
                @if !proof.design.left_out.is_empty() {
                    div.wide { dt { "In no server of the proof" } dd { (proof.design.left_out.join(", ")) } }
                }
                div.wide {
                    dt { "Stages" }
                    dd {
                        @for (place, stage) in proof.stages.iter().enumerate() {
                            @if place > 0 { ", " }
                            a href={ "stages/" (stage) "/" } { (stage) }
                        }
                    }
                }
            }
        }
    }
}

fn badge(outcome: &Outcome) -> Markup {
    let (class, symbol) = match outcome {
        Outcome::Proven | Outcome::Harmless => ("badge pass", "✓"),
        Outcome::Refuted => ("badge fail", "✗"),
        Outcome::Undecided { .. } => ("badge unknown", "?"),
    };
    markup! { span class=(class) { span.symbol aria-hidden="true" { (symbol) } " " (words::word(outcome)) } }
}

/// The largest distance of any interval from no change, as a logarithm; at least a tenth.
fn reach(ratios: impl Iterator<Item = Ratio>) -> f64 {
    let farthest = ratios.flat_map(|ratio| [ratio.low.ln().abs(), ratio.high.ln().abs()]);
    farthest.filter(|reach| reach.is_finite()).fold(1.1_f64.ln(), f64::max)
}

/// A row of the forest plot: the interval as a line, its estimate as a dot, the margin as a band. The text beside it has the same
/// content.
fn plot(ratio: Option<Ratio>, reach: f64) -> Markup {
    let Some(ratio) = ratio else { return markup! {} };
    let x = |ratio: f64| (ratio.ln() / reach).clamp(-1.0, 1.0) * PLOT / 2.0;
    let text = |ratio: f64| format!("{:.1}", x(ratio));
    let band = x(EQUIVALENCE_MARGIN);
    markup! {
        svg viewBox={ (-PLOT / 2.0 - 6.0) " -8 " (PLOT + 12.0) " 16" } width="240" height="13" {
            rect x=(format!("{:.1}", -band)) y="-8" width=(format!("{:.1}", 2.0 * band)) height="16" fill="var(--line)" opacity="0.35" {}
            line x1="0" x2="0" y1="-8" y2="8" stroke="var(--line)" stroke-width="2" {}
            line x1=(text(ratio.low)) x2=(text(ratio.high)) y1="0" y2="0" stroke="var(--accent)" stroke-width="3" {}
            circle cx=(text(ratio.point)) cy="0" r="4" fill="var(--accent)" {}
        }
    }
}
