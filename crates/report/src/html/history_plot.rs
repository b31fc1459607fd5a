//! A series from run to run: a dot for each run with its interval, the levels as lines, and dashed lines where the
//! level changed. The horizontal axis is the order of the runs, because clocks step; the vertical one is logarithmic.

use crate::quantity;
use maud::{Markup, html as markup};
use model::figure::{ratio, round_figure};
use page::Figure;
use page::html::shown;
use std::fmt::Write as _;
use verdict::history::{DiskHistory, Plots, Relation, Series};

/// What the plots show; the tables have the same content in numbers.
const CAPTION: &str = "Dots: runs in the order of time, with their 95 % intervals over rounds if at most 400 are \
     drawn; thick lines: levels with their 95 % intervals as bands; dashed lines: changes, red if worse. The vertical \
     axis is logarithmic; the highest and lowest half percent of the runs lie at its edges.";

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 132.0;
/// Room for the labels of the vertical axis, and below for those of the horizontal one.
const LEFT: f64 = 84.0;
const BELOW: f64 = 18.0;
const MARGIN: f64 = 6.0;
/// More intervals than this cover each other.
const INTERVALS_MAX: usize = 400;
/// Share of the runs at either end that does not widen the axis.
const BEYOND: f64 = 0.005;

/// The drawings of a history's page.
pub(crate) fn plots() -> Plots<'static> {
    let legend = Figure::beside_text(&markup! {}).with_caption(CAPTION);
    Plots { legend: Some(legend), series: &draw }
}

fn draw(disk: &DiskHistory, series: &Series) -> Option<Figure> {
    let axes = Axes::over(disk, series)?;
    let points: Vec<(usize, f64)> =
        series.points.iter().filter_map(|point| Some((point.run, point.figure.point?))).collect();
    let dots = points.iter().fold(String::new(), |mut path, (run, value)| {
        // Writing to a String cannot fail.
        let _ = write!(path, "M{:.1} {:.1}h0", axes.x(*run), axes.y(*value));
        path
    });
    let intervals = intervals(series, &axes);
    let (first, last) = (points.first()?.0, points.last()?.0);
    let began = |run: usize| disk.runs.get(run).map_or("", |run| run.began_at.as_str());
    let (low, high) = (axes.low.exp(), axes.high.exp());
    let label = format!(
        "{}, {} runs from {} to {}",
        series.question.title(),
        points.len(),
        began(first),
        began(last)
    );
    Some(Figure::beside_text(&markup! {
        svg role="img" aria-label=(shown(&label)) viewBox={ "0 0 " (LEFT + WIDTH + MARGIN) " " (HEIGHT + BELOW) }
            style="width: 100%; max-width: 52rem; display: block" {
            line x1=(LEFT) x2=(LEFT + WIDTH) y1=(HEIGHT) y2=(HEIGHT) stroke="var(--line)" {}
            line x1=(LEFT) x2=(LEFT) y1="0" y2=(HEIGHT) stroke="var(--line)" {}
            (levels(series, &axes))
            @if !intervals.is_empty() {
                path d=(intervals) stroke="var(--quiet)" stroke-width="1" opacity="0.5" fill="none" {}
            }
            path d=(dots) stroke="var(--quiet)" stroke-width=(dot(points.len())) stroke-linecap="round" fill="none" {}
            (changes(series, &axes))
            @for (value, y) in [(high, 11.0), (low, HEIGHT)] {
                text x=(LEFT - 6.0) y=(y) font-size="11" fill="var(--quiet)" text-anchor="end" {
                    (shown(&figure(series, value)))
                }
            }
            text x=(LEFT) y=(HEIGHT + 14.0) font-size="11" fill="var(--quiet)" { (shown(began(first))) }
            text x=(LEFT + WIDTH) y=(HEIGHT + 14.0) font-size="11" fill="var(--quiet)" text-anchor="end" {
                (shown(began(last)))
            }
        }
    }))
}

