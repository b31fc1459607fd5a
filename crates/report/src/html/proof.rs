//! The tables of a proof, with a plot of its ratios: on its own page, and in the report of the run whose advice it proves.

use super::ratio_plot;
use crate::quantity;
use crate::wording::proof as words;
use maud::{Markup, html as markup};
use proof::{Agreement, Claim, Judged, Outcome, Proof, Ratio, Standing};

/// The section of a run's report: the changes of its advice, predicted against proven.
pub(super) fn section(proof: &Proof) -> Markup {
    markup! {
        section.study #proof aria-labelledby="title-proof" {
            p.kicker { "Proof" }
            h2 #title-proof { (words::title(proof)) }
            p { (words::ending(proof)) }
            (table(&rows(proof)))
            @if let Some(floor) = words::floor(proof) { p.note { (floor) " " (words::CHECKED) } }
        }
    }
}

/// A claim with its name, and what was predicted of it.
pub(super) struct Row<'a> {
    name: String,
    claim: &'a Claim,
    predicted: Option<String>,
}

pub(super) fn rows(proof: &Proof) -> Vec<Row<'_>> {
    let whole = proof.bundle.iter().chain(&proof.mended).chain(&proof.servers);
    let whole = whole.map(|claim| Row { name: words::subject(proof, claim), claim, predicted: None });
    whole.chain(proof.settings.iter().map(of_standing)).collect()
}

pub(super) fn of_standing(standing: &Standing) -> Row<'_> {
    let predicted = standing.predicted.as_ref().map(words::predicted);
    Row { name: words::change(standing), claim: &standing.claim, predicted }
}

pub(super) fn table(rows: &[Row<'_>]) -> Markup {
    let ratios = rows.iter().filter_map(|row| row.claim.ratio());
    let reach = reach(ratios);
    markup! {
        div.scroll role="group" aria-label="What is proven" tabindex="0" {
            table.changes {
                thead {
                    tr {
                        th scope="col" { "Change" }
                        th scope="col" { "Outcome" }
                        th.number scope="col" { "Ratio" }
                        td.bar.interval aria-hidden="true" {}
                        th scope="col" { "Evidence" }
                    }
                }
                tbody {
                    @for row in rows {
                        @let ratio = row.claim.ratio();
                        tr {
                            th scope="row" { (row.name) }
                            td { (badge(&row.claim.outcome)) }
                            td.number { (in_all(row.claim)) }
                            td.bar.interval aria-hidden="true" { (plot(ratio, reach)) }
                            td {
                                (evidence(row.claim))
                                @if let Some(predicted) = &row.predicted { " " (predicted) }
                                @for scope in words::scope(row.claim) { p.note { (scope) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The ratio of a claim, if there is one for all of its loads.
fn in_all(claim: &Claim) -> String {
    match claim.agreement {
        Agreement::OneLoad | Agreement::Equal => {
            claim.ratio().map_or_else(|| "–".to_owned(), |ratio| words::times(&ratio))
        }
        Agreement::Undecided | Agreement::SameDirection | Agreement::Mixed => "by load".to_owned(),
    }
}

fn evidence(claim: &Claim) -> Markup {
    markup! {
        @match words::disagreement(claim) {
            None => { (words::claim(claim)) }
            Some(beginning) => {
                (beginning)
                ul { @for (effect, sentence) in words::effects(claim) { li { b { (effect) } ": " (sentence) } } }
            }
        }
    }
}

pub(super) fn loads(row: &Row<'_>) -> Markup {
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
                            td.bar.interval aria-hidden="true" {}
                            th.number scope="col" { "Rounds" }
                            th scope="col" { "Stage" }
                            th scope="col" { "Audits that warn" }
                        }
                    }
                    tbody { @for judged in &row.claim.by_load { (load(judged, reach)) } }
                }
            }
            @for scope in words::scope(row.claim) { p.note { (scope) } }
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

fn badge(outcome: &Outcome) -> Markup {
    let (class, symbol) = match outcome {
        Outcome::Proven | Outcome::Harmless => ("badge pass", "✓"),
        Outcome::Refuted => ("badge fail", "✗"),
        Outcome::Undecided { .. } => ("badge unknown", "?"),
    };
    markup! { span class=(class) { span.symbol aria-hidden="true" { (symbol) } " " (words::word(outcome)) } }
}

fn reach(ratios: impl Iterator<Item = Ratio>) -> f64 {
    ratio_plot::reach(ratios.map(|ratio| (ratio.low, ratio.high)))
}

fn plot(ratio: Option<Ratio>, reach: f64) -> Markup {
    ratio.map_or_else(Markup::default, |ratio| ratio_plot::draw(ratio.point, (ratio.low, ratio.high), reach))
}
