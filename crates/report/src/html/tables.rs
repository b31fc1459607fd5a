//! Tables: the metrics of the asks, every metric, every trial.

use crate::quantity::{self, Named};
use crate::{records, wording};
use maud::{Markup, html as markup};
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::{Outcome, TrialRecord};
use verdict::study::class_heading;
use verdict::{Cell, Figure, StudyVerdict};

/// Stands between levels so that no line begins with the dot.
const BETWEEN_LEVELS: &str = "\u{a0}· ";

/// The maximum number of metrics with a column of ratios to the best.
const RELATIVE_MAX: usize = 4;

/// A table that scrolls by itself if the page is narrow; its first column stays in place.
pub(super) fn scrolling(label: &str, table: &Markup) -> Markup {
    markup! { div.scroll role="group" aria-label=(label) tabindex="0" { (table) } }
}

/// Each configuration relative to the best: the first metric of the asks in full, the first few as ratios. Empty if no
/// configuration has a figure.
pub(super) fn against_best(study: &StudyVerdict) -> Markup {
    let has_mean =
        |cell: &Cell, name: &String| cell.figures.get(name).is_some_and(|it| it.mean.point.is_some());
    let has_ratio = |name: &&String| study.cells.iter().any(|cell| cell.against_best.contains_key(*name));
    let relative: Vec<(&str, Named)> = (study.asked.iter().filter(has_ratio).take(RELATIVE_MAX))
        .map(|name| (name.as_str(), quantity::named(name)))
        .collect();
    let measured = study.asked.iter().find(|name| study.cells.iter().any(|cell| has_mean(cell, name)));
    // The metric of the first ratio is shown in full, so that the best has a figure.
    let Some(first) = relative.first().map(|(name, _)| *name).or(measured.map(String::as_str)) else {
        return markup! {};
    };
    let names: Vec<&str> = relative.iter().map(|(name, _)| *name).collect();
    let reasons = wording::reasons_against_best(study, &names);
    let named = quantity::named(first);
    let table = markup! {
        table.best style=(label_width(study)) {
            thead { tr {
                (configuration_heading(study))
                th.number scope="col" title=(named.help) { (named.heading()) }
                @for (_, named) in &relative {
                    th.number scope="col" title=(named.help) { (named.title) " ÷ best" }
                }
            } }
            (by_class(study, 3 + relative.len(), |cell| markup! {
                (figure(cell.figures.get(first), &named))
                @for (name, _) in &relative { (ratio_to_best(cell, name)) }
            }))
        }
    };
    markup! {
        (scrolling("Every configuration against the best", &table))
        p.note {
            "Mean ± half the width of its 95 % t interval over n trials."
            @if !relative.is_empty() { " ÷ best is the " (wording::AGAINST_BEST) ". The best of many looks better than it is." }
            @for reason in &reasons { " Without an interval: " (reason) "." }
        }
    }
}

fn ratio_to_best(cell: &Cell, name: &str) -> Markup {
    let Some(against) = cell.against_best.get(name) else {
        return markup! { td.number title="compared with no other configuration" { "–" } };
    };
    match &against.ratio {
        None => markup! { td.number { strong { "best" } } },
        Some(ratio) => markup! {
            td.number title=[ratio.reason.as_deref()] { (quantity::ratio_with_bounds(ratio)) }
        },
    }
}

/// Levels, n and the metrics of the asks as mean ± half width.
pub(super) fn asked(study: &StudyVerdict) -> Markup {
    let names: Vec<&str> = study.asked.iter().map(String::as_str).collect();
    markup! {
        (scrolling("Main metrics by configuration", &by_configuration(study, &names)))
        (shape_warnings(study))
        p.note {
            "Mean ± half the width of its 95 % t interval over n trials."
            (notes(study, &names))
            @if study.cells.iter().any(|cell| !cell.against_reference.is_empty()) {
                " ÷ is the " (wording::AGAINST_REFERENCE) "."
            }
        }
    }
}

/// The meaning of the brackets, and why some figures have no interval.
fn notes(study: &StudyVerdict, names: &[&str]) -> Markup {
    markup! {
        @if let Some(cut) = quantity::cut(wording::means(study, names)) { " In brackets " (cut) "." }
        @for reason in wording::reasons(study, names) { " Without ±: " (reason) "." }
    }
}

