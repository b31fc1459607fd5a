//! A small plot beside an answer: a row for each configuration with its mean as a dot, its interval as a line, and its
//! figure. It is drawn here, so it needs no script; its colours are the page's.

use crate::headline::{Averaged, Row, Rows};
use crate::quantity::{self, Named};
use maud::{Markup, html as markup};
use page::html::shown;
use verdict::Estimate;

/// The drawing's units are CSS pixels: it is never stretched, so its text keeps its size.
const WIDTH: f64 = 364.0;
const ROW: f64 = 15.0;
/// Start and end of the field of dots; the figures are to its right.
const FIELD: (f64, f64) = (128.0, 284.0);
/// Longer labels, in characters, do not fit before the field.
const LABEL_MAX: usize = 20;
/// Figures that are further apart than this are drawn on a logarithmic axis.
const LINEAR_MAX: f64 = 30.0;

/// Draws the rows; empty if there is nothing to draw.
pub(crate) fn draw(rows: &Rows) -> Markup {
    let named = quantity::named(&rows.metric);
    let Some(axis) = Axis::for_rows(&rows.configurations) else { return markup! {} };
    let height = ROW * rows.configurations.len() as f64 + 4.0;
    markup! {
        div.small-plot {
            svg role="img" aria-label=(shown(&words(rows, &named))) width=(WIDTH) height=(height)
                viewBox={ "0 0 " (WIDTH) " " (height) } {
                @for tick in axis.ticks() {
                    line.tick x1=(number(tick)) x2=(number(tick)) y1="2" y2=(height - 2.0) {}
                }
                @for (index, row) in rows.configurations.iter().enumerate() {
                    (draw_row(row, index, &axis, &named))
                }
            }
            p.caption aria-hidden="true" { (shown(&caption(rows, &named, &axis))) }
        }
    }
}

fn draw_row(row: &Row, index: usize, axis: &Axis, named: &Named) -> Markup {
    let y = ROW * (index as f64 + 0.5) + 2.0;
    let place = |value: f64| number(axis.place(value));
    let Some(point) = row.mean.point else { return markup! {} };
    markup! {
        g.marked[row.is_marked] {
            text x="0" y=(number(y + 4.0)) { (shown(&shortened(&row.label))) }
            @if let Some((low, high)) = row.mean.interval {
                line.interval x1=(place(low)) x2=(place(high)) y1=(number(y)) y2=(number(y)) {}
            }
            circle cx=(place(point)) cy=(number(y)) r="3.5" {}
            text.value x=(WIDTH) y=(number(y + 4.0)) text-anchor="end" { (shown(&figure(&row.mean, named))) }
        }
    }
}

/// The point only: the interval is drawn, and printed in the table.
fn figure(mean: &Estimate, named: &Named) -> String {
    mean.point.map_or_else(|| "–".to_owned(), |point| quantity::round_figure(point, named.unit))
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= LABEL_MAX {
        return label.to_owned();
    }
    let kept: String = label.chars().take(LABEL_MAX - 1).collect();
    format!("{}…", kept.trim_end())
}

fn caption(rows: &Rows, named: &Named, axis: &Axis) -> String {
    let by = if rows.factors.is_empty() { String::new() } else { format!(" by {}", rows.factors) };
    let scale = match axis {
        Axis::Linear { .. } => "",
        Axis::Logarithmic { .. } => ", logarithmic",
    };
    let more =
        if rows.left_out == 0 { String::new() } else { format!("; {} more in the study", rows.left_out) };
    let what = match rows.figures {
        Averaged::Trials => "",
        Averaged::Side => ", geometric mean over what the ratio compares",
    };
    format!("{}{by}{what}{scale}{more}", named.title)
}

/// The content of the drawing in words.
fn words(rows: &Rows, named: &Named) -> String {
    let row = |row: &Row| {
        let label = if row.label.is_empty() { "the one configuration" } else { &row.label };
        format!("{label}: {}", quantity::with_interval(&row.mean, named.unit))
    };
    let by = if rows.factors.is_empty() { String::new() } else { format!(" by {}", rows.factors) };
    let all: Vec<String> = rows.configurations.iter().map(row).collect();
    let mean = match rows.figures {
        Averaged::Trials => "Mean",
        Averaged::Side => "Geometric mean",
    };
    format!("{mean} {}{by}. {}.", named.title, all.join("; "))
}

enum Axis {
    /// From zero to `most`.
    Linear { most: f64 },
    /// Natural logarithms.
    Logarithmic { least: f64, most: f64 },
}

