//! The drawings of one study.

use super::figure;
use crate::wording;
use maud::{Markup, PreEscaped, html as markup};
use model::run::Run;
use page::{Figure, Forms, Section};
use verdict::StudyVerdict;
use verdict::study::Plots;

const LEGEND: &str = "In the ratio plots the diamond is the main effect with its simultaneous interval, circles \
    are single cells (descriptive), the line marks no difference, the shaded band the noise floor. If cells lie beyond \
    the floor on both sides, they come first, and their mean is drawn faint.";

/// The study at this place of a run, with its drawings.
pub(super) fn section(run: &Run, study: &StudyVerdict, place: usize) -> Section {
    let plan = wording::plan(run, study);
    let parts = [
        ("Latency percentiles", figure::curves(study, place)),
        ("Throughput over time", figure::over_time(study, plan, place)),
        ("Round by round", figure::drift(study, place)),
    ];
    let ratios = |finding| drawn(&figure::forest(study, place, finding));
    let plots = Plots {
        headline: Some(headline(figure::headline(study, place))),
        parts: parts.into_iter().map(|(heading, figure)| part(heading, figure)).collect(),
        legend: Some(Figure::beside_text(&PreEscaped(String::new())).with_caption(LEGEND)),
        ratios: &ratios,
        counters: drawn(&figure::mechanism(study, place)),
        counted: figure::mechanism_metrics(study).collect(),
    };
    study.section(run, place, plots)
}

fn headline(figure: figure::Figure) -> Figure {
    match figure {
        Ok(figure) => Figure::beside_text(&markup! {
            noscript { p.remark { "Plots need JavaScript; every figure is in the tables." } }
            (figure)
        }),
        Err(why) => {
            let caption = format!("No plot by configuration: {why}.");
            Figure::beside_text(&PreEscaped(String::new())).with_caption(caption)
        }
    }
}

/// A plot after the first one; without points its line gives the reason.
fn part(heading: &str, figure: figure::Figure) -> Section {
    match figure {
        Ok(figure) => {
            Section::new("", heading, vec![page::Block::Figure(Figure::beside_text(&figure))]).folded("")
        }
        Err(why) => Section::new("", heading, Vec::new()).folded(format!("no plot: {why}")),
    }
    .only(Forms::Html)
}

fn drawn(figure: &Markup) -> Option<Figure> {
    (!figure.0.is_empty()).then(|| Figure::beside_text(figure))
}