/// The counters behind the figures: flushes, device bytes, faults, cached pages.
pub(super) fn mechanism(study: &StudyVerdict) -> Markup {
    let names: Vec<&str> = super::figure::mechanism_metrics(study).collect();
    if names.is_empty() {
        return markup! {};
    }
    markup! {
        details {
            summary { "Counters by configuration" }
            (scrolling("Counters by configuration", &by_configuration(study, &names)))
            p.note { (notes(study, &names)) }
        }
    }
}

fn by_configuration(study: &StudyVerdict, names: &[&str]) -> Markup {
    let metrics: Vec<(&str, Named)> = names.iter().map(|name| (*name, quantity::named(name))).collect();
    let has_ratio = |name: &str| study.cells.iter().any(|cell| cell.against_reference.contains_key(name));
    let ratios = names.iter().filter(|name| has_ratio(name)).count();
    markup! {
        table style=(label_width(study)) {
            thead {
                tr {
                    (configuration_heading(study))
                    @for (name, named) in &metrics {
                        th.number scope="col" title=(named.help) { (named.heading()) }
                        @if has_ratio(name) {
                            th.number scope="col" title=(wording::AGAINST_REFERENCE) {
                                (named.title) " ÷ reference of the class"
                            }
                        }
                    }
                }
            }
            (by_class(study, 2 + metrics.len() + ratios, |cell| markup! {
                @for (name, named) in &metrics {
                    (figure(cell.figures.get(*name), named))
                    @if has_ratio(name) { (against_reference(cell, name)) }
                }
            }))
        }
    }
}

/// The body of a table: a row for each configuration, those that promise different things apart.
fn by_class(study: &StudyVerdict, columns: usize, figures: impl Fn(&Cell) -> Markup) -> Markup {
    let groups = study.by_durability();
    markup! {
        @for group in &groups { tbody {
            @if groups.len() > 1 {
                tr { th.class scope="rowgroup" colspan=(columns) { span { (class_heading(group)) } } }
            }
            @for cell in &group.cells { tr { (configuration(cell)) (figures(cell)) } }
        } }
    }
}

/// The room that the longest name of a configuration would take on one line: a column of short names is no wider than they are.
fn label_width(study: &StudyVerdict) -> String {
    let lengths = study.cells.iter().map(|cell| cell.levels.join(" · ").chars().count());
    format!("--label:{}ch", lengths.max().unwrap_or(0))
}

/// One column names the configuration, so that it can stay in sight while the others scroll.
fn configuration_heading(study: &StudyVerdict) -> Markup {
    let factors = study.factors.join(BETWEEN_LEVELS);
    markup! {
        th scope="col" { (if factors.is_empty() { "configuration" } else { &factors }) }
        th.number scope="col" { "n" }
    }
}

fn configuration(cell: &Cell) -> Markup {
    let levels = cell.levels.join(BETWEEN_LEVELS);
    markup! {
        th scope="row" { (if levels.is_empty() { "the one configuration" } else { &levels }) }
        td.number { (cell.n) }
    }
}

fn figure(figure: Option<&Figure>, named: &Named) -> Markup {
    let Some(figure) = figure else {
        return markup! { td.number title="not measured by this configuration" { "–" } };
    };
    let why = figure.unsupported.as_deref().or(figure.mean.reason.as_deref());
    let warning = figure.shape_warning.as_deref();
    markup! {
        td.number title=[why.or(warning)] {
            (quantity::plus_minus_text(&figure.mean, named.unit))
            @if warning.is_some() { abbr title=[warning] { "*" } }
        }
    }
}

/// A metric relative to the reference of the durability class.
fn against_reference(cell: &Cell, name: &str) -> Markup {
    let Some(against) = cell.against_reference.get(name) else {
        return markup! { td.number title="compared with no reference" { "–" } };
    };
    let why = against.ratio.as_ref().and_then(|ratio| ratio.reason.as_deref());
    markup! { td.number title=[why] { (wording::against_reference(cell, name)) } }
}

