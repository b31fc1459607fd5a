//! What could not be trusted: failed audits with their remedies, warnings, what is undecided, what was not measured.

use crate::doubt::{self, Doubt};
use crate::headline::Headline;
use crate::markdown::Repeat;
use maud::{Markup, html as markup};
use model::run::Run;
use page::html::{badge, shown};
use verdict::{Status, Verdict};

/// Warnings that are shown unfolded; the others are folded, so that failures stay visible.
const WARNINGS_SHOWN: usize = 3;

pub(super) fn section(run: &Run, verdict: &Verdict, headlines: &[Headline<'_>], repeat: &Repeat) -> Markup {
    let doubts = doubt::doubts(verdict);
    let (failed, warned): (Vec<&Doubt<'_>>, Vec<&Doubt<'_>>) =
        doubts.iter().partition(|doubt| doubt.status != Status::Warn);
    let undecided = doubt::undecided(verdict, headlines, repeat);
    let remarks: Vec<String> = doubt::remarks(verdict).collect();
    markup! {
        section.trust aria-labelledby="trust" {
            h2 #trust { "What could not be trusted" }
            @if doubts.is_empty() { p { "No audit failed or warned, and every required audit was carried out." } }
            ul.audits { @for doubt in &failed { li { (entry(doubt, verdict)) } } }
            @if warned.len() <= WARNINGS_SHOWN {
                ul.audits { @for doubt in &warned { li { (entry(doubt, verdict)) } } }
            } @else {
                details {
                    summary { (warned.len()) " audits warn" }
                    ul.audits { @for doubt in &warned { li { (entry(doubt, verdict)) } } }
                }
            }
            @if !undecided.is_empty() {
                h3 { "Not decided" }
                ul.lines {
                    @for open in &undecided {
                        li {
                            a href={ "#study-" (open.study) } { (shown(open.name)) }
                            " " (shown(&format!("{}: {}.", open.subject, open.way_out)))
                            @if let Some(command) = &open.command { " " code { (shown(command)) } }
                        }
                    }
                }
            }
            (missing(run, verdict))
            @if !remarks.is_empty() {
                h3 { "About this run" }
                ul.lines { @for remark in remarks { li { (shown(&remark)) } } }
            }
        }
    }
}

/// What was not measured, and how to measure it.
fn missing(run: &Run, verdict: &Verdict) -> Markup {
    let unmeasured = doubt::unmeasured(verdict);
    markup! {
        @if !unmeasured.is_empty() || !run.plan.skipped.is_empty() {
            h3 { "Not measured" }
            ul.lines {
                @for skipped in &run.plan.skipped {
                    li { strong { (shown(&skipped.study)) } " was skipped: " (shown(&skipped.why)) }
                }
                @for study in unmeasured {
                    li {
                        strong { (shown(&study.name)) } " "
                        @match study.failures.first() {
                            Some(failure) => { (shown(failure)) },
                            None => {
                                "none of its " (study.trials.planned) " trials has run"
                                @if run.plan.is_resumable() {
                                    "; resume the run: " code { "syncline run --resume RUN" }
                                }
                            },
                        }
                    }
                }
            }
        }
    }
}

fn entry(doubt: &Doubt<'_>, verdict: &Verdict) -> Markup {
    markup! {
        (badge(&doubt.status.badge()))
        div {
            p {
                strong { (shown(doubt.audit)) } " in "
                @for (index, study) in doubt.studies.iter().enumerate() {
                    @if index > 0 { ", " }
                    a href={ "#audits-" (study) } { (shown(&verdict.studies[*study].name)) }
                }
                ". "
                @if doubt.studies.len() > 1 { "In " (shown(&verdict.studies[doubt.studies[0]].name)) ": " }
                (shown(&doubt.summary))
            }
            @if !doubt.advice.is_empty() { p.todo { strong { "What to do: " } (shown(doubt.advice)) } }
        }
    }
}
