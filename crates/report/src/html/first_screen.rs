//! The first screen below the title: how good the disk is, question by question, and what to change, to keep and to leave open.

use crate::settings::{Line, Verb, groups, summary};
use crate::wording::{self, Rated};
use ::advice::Advice;
use maud::{Markup, html as markup};
use model::run::Run;
use page::Tone;
use page::html::sign;
use published::Grade;
use verdict::Verdict;

/// The ratings; nothing if the run asks none of the questions.
pub(super) fn ratings(run: &Run, verdict: &Verdict) -> Markup {
    let rated = wording::rated(run, verdict);
    if rated.is_empty() {
        return markup! {};
    }
    markup! {
        section.ratings aria-labelledby="ratings" {
            h2 #ratings { "How good is this disk?" }
            dl.facts {
                @for one in &rated {
                    div.wide {
                        dt { a href={ "#study-" (one.study) } { (one.question) } }
                        dd { (badge(one)) " " strong { (one.figure) } @if !one.about.is_empty() { " " (one.about) } }
                    }
                }
            }
            p.caption { "Grades: " (wording::limits(&rated)) "." }
        }
    }
}

fn badge(rated: &Rated) -> Markup {
    let (tone, symbol) = match rated.worst {
        Some(Grade::Good) => (Tone::Good, "✓"),
        Some(Grade::Fair) => (Tone::Warn, "~"),
        Some(Grade::Poor) => (Tone::Bad, "✕"),
        None => (Tone::Faint, "?"),
    };
    sign(tone, symbol, &rated.grade)
}

/// The settings, a line each; nothing without any advice.
pub(super) fn settings(advice: &[Advice]) -> Markup {
    if advice.is_empty() {
        return markup! {};
    }
    let (groups, others) = groups(advice);
    markup! {
        section.settings aria-labelledby="settings" {
            h2 #settings { "What to change, what to keep" }
            @if !groups.is_empty() { p.lead { (summary(&groups)) } }
            div.databases { @for group in &groups { div {
                h3 { (group.database) }
                ul.lines { @for line in group.lines.iter().filter(|line| !line.verb.is_open()) { (item(line)) } }
                @let open: Vec<&Line> = group.lines.iter().filter(|line| line.verb.is_open()).collect();
                @if !open.is_empty() {
                    details {
                        summary { "Not decided: " (open.iter().map(|line| line.setting.as_str()).collect::<Vec<_>>().join(", ")) }
                        ul.lines { @for line in open { (item(line)) } }
                    }
                }
            } } }
            @if !others.is_empty() { p.caption { "Not measured: " (others.join(", ")) "." } }
        }
    }
}

fn item(line: &Line) -> Markup {
    let class = match line.verb {
        Verb::Change => "badge pass",
        Verb::Candidate | Verb::Keep | Verb::Result | Verb::DoesNotApply => "badge unknown",
        Verb::Needs | Verb::Withheld => "badge warn",
    };
    markup! {
        li { span class=(class) { (line.verb.name()) } " " code { (line.setting) } ": " (line.why) "." }
    }
}
