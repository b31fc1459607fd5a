//! The report: one offline file whose text and tables need no JavaScript.

mod among;
mod answers;
mod arrangement;
mod contents;
mod data;
mod figure;
mod first_screen;
pub(crate) mod fleet_plot;
pub(crate) mod history_plot;
mod machine;
mod overview;
mod part;
pub(crate) mod ratio_plot;
pub(crate) mod small_plot;
mod study;
mod trust;
mod waterfall;

use crate::beside::Beside;
use crate::markdown::Repeat;
use crate::{headline, wording};
use advice::Advice;
use maud::{DOCTYPE, Markup, PreEscaped, html as markup};
use model::printable;
use model::run::Run;
use page::{Document, Section};
use verdict::{Verdict, explanation};

const STYLE: &str = include_str!("../assets/report.css");
const AXES: &str = include_str!("../assets/axes.js");
const PLOTS: &str = include_str!("../assets/plots.js");
const DOWNLOADS: &str = include_str!("../assets/downloads.js");
const FOLDING: &str = include_str!("../assets/folding.js");
/// Sorts tables.
pub(crate) const SORTING: &str = include_str!("../assets/sorting.js");
const SCRIPT: &str = include_str!("../assets/report.js");
const PLOTLY: &str = include_str!("../assets/plotly-basic.min.js");

/// The browser enforces that nothing is fetched and nothing is sent, whatever the content.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
    base-uri 'none'; form-action 'none'";

/// Renders the report as one file: no network access, light and dark, from phone width to print.
///
/// `repeat` has the commands that would decide undecided answers. Every text from the records is escaped, also inside
/// the data for the plots. The same run, verdict and advice give the same bytes.
pub fn html(run: &Run, verdict: &Verdict, advice: &[Advice], repeat: &Repeat) -> String {
    html_with(run, verdict, advice, Beside::default(), repeat)
}

/// [`html()`], with what is known beside it.
pub fn html_with(
    run: &Run,
    verdict: &Verdict,
    advice: &[Advice],
    beside: Beside<'_>,
    repeat: &Repeat,
) -> String {
    let title = wording::title(run);
    let headlines = headline::headlines(run, verdict);
    let (first, rest) = answers::split(&headlines);
    let contents = contents::of_run(verdict, &headlines, !advice.is_empty());
    let text = markup! {
        header.page { (overview::header(run, verdict, &title, &headlines)) }
        main #main {
            (first_screen::ratings(run, verdict))
            (sections(advice::to_do(advice)))
            (page::html::sections(&fleet::scaling::sections(beside.scaling)))
            @if !first.is_empty() { (answers::first(first)) }
            (trust::section(run, verdict, &headlines, repeat))
            (answers::rest(rest))
            (among::section(run, verdict))
            (sections(verdict.studies.iter().enumerate().map(|(place, study)| study::section(run, study, place))))
            (page::html::sections(&explanation::sections(beside.explanations, &waterfall::draw)))
            (sections(advice::section(advice)))
            @if let Some(proof) = beside.proof { (page::html::sections(&[proof.section(&ratio_plot::of_proof())])) }
            (machine::section(run, verdict))
        }
        footer {
            p {
                "Syncline " (printable(&run.plan.program_version)) " · record format " (run.plan.format_version)
                " · seed " (run.plan.seed) " · plots by plotly.js (MIT)"
            }
        }
    };
    around(&title, &contents, &text, &scripts(run, verdict)).into_string()
}

fn sections(sections: impl IntoIterator<Item = Section>) -> Markup {
    page::html::sections(&sections.into_iter().collect::<Vec<_>>())
}

/// Renders a document without plots as a page: offline like the report, light and dark, without scripts.
pub fn page(document: &Document) -> String {
    self::document(document, None)
}

/// Renders a document as a page, with a script if it needs one.
pub(crate) fn document(document: &Document, script: Option<&str>) -> String {
    let contents = contents::around(&page::html::contents(document));
    let scripts = markup! { @if let Some(script) = script { script { (PreEscaped(script)) } } };
    around(&document.title.words(), &contents, &page::html::text_of(document), &scripts).into_string()
}

fn around(title: &str, contents: &Markup, text: &Markup, scripts: &Markup) -> Markup {
    markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                title { "Syncline: " (printable(title)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the answers" }
                (contents)
                div.text { (text) }
                (scripts)
            }
        }
    }
}

fn scripts(run: &Run, verdict: &Verdict) -> Markup {
    markup! {
        @for (index, study) in verdict.studies.iter().enumerate() {
            script type="application/json" id={ "data-" (index) } {
                (PreEscaped(data::embeddable(&data::study(study, wording::plan(run, study)))))
            }
        }
        script { (PreEscaped(PLOTLY)) }
        script { (PreEscaped(AXES)) (PreEscaped(PLOTS)) (PreEscaped(DOWNLOADS)) (PreEscaped(SCRIPT)) (PreEscaped(FOLDING)) }
    }
}
