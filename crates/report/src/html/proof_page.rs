//! A proof as one offline page without scripts: what it comes to, a plot of all ratios, then each claim under each load.

use super::contents::{self, Entry};
use super::page;
use super::proof::{Row, loads, of_standing, rows, table};
use crate::wording::proof as words;
use maud::{Markup, html as markup};
use proof::Proof;

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
                    "Each ratio is the rate with the change ÷ without it, with its simultaneous interval. The shaded band is ±5 %."
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

fn candidates(proof: &Proof) -> Vec<Row<'_>> {
    proof.candidates.iter().map(of_standing).collect()
}

fn checked(proof: &Proof) -> Markup {
    markup! {
        section aria-labelledby="checked" {
            h2 #checked { "What was checked" }
            @if let Some(floor) = words::floor(proof) { p { (floor) } p { (words::CHECKED) } }
            @for note in words::notes(proof) { p { (note) } }
            dl.facts {
                div.wide { dt { "What runs now" } dd { (words::runs_now(proof)) } }
                @if let Some(run) = &proof.design.advised_by { div.wide { dt { "Advice of" } dd { (run) } } }
                @if !proof.design.left_out.is_empty() {
                    div.wide { dt { "In no arm of the proof" } dd { (proof.design.left_out.join(", ")) } }
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
