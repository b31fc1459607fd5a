//! The settings of databases that follow: value, reason and limits; or the reason why there is no advice.

use crate::settings::Verb;
use crate::{advised, wording};
use advice::{Advice, Recommendation, Setting};
use maud::{Markup, html as markup};

/// The section; empty if no rule was applied.
pub(super) fn section(advice: &[Advice]) -> Markup {
    if advice.is_empty() {
        return markup! {};
    }
    let (said, unsaid): (Vec<&Advice>, Vec<&Advice>) =
        advice.iter().partition(|advice| advice.advised().next().is_some());
    markup! {
        section.study #advice aria-labelledby="title-advice" {
            p.kicker { "Advice" }
            h2 #title-advice { "Which settings follow?" }
            p.note {
                "Only what was measured here, and nothing that gives up durability. Values are written to the run directory \
                 as files that each database loads; a candidate, which the disk predicts to be better, is a comment in it."
            }
            @if said.is_empty() { p { "No setting follows from this run; the reasons are below." } }
            @for advice in said { (database(advice)) }
            @for advice in unsaid {
                details {
                    summary { (advice.database) ": nothing decided" }
                    (without(advice))
                }
            }
        }
    }
}

fn database(advice: &Advice) -> Markup {
    markup! {
        h3 { (advice.database) " " code { "advice/" (advice.fragment) } }
        @for (setting, found) in advice.advised() { (recommendation(setting, found)) }
        @if advice.without().next().is_some() {
            details {
                summary { (wording::counted(advice.without().count(), "setting")) " not decided" }
                (without(advice))
            }
        }
    }
}

fn recommendation(setting: &Setting, found: &Recommendation) -> Markup {
    markup! {
        article.finding {
            div.said {
                h4 { (Verb::of(&setting.decision).name()) " " code { (setting.name) " = " (found.value) } }
                p { (wording::reason(setting)) }
                @if let Some(needs) = advised::needs(setting, found) { p.figures { (needs) } }
                @if let Some(measured) = advised::measured(setting, found) { p.figures { (measured) } }
                p.figures { (wording::default(setting.default)) " · rests on " (advised::grounds(found)) }
                @for other in advised::alternatives(&setting.name, found) { p { "Not advised: " (other) "." } }
                details {
                    summary { "Limits, audits, and when to measure again" }
                    ul {
                        @for (name, fact) in advised::facts(setting) { li { (name) ": " (fact) } }
                        @for caveat in &found.caveats { li { (wording::caveat(caveat)) } }
                        li { "Audits: " (advised::audits(found)) "." }
                        li { "Holds for " (advised::expiry(&found.expires)) "." }
                    }
                }
            }
        }
    }
}

fn without(advice: &Advice) -> Markup {
    markup! {
        ul {
            @for (setting, none) in advice.without() {
                li {
                    code { (setting.name) } ", " (advised::why(none.why)) ": " (wording::cause(&none.cause))
                    @if let Some(needs) = &none.needs { "; " (wording::needed(needs)) "." }
                }
            }
        }
    }
}
