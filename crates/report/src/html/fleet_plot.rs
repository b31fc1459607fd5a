//! The distribution of a question over the disks of each stratum: a histogram on a logarithmic axis, with the suspects
//! as dots.

use fleet::{Distribution, Plots, Statement};
use maud::{Markup, html as markup};
use model::figure::round_figure;
use page::{Figure, quantity};

/// What the plots show; the tables below them have the same content in numbers.
const CAPTION: &str = "bars: disks by their figure, on a logarithmic axis; thin line: the median; dashed line: the \
     limit; dots: disks whose whole interval lies beyond it";

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 56.0;
const MARGIN: f64 = 8.0;
const BINS: usize = 64;

/// The drawings of a fleet's page.
pub(crate) fn plots() -> Plots<'static> {
    let legend = Figure::beside_text(&markup! {}).with_caption(CAPTION);
    Plots { legend: Some(legend), distributions: &draw }
}

/// Draws the strata below each other, on one axis.
fn draw(statement: &Statement, distributions: &[&Distribution]) -> Option<Figure> {
    let axis = Axis::over(distributions)?;
    let asked = &statement.questions[distributions.first()?.question];
    let unit = quantity::named(&asked.metric).unit;
    let (left, right) = (round_figure(axis.low.exp(), unit), round_figure(axis.high.exp(), unit));
    let height = HEIGHT * distributions.len() as f64 + 18.0;
    Some(Figure::beside_text(&markup! {
        svg viewBox={ "0 0 " (WIDTH + 2.0 * MARGIN) " " (height) } style="width: 100%; max-width: \
            42rem" role="img" aria-label={ "Disks from " (left) " to " (right) } {
            @for (row, distribution) in distributions.iter().enumerate() {
                (stratum(statement, distribution, &axis, (row + 1) as f64 * HEIGHT))
            }
            text x=(MARGIN) y=(height - 3.0) font-size="11" fill="var(--quiet)" { (left) }
            text x=(MARGIN + WIDTH) y=(height - 3.0) font-size="11" fill="var(--quiet)" text-anchor="end" { (right) }
        }
    }))
}

/// The logarithmic axis that the strata of a question share.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// From the smallest to the largest figure or limit; `None` if there is nothing to draw.
    fn over(distributions: &[&Distribution]) -> Option<Self> {
        let values =
            distributions.iter().flat_map(|it| it.figures.iter().map(|figure| figure.value).chain(it.limit));
        let logs: Vec<f64> = values.map(f64::ln).filter(|log| log.is_finite()).collect();
        let low = logs.iter().copied().reduce(f64::min)?;
        let high = logs.iter().copied().reduce(f64::max)?;
        // At least 2 % wide, so that equal disks are one bar in the middle.
        let room = (0.01 - (high - low) / 2.0).max(0.02 * (high - low));
        Some(Self { low: low - room, high: high + room })
    }

    /// A share of the axis, 0 to 1.
    fn share(&self, value: f64) -> f64 {
        ((value.ln() - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn x(&self, value: f64) -> String {
        format!("{:.1}", MARGIN + self.share(value) * WIDTH)
    }
}

fn stratum(statement: &Statement, distribution: &Distribution, axis: &Axis, base: f64) -> Markup {
    let mut bins = [0_usize; BINS];
    for figure in distribution.figures.iter().filter(|figure| figure.value.is_finite()) {
        let bin = (axis.share(figure.value) * BINS as f64) as usize;
        bins[bin.min(BINS - 1)] += 1;
    }
    let most = bins.iter().copied().max().unwrap_or(1).max(1) as f64;
    let suspects = statement.suspects.iter().filter(|suspect| {
        std::ptr::eq(&raw const statement.distributions[suspect.distribution], distribution)
    });
    let line = |value: f64, dash: &'static str, colour: &'static str| {
        markup! {
            line x1=(axis.x(value)) x2=(axis.x(value)) y1=(base - HEIGHT + 8.0) y2=(base) stroke=(colour)
                stroke-width="1.5" stroke-dasharray=(dash) {}
        }
    };
    markup! {
        line x1=(MARGIN) x2=(MARGIN + WIDTH) y1=(base) y2=(base) stroke="var(--line)" {}
        @for (bin, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            @let height = (*count as f64 / most * (HEIGHT - 14.0)).max(1.5);
            rect x=(format!("{:.1}", MARGIN + bin as f64 * WIDTH / BINS as f64)) y=(format!("{:.1}", base - height))
                width=(format!("{:.1}", WIDTH / BINS as f64 - 1.0)) height=(format!("{height:.1}")) fill="var(--accent)" opacity="0.7" {}
        }
        (line(distribution.median, "none", "var(--quiet)"))
        @if let Some(limit) = distribution.limit { (line(limit, "4 3", "var(--fail)")) }
        @for suspect in suspects {
            circle cx=(axis.x(suspect.figure.value)) cy=(base - 6.0) r="4.5" fill="var(--fail)" stroke="var(--paper)" {
                title { (statement.disks[suspect.disk].disk) }
            }
        }
    }
}
