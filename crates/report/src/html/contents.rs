//! The contents: beside the text, and folded into a menu at the top of a narrow page. CSS alone folds them.

use crate::headline::Headline;
use maud::{Markup, html as markup};
use page::html::shown;
use verdict::Verdict;

pub(super) struct Entry {
    /// Where it leads to on this page: `#machine`.
    pub(super) target: String,
    pub(super) text: String,
}

impl Entry {
    pub(super) fn new(target: impl Into<String>, text: impl Into<String>) -> Self {
        Self { target: target.into(), text: text.into() }
    }
}

/// The contents of a run's page: the questions are its chapters.
pub(super) fn of_run(verdict: &Verdict, headlines: &[Headline<'_>], has_advice: bool) -> Markup {
    let question = |(place, study): (usize, &verdict::StudyVerdict)| {
        // The first screen's few words, where it asks the question.
        let title = headlines.iter().find(|headline| headline.study == place).map(|it| it.title.as_str());
        Entry::new(format!("#study-{place}"), title.unwrap_or(&study.question))
    };
    let questions: Vec<Entry> = verdict.studies.iter().enumerate().map(question).collect();
    let settings = has_advice.then(|| Entry::new("#settings", "What to change, what to keep"));
    let answers = [Entry::new("#answers", "Answers"), Entry::new("#trust", "What could not be trusted")];
    let first: Vec<Entry> = settings.into_iter().chain(answers).collect();
    let advice = has_advice.then(|| Entry::new("#advice", "Which settings follow?"));
    let machine = [("#machine", "Machine"), ("#time", "Where the time went")];
    let last: Vec<Entry> =
        advice.into_iter().chain(machine.map(|(target, text)| Entry::new(target, text))).collect();
    navigation(&first, "Questions", &questions, &last)
}

/// The element: what comes first, the chapters under their heading, what comes last.
pub(super) fn navigation(first: &[Entry], heading: &str, chapters: &[Entry], last: &[Entry]) -> Markup {
    around(&markup! {
        (entries(first))
        @if !chapters.is_empty() {
            p.label { (heading) }
            (entries(chapters))
        }
        @if !last.is_empty() { hr; (entries(last)) }
    })
}

/// The element around its entries.
pub(super) fn around(entries: &Markup) -> Markup {
    markup! {
        nav #contents aria-label="Contents" {
            p.brand { "Syncline" }
            details.menu {
                summary { "Contents" }
                div.entries { (entries) }
            }
        }
    }
}

fn entries(entries: &[Entry]) -> Markup {
    markup! {
        ul { @for entry in entries { li { a href=(entry.target) { (shown(&entry.text)) } } } }
    }
}
