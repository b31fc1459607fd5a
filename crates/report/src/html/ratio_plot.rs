//! A ratio with its interval as a row of a forest plot. The text beside it has the same content.

use maud::{Markup, PreEscaped, html as markup};
use page::Figure;
use proof::{Plots, Ratio};
use verdict::EQUIVALENCE_MARGIN;

/// Width of a row's plot in its own units; its middle means no change.
const PLOT: f64 = 320.0;

/// The largest distance of any interval from no change, as a logarithm; at least a tenth, so that small changes do not
/// look large.
pub(crate) fn reach(intervals: impl Iterator<Item = (f64, f64)>) -> f64 {
    let farthest = intervals.flat_map(|(low, high)| [low.ln().abs(), high.ln().abs()]);
    farthest.filter(|reach| reach.is_finite()).fold(1.1_f64.ln(), f64::max)
}

/// The interval as a line, its estimate as a dot, the margin of equality as a band, limits as dashed lines.
pub(crate) fn draw(point: f64, (low, high): (f64, f64), reach: f64, limits: &[f64]) -> Markup {
    let x = |ratio: f64| (ratio.ln() / reach).clamp(-1.0, 1.0) * PLOT / 2.0;
    let text = |ratio: f64| format!("{:.1}", x(ratio));
    let band = x(EQUIVALENCE_MARGIN);
    markup! {
        svg viewBox={ (-PLOT / 2.0 - 6.0) " -8 " (PLOT + 12.0) " 16" } width="160" height="13" {
            rect x=(format!("{:.1}", -band)) y="-8" width=(format!("{:.1}", 2.0 * band)) height="16" fill="var(--line)" opacity="0.7" {}
            line x1="0" x2="0" y1="-8" y2="8" stroke="var(--quiet)" stroke-width="1.5" {}
            @for limit in limits {
                line.limit x1=(text(*limit)) x2=(text(*limit)) y1="-8" y2="8" stroke="var(--fail)" stroke-width="2" {}
            }
            line x1=(text(low)) x2=(text(high)) y1="0" y2="0" stroke="var(--accent)" stroke-width="3" {}
            circle cx=(text(point)) cy="0" r="4" fill="var(--accent)" {}
        }
    }
}

/// The drawings of a proof.
pub(crate) fn of_proof() -> Plots<'static> {
    let legend = Figure::beside_text(&PreEscaped(String::new()))
        .with_caption("The line marks a ratio of 1, the shaded band ±5 %.");
    Plots { legend: Some(legend), ratios: &ratios }
}

fn ratios(ratios: &[Option<Ratio>]) -> Vec<Option<Figure>> {
    let intervals = ratios.iter().flatten().map(|ratio| (ratio.low, ratio.high));
    let reach = reach(intervals);
    let draw = |ratio: Ratio| Figure::beside_text(&draw(ratio.point, (ratio.low, ratio.high), reach, &[]));
    ratios.iter().map(|ratio| ratio.map(draw)).collect()
}