/// Every metric, a folded table per family: means, and medians with their exact level.
pub(super) fn every_metric(study: &StudyVerdict) -> Markup {
    let mut families: Vec<(String, Vec<&str>)> = Vec::new();
    for name in &study.metrics {
        let named = quantity::named(name);
        let family = if named.statistic.is_empty() { "Rates and counts".to_owned() } else { named.family };
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, members)) => members.push(name),
            None => families.push((family, vec![name])),
        }
    }
    markup! {
        @for (family, names) in &families {
            details {
                summary { (family) ": mean ± half width, all " (names.len()) " metrics" }
                (scrolling(family, &by_configuration(study, names)))
                p.note { (notes(study, names)) }
            }
        }
        details {
            summary { "Medians with order-statistic intervals" }
            (scrolling("Medians of the main metrics", &medians(study)))
        }
    }
}

fn medians(study: &StudyVerdict) -> Markup {
    markup! {
        table {
            thead {
                tr {
                    (configuration_heading(study))
                    @for name in &study.asked { th.number scope="col" { (quantity::named(name).title) } }
                }
            }
            tbody {
                @for cell in &study.cells {
                    tr {
                        (configuration(cell))
                        @for name in &study.asked {
                            td.number {
                                @match cell.figures.get(name) {
                                    Some(figure) => {
                                        (quantity::with_interval(&figure.median, quantity::named(name).unit))
                                    }
                                    None => { "–" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The number of marked figures; the title of each cell has its reason.
fn shape_warnings(study: &StudyVerdict) -> Markup {
    let figures = study.cells.iter().flat_map(|cell| cell.figures.values());
    let marked = figures.filter(|figure| figure.shape_warning.is_some()).count();
    markup! {
        @if marked > 0 {
            p.remark {
                "* The trials behind " (wording::counted(marked, "figure")) " are skewed or fall into two groups, so that                  intervals of their means cover less than stated: prefer the median. The cell's title has the numbers."
            }
        }
    }
}

/// Every trial with the metrics of the asks, including warm-ups and failures; folded, because it can be long.
pub(super) fn trials(run: &Run, study: &StudyVerdict, plan: Option<&StudyPlan>) -> Markup {
    let records: Vec<&TrialRecord> = plan.into_iter().flat_map(|plan| records::of_study(run, plan)).collect();
    let metrics: Vec<(&str, Named)> =
        study.asked.iter().map(|name| (name.as_str(), quantity::named(name))).collect();
    let table = markup! {
        table.trials {
            thead {
                tr {
                    th scope="col" { "configuration" }
                    th.number scope="col" { "round" }
                    th.number scope="col" { "position" }
                    th scope="col" { "outcome" }
                    @for (_, named) in &metrics { th.number scope="col" { (named.heading()) } }
                }
            }
            tbody { @for record in &records { (trial(record, plan, &metrics)) } }
        }
    };
    markup! {
        details.long {
            summary { "All " (records.len()) " trials" }
            (scrolling("All trials", &table))
            p.note { "One value per trial: no interval belongs to it. syncline export has every metric." }
        }
    }
}

fn trial(record: &TrialRecord, plan: Option<&StudyPlan>, metrics: &[(&str, Named)]) -> Markup {
    let outcome = match &record.outcome {
        Outcome::Ok if record.warmup => "warm-up".to_owned(),
        Outcome::Ok => "ok".to_owned(),
        Outcome::Failed(why) => format!("failed: {why}"),
        Outcome::Unsupported(why) => format!("unsupported: {why}"),
        Outcome::Killed(seconds) => format!("killed after {seconds:.1} s"),
    };
    let label = plan.map(|plan| plan.label(record.key.configuration)).unwrap_or_default();
    markup! {
        tr {
            th scope="row" { (label) @if record.key.duplicate { " (A/A)" } }
            td.number { (record.key.round) }
            td.number { (record.position) }
            td { (outcome) }
            @for (name, named) in metrics {
                td.number {
                    @match record.figure(name) {
                        Some(value) => { (quantity::figure(value, named.unit)) }
                        None => { "–" }
                    }
                }
            }
        }
    }
}
