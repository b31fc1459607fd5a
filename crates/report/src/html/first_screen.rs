//! The first screen below the title: how good the disk is, question by question.

use crate::wording::{self, Rated};
use maud::{Markup, html as markup};
use model::run::Run;
use page::Tone;
use page::html::{shown, sign};
use ratings::Grade;
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
                        dt { a href={ "#study-" (one.study) } { (shown(one.question)) } }
                        dd { (badge(one)) " " strong { (shown(&one.figure)) } @if !one.about.is_empty() { " " (shown(&one.about)) } }
                    }
                }
            }
            p.caption { "Grades: " (shown(&wording::limits(&rated))) "." }
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
