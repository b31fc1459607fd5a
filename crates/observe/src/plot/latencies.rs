//! How the latencies of each class are distributed: histograms below each other on one logarithmic axis.

use super::axis::{axis, colour, percent, pixels};
use crate::observation::{ClassFigures, Latency, LatencyBin};
use maud::{Markup, html as markup};
use model::figure::elapsed;
use page::Figure;
use page::html::shown;

const CAPTION: &str = "Bars: operations by their latency, on a logarithmic axis; the highest bar of each row has the full \
    height. Line: the median. Dashed: 99 of 100 are faster.";

/// Height of a row, in pixels.
const HEIGHT: f64 = 56.0;
/// A single operation is seen.
const BAR_MIN: f64 = 1.5;

/// `None` without operations.
pub(crate) fn latencies(classes: &[ClassFigures]) -> Option<Figure> {
    let bins = || classes.iter().flat_map(|of| &of.latency_bins);
    let scale = Scale {
        low: bins().map(|bin| bin.from_us).reduce(f64::min)?.log10(),
        high: bins().map(|bin| bin.to_us).reduce(f64::max)?.log10(),
    };
    let rows = classes.iter().filter_map(|of| Some((of, of.latency.as_ref()?)));
    let drawn = markup! {
        div.lanes role="img" aria-label="How the latencies of reads, writes and syncs are distributed" {
            @for (of, latency) in rows {
                p.label { (shown(&format!("{}: {}", of.class.plural(), words(latency)))) }
                (row(of, latency, &scale))
            }
            (axis(&scale.decades()))
        }
    };
    Some(Figure::beside_text(&drawn).with_caption(CAPTION))
}

fn words(latency: &Latency) -> String {
    let percentiles = [("p50", latency.p50_us), ("p99", latency.p99_us), ("max", Some(latency.max_us))];
    let known = percentiles.into_iter().filter_map(|(name, us)| Some(format!("{name} {}", elapsed(us?))));
    known.collect::<Vec<_>>().join(", ")
}

fn row(of: &ClassFigures, latency: &Latency, scale: &Scale) -> Markup {
    let most = of.latency_bins.iter().map(|bin| bin.operations).max().unwrap_or(1).max(1) as f64;
    let height = |bin: &LatencyBin| (bin.operations as f64 / most * (HEIGHT - 4.0)).max(BAR_MIN);
    let line = |us: f64, dashes: &str| {
        let x = percent(scale.share(us));
        markup! {
            line x1=(x) x2=(x) y1="0" y2=(HEIGHT) stroke="var(--ink)" stroke-width="1.5" stroke-dasharray=(dashes) {}
        }
    };
    markup! {
        svg width="100%" height=(HEIGHT) {
            @for bin in &of.latency_bins {
                @let (from, to) = (scale.share(bin.from_us), scale.share(bin.to_us));
                rect x=(percent(from)) width=(percent(to - from)) y=(pixels(HEIGHT - height(bin))) height=(pixels(height(bin)))
                    fill=(colour(of.class)) stroke="var(--paper)" {
                    title { (elapsed(bin.from_us)) " to " (elapsed(bin.to_us)) ": " (bin.operations) }
                }
            }
            @if let Some(p50) = latency.p50_us { (line(p50, "none")) }
            @if let Some(p99) = latency.p99_us { (line(p99, "4 3")) }
        }
    }
}

/// Decimal logarithms of microseconds.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn share(&self, us: f64) -> f64 {
        ((us.log10() - self.low) / (self.high - self.low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }

    /// The powers of ten that lie on it.
    fn decades(&self) -> Vec<(f64, String)> {
        let powers = self.low.ceil() as i32..=self.high.floor() as i32;
        powers.map(|power| 10_f64.powi(power)).map(|us| (self.share(us), mark(us))).collect()
    }
}

/// `100 µs`, `1 ms`.
fn mark(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", us / 1e6),
        _ if us >= 1e3 => format!("{} ms", us / 1e3),
        _ => format!("{us} µs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_has_the_powers_of_ten_between_its_ends() {
        let decades = Scale { low: -0.9, high: 3.1 }.decades();
        let marks: Vec<&str> = decades.iter().map(|(_, mark)| mark.as_str()).collect();
        assert_eq!(marks, ["1 µs", "10 µs", "100 µs", "1 ms"]);
        assert!(decades.iter().all(|(share, _)| (0.0..=1.0).contains(share)), "{decades:?}");
    }

    #[test]
    fn nothing_is_drawn_without_operations() {
        assert!(latencies(&[]).is_none());
    }
}
