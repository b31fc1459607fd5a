//! The answers: five with a number and a small plot, the others in one line each.

use super::small_plot;
use crate::headline::{Conclusion, FULL_MAX, Headline, Number};
use maud::{Markup, html as markup};
use page::html::shown;

/// The answers that are shown in full, and those in one line.
pub(super) fn split<'a, 'b>(headlines: &'a [Headline<'b>]) -> (&'a [Headline<'b>], &'a [Headline<'b>]) {
    let answered = headlines.iter().filter(|headline| headline.conclusion != Conclusion::Unanswered).count();
    // A run without answers still shows its questions.
    headlines.split_at(answered.clamp(1, FULL_MAX).min(headlines.len()))
}

/// The first part of the page.
pub(super) fn first(headlines: &[Headline<'_>]) -> Markup {
    markup! {
        section.answers aria-labelledby="answers" {
            div.masthead {
                h2 #answers { (if headlines.len() == 1 { "The answer" } else { "The answers that matter most" }) }
                p.caption { (shown("sentences: geometric means; dots: arithmetic means over trials unless a caption names \
                    others; lines: their 95 % intervals; axes begin at 0 unless logarithmic")) }
            }
            @for headline in headlines { (answer(headline)) }
        }
    }
}

/// The other answers, in one line each.
pub(super) fn rest(headlines: &[Headline<'_>]) -> Markup {
    markup! {
        @if !headlines.is_empty() {
            section.answers aria-labelledby="also" {
                h2 #also { "Also asked" }
                ul.lines { @for headline in headlines { li { (line(headline)) } } }
            }
        }
    }
}

fn answer(headline: &Headline<'_>) -> Markup {
    markup! {
        article.answer-row {
            div.number {
                @if let Some(number) = &headline.number { (figure(number)) }
            }
            div.said {
                h3 { a href={ "#study-" (headline.study) } { (shown(&headline.title)) } (flags(headline)) }
                p { (shown(&headline.sentence)) }
            }
            @if let Some(rows) = &headline.rows { (small_plot::draw(rows)) }
        }
    }
}

fn figure(number: &Number) -> Markup {
    markup! {
        p.point { (shown(&number.point)) }
        p.interval { (shown(&number.interval)) }
        p.what { (shown(&number.what)) }
    }
}

/// Why the answer is not reliable.
fn flags(headline: &Headline<'_>) -> Markup {
    markup! {
        @if headline.conclusion == Conclusion::Undecided {
            " " span.badge.warn { span.symbol aria-hidden="true" { "~" } "Undecided" }
        }
        @if headline.conclusion == Conclusion::Decided && !headline.failed.is_empty() {
            " " span.badge.fail title={ "failed: " (shown(&headline.failed.join(", "))) } {
                span.symbol aria-hidden="true" { "✕" } "Doubtful"
            }
        }
        @if headline.conclusion == Conclusion::Decided && !headline.unproven.is_empty() {
            " " span.badge.warn title={ "not carried out: " (shown(&headline.unproven.join(", "))) } {
                span.symbol aria-hidden="true" { "?" } "Not proven"
            }
        }
    }
}

fn line(headline: &Headline<'_>) -> Markup {
    markup! {
        a href={ "#study-" (headline.study) } { (shown(&headline.title)) }
        " " (shown(&headline.sentence))
        // The sentence of an undecided question contains its interval.
        @let decided = headline.number.as_ref().filter(|_| headline.conclusion == Conclusion::Decided);
        @if let Some(number) = decided.filter(|number| number.has_interval) {
            " " span.inline-number { (shown(&format!("{}, {}", number.point, number.interval))) }
        }
        (flags(headline))
    }
}
