//! Places for plots: a heading, the drawing area, and a caption that describes the plot in words.

use crate::label::label;
use crate::{quantity, wording};
use maud::{Markup, html as markup};
use model::metric::{self, Unit};
use model::plan::StudyPlan;
use page::html::shown;
use verdict::{Cell, Curve, Series, StudyVerdict};

/// Counters that explain the figures: flushes, device bytes, faults, cached pages. Tables list them in this order, and
/// plots show those of the device.
const MECHANISM: [&str; 15] = [
    "device_flushes_per_commit",
    "device_writes_per_commit",
    "device_written_bytes_per_commit",
    "device_flushes_per_entry",
    "device_bytes_per_user_byte",
    "page_cache_hit_share",
    "device_written_bytes_per_written_byte",
    "device_read_bytes_per_byte_read",
    "device_queue_depth_mean",
    "second_read_evictions",
    "major_faults",
    "minor_faults",
    "major_faults_per_operation",
    "minor_faults_per_operation",
    "cached_share_after",
];
/// The number of counters that fit beside each other.
const DRAWN_MAX: usize = 4;

/// The maximum number of configurations whose operations over time are drawn.
pub(super) const SERIES_MAX: usize = 40;

/// The counters that this study has.
pub(super) fn mechanism_metrics(study: &StudyVerdict) -> impl Iterator<Item = &'static str> {
    MECHANISM.into_iter().filter(|name| study.cells.iter().any(|cell| cell.figures.contains_key(*name)))
}

/// Those that are drawn.
pub(super) fn mechanism_drawn(study: &StudyVerdict) -> impl Iterator<Item = &'static str> {
    mechanism_metrics(study).filter(|name| has_points(study, name)).take(DRAWN_MAX)
}

/// The metrics of the asks with a figure in any configuration.
pub(super) fn asked_drawn(study: &StudyVerdict) -> impl Iterator<Item = &str> {
    study.asked.iter().map(String::as_str).filter(|name| has_points(study, name))
}

fn has_points(study: &StudyVerdict, name: &str) -> bool {
    study.cells.iter().any(|cell| cell.figures.get(name).is_some_and(|figure| figure.mean.point.is_some()))
}

/// The latency curves that have points.
pub(super) fn curves_drawn(study: &StudyVerdict) -> impl Iterator<Item = &Curve> {
    study.curves.iter().filter(|curve| !curve.points.is_empty())
}

/// The series over time that have points.
pub(super) fn series_drawn(study: &StudyVerdict) -> impl Iterator<Item = &Series> {
    study.series.iter().filter(|series| !series.points.is_empty())
}

/// A figure, or the reason why there is nothing to draw, as a clause.
pub(super) type Figure = Result<Markup, &'static str>;

const NO_FIGURE: &str = "no trial has a figure of what the study asks about";

/// The title of a latency family.
pub(super) fn family_title(family: &str) -> &str {
    metric::FAMILIES.iter().find(|known| known.name == family).map_or(family, |known| known.title)
}

/// The configurations with the smallest and the largest mean, in words.
pub(super) fn range(study: &StudyVerdict, name: &str) -> String {
    let named = quantity::named(name);
    let mut means: Vec<(f64, &Cell)> =
        study.cells.iter().filter_map(|cell| Some((cell.figures.get(name)?.mean.point?, cell))).collect();
    means.sort_by(|left, right| left.0.total_cmp(&right.0));
    match (means.first(), means.last()) {
        (Some((low, least)), Some((high, most))) => {
            let [low, high] = [*low, *high].map(|mean| quantity::round_figure(mean, named.unit));
            let direction = match named.direction() {
                "" => String::new(),
                words => format!(" ({words})"),
            };
            if low == high {
                return format!("Mean {} is {low} in every configuration.", named.title);
            }
            let (least, most) = (label(study, least), label(study, most));
            format!("Mean {}{direction} runs from {low} ({least}) to {high} ({most}).", named.title)
        }
        (_, _) => format!("No configuration has a figure for {}.", named.title),
    }
}

/// A plot's place. `kind` names the drawing in report.js; `item` is its number within the study, if it has one.
fn place(kind: &str, study: usize, item: Option<usize>, title: &str, label: &str) -> Markup {
    markup! {
        div.plot role="img" aria-label=(shown(label)) data-plot=(kind) data-study=(study) data-item=[item] data-title=(shown(title)) {}
        div.downloads {}
    }
}

/// The metrics of the study's asks by configuration, with intervals.
pub(super) fn headline(study: &StudyVerdict, index: usize) -> Figure {
    let first = asked_drawn(study).next().ok_or(NO_FIGURE)?;
    let words = range(study, first);
    Ok(markup! {
        figure {
            h3 { "By configuration" }
            div.controls data-controls="headline" {}
            (place("headline", index, None, "By configuration", &words))
            figcaption {
                span.reading { (shown(&words)) }
                (shown(
                    " Large marks are means over trials, bars their 95 % t intervals (none if n is below 6), faint dots \
                     single trials."
                ))
            }
        }
    })
}

pub(super) fn curves(study: &StudyVerdict, index: usize) -> Figure {
    let first = curves_drawn(study).next().ok_or("no trial recorded a latency histogram")?;
    let label = format!("Percentile curves of {} by configuration.", family_title(&first.family));
    Ok(markup! {
        figure {
            div.controls data-controls="curves" {}
            (place("curves", index, None, "Latency percentiles", &label))
            figcaption {
                "Latency below which a share of all operations stayed, all trials of a configuration merged. The \
                 horizontal axis stretches the tail (each step is ten times rarer), the vertical is logarithmic. \
                 Bands are bootstrap intervals over trials, left out where more than eight curves are drawn."
            }
        }
    })
}

