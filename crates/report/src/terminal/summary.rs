//! What a run comes to, in one screen: the disk with its ratings, the settings, the most important answers, what to
//! distrust.

use super::document::sections;
use super::{distrust, rating};
use crate::headline::{Conclusion, FULL_MAX, Headline, headlines};
use crate::{disk, wording};
use advice::Advice;
use model::run::Run;
use page::Tone;
use page::terminal::Lines;
use verdict::Verdict;

pub(super) fn section(page: &mut Lines, run: &Run, verdict: &Verdict, advice: &[Advice]) {
    page.gap();
    page.heading(&wording::title(run));
    page.item(Tone::Plain, "", &disk::sentences(run, verdict).join(" "));
    rating::section(page, run, verdict);
    sections(page, advice::first_screen(&run.host, advice));
    answers(page, run, verdict);
    page.gap();
    page.heading("What to distrust");
    distrust::section(page, verdict);
}

/// What to set, and which audits failed, in a line each: what a terminal shows of a long text is its end.
pub(super) fn closing(page: &mut Lines, verdict: &Verdict, advice: &[Advice]) {
    if let Some(settings) = advice::in_a_sentence(advice) {
        page.item(Tone::Strong, "to set", &format!("{settings} The lines are at the top."));
    }
    let failed = distrust::failed(verdict);
    if !failed.is_empty() {
        page.item(Tone::Bad, "FAIL", &format!("{}: the evidence is at the top.", failed.join(" · ")));
    }
}

fn answers(page: &mut Lines, run: &Run, verdict: &Verdict) {
    let all = headlines(run, verdict);
    let answered = all.iter().filter(|headline| headline.conclusion != Conclusion::Unanswered);
    let first: Vec<&Headline<'_>> = answered.take(FULL_MAX).collect();
    if first.is_empty() {
        return;
    }
    page.gap();
    page.heading("Answers");
    page.item(Tone::Faint, "", "Their figures are geometric means over rounds and combinations.");
    for headline in first {
        let tone = match headline.conclusion {
            Conclusion::Decided if headline.failed.is_empty() && headline.unproven.is_empty() => Tone::Good,
            Conclusion::Decided => Tone::Bad,
            Conclusion::Undecided | Conclusion::Unanswered => Tone::Warn,
        };
        page.item(tone, &headline.title, "");
        page.under("", &format!("{}{}", said(headline), doubt(headline)));
    }
}

/// A finding in full, else the figure with its interval before what it is of.
fn said(headline: &Headline<'_>) -> String {
    match (headline.finding, &headline.number) {
        (Some(finding), _) => finding.statement(),
        (None, Some(number)) => format!("{} ({}). {}", number.point, number.interval, headline.sentence),
        (None, None) => headline.sentence.clone(),
    }
}

/// What keeps an answer from being relied on.
fn doubt(headline: &Headline<'_>) -> String {
    match (&headline.failed[..], &headline.unproven[..]) {
        ([], []) => String::new(),
        ([], unproven) => format!(" Not proven: {} could not be carried out.", unproven.join(", ")),
        (failed, _) => format!(" Doubtful: {} failed.", failed.join(", ")),
    }
}