/// The diameter of a dot: many runs need small ones.
fn dot(runs: usize) -> &'static str {
    match runs {
        0..=120 => "5",
        121..=600 => "3",
        _ => "2",
    }
}

fn figure(series: &Series, value: f64) -> String {
    match series.question.relation {
        Relation::Absolute => round_figure(value, quantity::named(&series.question.metric).unit),
        Relation::ToAnchor { .. } | Relation::Control => ratio(value),
    }
}

fn intervals(series: &Series, axes: &Axes) -> String {
    let mut path = String::new();
    if series.points.len() > INTERVALS_MAX {
        return path;
    }
    for point in &series.points {
        if let Some((low, high)) = point.figure.interval {
            // Writing to a String cannot fail.
            let _ = write!(path, "M{:.1} {:.1}V{:.1}", axes.x(point.run), axes.y(low), axes.y(high));
        }
    }
    path
}

fn levels(series: &Series, axes: &Axes) -> Markup {
    markup! {
        @for level in &series.levels {
            @let (from, to) = (axes.x(level.first), axes.x(level.last));
            @if let Some((low, high)) = level.mean.interval {
                rect x=(number(from)) width=(number((to - from).max(1.0))) y=(number(axes.y(high)))
                    height=(number((axes.y(low) - axes.y(high)).max(0.5))) fill="var(--accent)" opacity="0.18" {}
            }
            @if let Some(mean) = level.mean.point {
                @let y = number(axes.y(mean));
                line x1=(number(from)) x2=(number(to.max(from + 1.0))) y1=(y) y2=(y)
                    stroke="var(--accent)" stroke-width="2.5" {}
            }
        }
    }
}

fn changes(series: &Series, axes: &Axes) -> Markup {
    markup! {
        @for change in &series.changes {
            @let x = number(f64::midpoint(axes.x(change.last_before), axes.x(change.run)));
            @let colour = match change.better {
                Some(false) => "var(--fail)",
                Some(true) => "var(--pass)",
                None => "var(--accent)",
            };
            line x1=(x) x2=(x) y1="0" y2=(HEIGHT) stroke=(colour) stroke-width="1.5" stroke-dasharray="4 3" {}
        }
    }
}

/// A tenth of a unit is enough.
fn number(value: f64) -> String {
    format!("{value:.1}")
}

struct Axes {
    runs: usize,
    /// Natural logarithms.
    low: f64,
    high: f64,
}

impl Axes {
    /// `None` if there is nothing to draw.
    fn over(disk: &DiskHistory, series: &Series) -> Option<Self> {
        let mut logs: Vec<f64> =
            series.points.iter().filter_map(|point| Some(point.figure.point?.ln())).collect();
        logs.retain(|log| log.is_finite());
        logs.sort_by(f64::total_cmp);
        let beyond = (BEYOND * logs.len() as f64) as usize;
        let (low, high) = (*logs.get(beyond)?, *logs.get(logs.len().checked_sub(beyond + 1)?)?);
        let of_levels = series.levels.iter().filter_map(|level| Some(level.mean.point?.ln()));
        let of_levels: Vec<f64> = of_levels.filter(|log| log.is_finite()).collect();
        let low = of_levels.iter().copied().fold(low, f64::min);
        let high = of_levels.iter().copied().fold(high, f64::max);
        // At least 4 % high, so that scatter of a thousandth does not look large.
        let room = (0.02 - (high - low) / 2.0).max(0.06 * (high - low));
        Some(Self { runs: disk.runs.len(), low: low - room, high: high + room })
    }

    fn x(&self, run: usize) -> f64 {
        let share = if self.runs > 1 { run as f64 / (self.runs - 1) as f64 } else { 0.5 };
        LEFT + MARGIN + share.clamp(0.0, 1.0) * (WIDTH - 2.0 * MARGIN)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value.max(f64::MIN_POSITIVE).ln() - self.low) / (self.high - self.low);
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        HEIGHT - share * HEIGHT
    }
}
