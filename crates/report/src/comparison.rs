//! Two compared runs on the terminal and as a page.

use crate::headline::{Averaged, Row as PlotRow, Rows};
use crate::html::{self, ratio_plot, small_plot};
use maud::PreEscaped;
use page::{Figure, terminal};
use verdict::Estimate;
use verdict::compare::{Comparison, Plots, Row, Ruling};

const CHANGES: &str = "the interval of B against A; the vertical line marks no change, the shaded band ±5 %";
const CHANGES_AND_LIMITS: &str = "the interval of B against A; the vertical line marks no change, the shaded band ±5 %, the \
     dashed lines the limits of the metric; an interval at the edge reaches beyond it";
/// With limits, an axis is at most this many times as long as the farthest of them: otherwise one wide interval moves
/// them into the middle.
const LIMITS_REACH_MAX: f64 = 6.0;

/// Renders a comparison and its limits for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn comparison(comparison: &Comparison, rulings: &[Ruling], width: usize, colour: bool) -> String {
    terminal::document(&comparison.document(rulings, &Plots::NONE), width, colour)
}

/// Renders the page: offline like the report, light and dark, without JavaScript.
pub fn comparison_html(comparison: &Comparison, rulings: &[Ruling]) -> String {
    let caption = "dots: means over trials; lines: their 95 % intervals; axes begin at 0 unless logarithmic";
    let legend = Some(Figure::beside_text(&PreEscaped(String::new())).with_caption(caption));
    let changes = |rows: &[&Row]| changes(rows, rulings);
    let changes_legend = if rulings.is_empty() { CHANGES } else { CHANGES_AND_LIMITS };
    html::document(
        &comparison.document(rulings, &Plots { legend, sides: &sides, changes: &changes, changes_legend }),
        None,
    )
}

fn sides(row: &Row) -> Option<Figure> {
    let side = |label: &str, mean: &Estimate| PlotRow {
        label: label.to_owned(),
        mean: mean.clone(),
        is_marked: label == "B",
    };
    let drawn = small_plot::draw(&Rows {
        metric: row.metric.clone(),
        factors: "run".to_owned(),
        configurations: vec![side("A", &row.a), side("B", &row.b)],
        left_out: 0,
        figures: Averaged::Trials,
    });
    (!drawn.0.is_empty()).then(|| Figure::beside_text(&drawn))
}

/// The intervals of the changes, with the limits of their metric.
fn changes(rows: &[&Row], rulings: &[Ruling]) -> Vec<Option<Figure>> {
    let is_of_rows = |ruling: &&Ruling| rows.iter().any(|row| row.metric == ruling.gate.metric);
    let limits: Vec<f64> = rulings.iter().filter(is_of_rows).map(|ruling| ruling.gate.ratio()).collect();
    let ratio = |row: &&Row| {
        let ratio = row.ratio.as_ref()?;
        Some((ratio.point?, ratio.interval?))
    };
    let ratios: Vec<Option<(f64, (f64, f64))>> = rows.iter().map(ratio).collect();
    let intervals = ratios.iter().flatten().map(|(_, interval)| *interval);
    let of_limits = || limits.iter().map(|limit| (*limit, *limit));
    let reach = ratio_plot::reach(intervals.chain(of_limits()));
    let reach =
        if limits.is_empty() { reach } else { reach.min(LIMITS_REACH_MAX * ratio_plot::reach(of_limits())) };
    let draw = |(point, interval)| Figure::beside_text(&ratio_plot::draw(point, interval, reach, &limits));
    ratios.into_iter().map(|ratio| ratio.map(draw)).collect()
}
