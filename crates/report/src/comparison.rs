//! Two compared runs on the terminal and as a page.

use crate::headline::{Averaged, Row as PlotRow, Rows};
use crate::html::{self, ratio_plot, small_plot};
use maud::PreEscaped;
use page::{Figure, terminal};
use verdict::Estimate;
use verdict::compare::{Comparison, Plots, Row, Ruling};

/// Renders a comparison and its limits for a terminal of `width` columns, with ANSI colours if `colour` is set.
pub fn comparison(comparison: &Comparison, rulings: &[Ruling], width: usize, colour: bool) -> String {
    terminal::document(&comparison.document(rulings, &Plots::NONE), width, colour)
}

/// Renders the page: offline like the report, light and dark, without JavaScript.
pub fn comparison_html(comparison: &Comparison, rulings: &[Ruling]) -> String {
    let caption = "dots: means over trials; lines: their 95 % intervals; axes begin at 0 unless logarithmic";
    let legend = Some(Figure::beside_text(&PreEscaped(String::new())).with_caption(caption));
    html::document(&comparison.document(rulings, &Plots { legend, sides: &sides, changes: &changes }), None)
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

/// The intervals of the changes.
fn changes(rows: &[&Row]) -> Vec<Option<Figure>> {
    let ratio = |row: &&Row| {
        let ratio = row.ratio.as_ref()?;
        Some((ratio.point?, ratio.interval?))
    };
    let ratios: Vec<Option<(f64, (f64, f64))>> = rows.iter().map(ratio).collect();
    let reach = ratio_plot::reach(ratios.iter().flatten().map(|(_, interval)| *interval));
    let draw = |(point, interval)| Figure::beside_text(&ratio_plot::draw(point, interval, reach));
    ratios.into_iter().map(|ratio| ratio.map(draw)).collect()
}
