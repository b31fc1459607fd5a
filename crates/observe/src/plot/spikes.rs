//! Spikes by the time at which they began and by their latency.

use super::axis::{colour, percent, pixels, time_axis};
use crate::class::Class;
use crate::observation::{Spike, SpikeFigures};
use maud::html as markup;
use model::figure::{elapsed, round};
use page::Figure;
use page::html::shown;

const CAPTION: &str = "Dots: the slowest spikes, by the time at which each began and, on a logarithmic axis, by its latency. \
    Dashed: the threshold.";

/// Heights, in pixels: of the drawing, and of its first and last place for a dot.
const HEIGHT: f64 = 130.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 110.0;

/// `None` if there are none.
pub(crate) fn spikes(of: &SpikeFigures, duration_s: f64) -> Option<Figure> {
    let longest_us = of.slowest.iter().map(|spike| spike.latency_us).reduce(f64::max)?;
    let decades = (longest_us / of.threshold_us).log10().max(f64::MIN_POSITIVE);
    let y = |us: f64| BOTTOM - (us / of.threshold_us).log10() / decades * (BOTTOM - TOP);
    let has = |class: &Class| of.slowest.iter().any(|spike| spike.class == *class);
    let seconds = duration_s.max(f64::MIN_POSITIVE);
    let drawn = markup! {
        div.lanes role="img" aria-label="Spikes over the time of the observation, by their latency" {
            div.legend {
                @for class in Class::ALL.into_iter().filter(has) {
                    span.key {
                        svg width="11" height="11" { circle cx="5.5" cy="5.5" r="5" fill=(colour(class)) {} }
                        (class.plural())
                    }
                }
            }
            svg width="100%" height=(HEIGHT) {
                line x1="0" x2="100%" y1=(BOTTOM) y2=(BOTTOM) stroke="var(--series-6)" stroke-dasharray="4 3" {}
                text x="0" y="12" { (elapsed(longest_us)) }
                text x="0" y=(pixels(BOTTOM + 14.0)) { (elapsed(of.threshold_us)) }
                @for spike in &of.slowest {
                    circle cx=(percent(spike.at_s / seconds)) cy=(pixels(y(spike.latency_us))) r="4.5" fill=(colour(spike.class))
                        stroke="var(--paper)" { title { (words(spike)) } }
                }
            }
            (time_axis(seconds))
        }
    };
    Some(Figure::beside_text(&drawn).with_caption(CAPTION))
}

fn words(spike: &Spike) -> String {
    let (at, latency) = (round(spike.at_s), elapsed(spike.latency_us));
    shown(&format!("{at} s: {} of {}: {latency}", spike.class.singular(), spike.path))
}