/// What is counted over time in a study's trials.
pub(super) fn done(study: &StudyVerdict) -> String {
    let known =
        ["commits_per_s", "iops"].into_iter().find(|name| study.metrics.iter().any(|has| has == name));
    known.map_or_else(|| "operations/s".to_owned(), |name| quantity::named(name).title)
}

/// Operations over the time of a trial.
pub(super) fn over_time(study: &StudyVerdict, plan: Option<&StudyPlan>, index: usize) -> Figure {
    let first = series_drawn(study).next().ok_or("no trial lasted long enough to be counted over time")?;
    let all = series_drawn(study).count();
    let (drawn, words) = (all.min(SERIES_MAX), slowest(study, plan));
    let label = format!("{} over the time of a trial, by configuration. {words}", done(study));
    Ok(markup! {
        figure {
            div.controls data-controls="over-time" {}
            (place("over-time", index, None, "Throughput over time", &label))
            figcaption {
                (shown(&words)) " Lines are means over the trials of a configuration, from the start of the measurement to the \
                 end of its shortest trial; bands reach from the slowest to the fastest single interval of any trial ("
                (shown(&quantity::figure(first.interval_s, Unit::Seconds))) " each) and are left out where more than eight \
                 lines are drawn."
                @if study.series.iter().any(|series| series.points.len() > within_runtime(series, plan)) {
                    " After the runtime nothing starts: the operations there were in flight, or are syncs."
                }
                @if drawn < all {
                    " The first " (drawn) " of " (wording::counted(all, "configuration")) " are drawn."
                }
            }
        }
    })
}

/// How many points of a series end within the trial's runtime; all of them if a trial has no runtime.
fn within_runtime(series: &Series, plan: Option<&StudyPlan>) -> usize {
    let description = plan.and_then(|plan| plan.description(series.configuration));
    match description.map(|description| description.duration.phase_s) {
        Some(runtime_s) if runtime_s > 0.0 => {
            let end_s = runtime_s + 0.5 * series.interval_s;
            let ends = series.points.iter().skip(1).map(|point| point.start_s).chain([series.end_s]);
            ends.take_while(|end| *end <= end_s).count().min(series.points.len())
        }
        Some(_) | None => series.points.len(),
    }
}

/// The deepest stall relative to its own configuration's mean, in words.
fn slowest(study: &StudyVerdict, plan: Option<&StudyPlan>) -> String {
    let least = |series: &Series| {
        let points = &series.points[..within_runtime(series, plan)];
        let mean = points.iter().map(|point| point.mean_per_s).sum::<f64>() / points.len() as f64;
        let point = points.iter().min_by(|a, b| a.low_per_s.total_cmp(&b.low_per_s))?;
        (mean > 0.0).then_some((point.low_per_s / mean, point.start_s))
    };
    let all = study.series.iter().filter_map(|series| Some((least(series)?, series.label.as_str())));
    match all.min_by(|a, b| a.0.0.total_cmp(&b.0.0)) {
        Some(((share, start_s), label)) => format!(
            "The slowest interval ran at {} of its configuration's mean ({label}, {} after the start).",
            quantity::figure(share, Unit::Share),
            quantity::figure(start_s, Unit::Seconds)
        ),
        None => "No interval contains an operation.".to_owned(),
    }
}

pub(super) fn drift(study: &StudyVerdict, index: usize) -> Figure {
    let first = asked_drawn(study).next().ok_or(NO_FIGURE)?;
    let label = format!("{} by round, one line per configuration.", quantity::named(first).title);
    let outliers: usize = study
        .cells
        .iter()
        .filter_map(|cell| cell.figures.get(first))
        .map(|figure| figure.outliers.len())
        .sum();
    Ok(markup! {
        figure {
            div.controls data-controls="drift" {}
            (place("drift", index, None, "Round by round", &label))
            figcaption {
                "One thin line per configuration; lines that rise or fall together are drift of the device or the \
                 machine. The thick line is the geometric mean of a round. Rings mark outliers, which are never \
                 dropped ("
                (shown(&quantity::named(first).title)) ": " (outliers) " marked)."
            }
        }
    })
}

/// Device counters by configuration.
pub(super) fn mechanism(study: &StudyVerdict, index: usize) -> Markup {
    let words: Vec<String> = mechanism_drawn(study).map(|name| range(study, name)).collect();
    if words.is_empty() {
        return markup! {};
    }
    let words = words.join(" ");
    markup! {
        figure {
            h4 { "Counters behind the figures" }
            (place("mechanism", index, None, "Counters behind the figures", &words))
            figcaption {
                (shown(&format!(
                    "{words} Means over trials with 95 % t intervals, from the counters of the device, the page cache \
                     and the process."
                )))
            }
        }
    }
}

/// Ratio forest plot of one finding.
pub(super) fn forest(study: &StudyVerdict, index: usize, item: usize) -> Markup {
    let finding = &study.findings[item];
    let mut ratios = finding.ratio.iter().chain(finding.part_estimates());
    if ratios.all(|ratio| ratio.point.is_none()) {
        return markup! {};
    }
    let noise = study.noise.get(&finding.metric).and_then(|noise| noise.floor());
    let title = format!("Ratio of {}, {}", quantity::named(&finding.metric).title, finding.about());
    markup! {
        figure.forest {
            (place("forest", index, Some(item), &title, &title))
            figcaption {
                (shown(&title)) "."
                @if noise.is_none() { " No noise floor is known." }
            }
        }
    }
}