impl Axis {
    /// An axis with room for every point and interval; `None` if there is no point.
    fn for_rows(rows: &[Row]) -> Option<Self> {
        let points = rows.iter().filter_map(|row| row.mean.point).filter(|point| point.is_finite());
        let bounds = rows.iter().filter_map(|row| row.mean.interval);
        let most = points.clone().chain(bounds.clone().map(|(_, high)| high)).reduce(f64::max)?;
        let lowest = points.clone().reduce(f64::min)?;
        if lowest > 0.0 && points.reduce(f64::max)? / lowest > LINEAR_MAX {
            // A lower bound at or below zero has no place on this axis: the line ends at its edge.
            let least = bounds.map(|(low, _)| low).filter(|low| *low > lowest / 10.0).fold(lowest, f64::min);
            return Some(Self::Logarithmic { least: least.ln(), most: most.ln() });
        }
        Some(Self::Linear { most: if most > 0.0 { most } else { 1.0 } })
    }

    /// The place of a value in the drawing; a value beyond the axis is at its edge.
    fn place(&self, value: f64) -> f64 {
        let share = match self {
            Self::Linear { most } => value / most,
            Self::Logarithmic { least, most } => {
                (value.max(f64::MIN_POSITIVE).ln() - least) / (most - least).max(f64::MIN_POSITIVE)
            }
        };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        FIELD.0 + share * (FIELD.1 - FIELD.0)
    }

    /// Zero, or the decades.
    fn ticks(&self) -> Vec<f64> {
        match self {
            Self::Linear { .. } => vec![FIELD.0],
            Self::Logarithmic { least, most } => {
                let decade = std::f64::consts::LN_10;
                let (first, last) = ((least / decade).ceil() as i32, (most / decade).floor() as i32);
                (first..=last).map(|power| self.place(10_f64.powi(power))).collect()
            }
        }
    }
}

/// A tenth of a pixel is enough.
fn number(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use scraper::{Html, Selector};

    fn row(label: &str, point: f64, interval: Option<(f64, f64)>) -> Row {
        let mean = Estimate { point: Some(point), interval, level: Some(0.95), reason: None };
        Row { label: label.to_owned(), mean, is_marked: false }
    }

    fn rows(rows: Vec<Row>) -> Rows {
        Rows {
            metric: "commits_per_s".to_owned(),
            factors: "sync".to_owned(),
            configurations: rows,
            left_out: 0,
            figures: Averaged::Trials,
        }
    }

    #[test]
    fn every_mark_lies_inside_its_field_whatever_the_figures_are() {
        for figures in [
            vec![row("a", 0.0, None)],
            vec![row("a", 5.0, Some((-3.0, 13.0))), row("b", 4.0, Some((3.9, 4.1)))],
            vec![row("a", 1e-3, Some((-1.0, 1.0))), row("b", 1e9, Some((9e8, 1.1e9)))],
            vec![row("a", f64::NAN, None), row("b", 2.0, Some((1.0, f64::INFINITY)))],
        ] {
            let axis = Axis::for_rows(&figures).expect("there is a point");
            let bounds = figures.iter().flat_map(|row| {
                [row.mean.point, row.mean.interval.map(|it| it.0), row.mean.interval.map(|it| it.1)]
            });
            for place in bounds.flatten().map(|value| axis.place(value)).chain(axis.ticks()) {
                assert!((FIELD.0..=FIELD.1).contains(&place), "{place}");
            }
        }
        assert!(Axis::for_rows(&[]).is_none());
    }

    #[test]
    fn far_apart_is_logarithmic_and_says_so() {
        let near = rows(vec![row("a", 2.0, None), row("b", 3.0, None)]);
        let far = rows(vec![row("a", 2.0, None), row("b", 3000.0, None)]);
        let said = |rows: &Rows| {
            let axis = Axis::for_rows(&rows.configurations).expect("there are points");
            caption(rows, &quantity::named(&rows.metric), &axis)
        };
        assert_eq!(
            (said(&near).as_str(), said(&far).as_str()),
            ("commits/s by sync", "commits/s by sync, logarithmic")
        );
    }

    #[test]
    fn names_are_escaped_and_long_ones_shortened() {
        let text = draw(&rows(vec![row("<script>alert(1)</script>", 2.0, None)])).into_string();
        let (plot, name) =
            (Html::parse_fragment(&text), Selector::parse("svg text:first-child").expect("valid"));
        let names: Vec<String> = plot.select(&name).map(|name| name.text().collect()).collect();
        assert_eq!(names, ["<script>alert(1)</s…"]);
    }
}
