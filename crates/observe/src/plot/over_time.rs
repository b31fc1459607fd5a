//! Rates over the time of the observation: an area for each class, and a dot for each spike.

use super::axis::{colour, percent, time_axis};
use crate::class::Class;
use crate::observation::{ClassOverTime, OverTime, Spike};
use maud::{Markup, html as markup};
use model::figure::{elapsed, round, round_figure};
use model::metric::Unit;
use page::Figure;
use page::html::shown;
use std::fmt::Write;

/// Fewer slots show nothing that the means do not.
const SLOTS_MIN: usize = 4;
/// Height of a row, in pixels and in its own units.
const HEIGHT: f64 = 48.0;

/// `None` if the time was too short.
pub(crate) fn over_time(seen: &OverTime, spikes: &[Spike], duration_s: f64) -> Option<Figure> {
    let slots = seen.classes.first()?.operations_per_s.len();
    if slots < SLOTS_MIN {
        return None;
    }
    let covered_s = slots as f64 * seen.slot_s;
    let length_s = duration_s.max(covered_s);
    let dots = if spikes.is_empty() { "" } else { " Dots: the slowest spikes." };
    let has_gaps = seen.classes.iter().any(|of| of.operations_per_s.contains(&None));
    let gaps = if has_gaps {
        " Between the windows in which calls were recorded, the last rate is drawn."
    } else {
        ""
    };
    let caption = format!(
        "Operations per second in slots of {}. Each row begins at 0 and has a scale of its own.{gaps}{dots}",
        elapsed(seen.slot_s * 1e6)
    );
    let drawn = markup! {
        div.lanes role="img" aria-label="Reads, writes and syncs per second over the time of the observation" {
            @for of in &seen.classes {
                @let most = most(&of.operations_per_s);
                p.label { (shown(&words(of, most))) }
                svg width="100%" height=(HEIGHT) {
                    svg width=(percent(covered_s / length_s)) height=(HEIGHT) viewBox={ "0 0 " (slots) " " (HEIGHT) }
                        preserveAspectRatio="none" {
                        path d=(area(&of.operations_per_s, most)) fill=(colour(of.class)) fill-opacity="0.75" {}
                    }
                    @for spike in spikes.iter().filter(|spike| spike.class == of.class) { (dot(spike, length_s)) }
                }
            }
            (time_axis(length_s))
        }
    };
    Some(Figure::beside_text(&drawn).with_caption(caption))
}

fn most(rates: &[Option<f64>]) -> f64 {
    rates.iter().flatten().copied().fold(0.0, f64::max)
}

/// `writes: at most 1 200/s, 9.40 MiB/s`.
fn words(of: &ClassOverTime, most_operations: f64) -> String {
    let bytes = most(&of.bytes_per_s);
    let bandwidth = match of.class {
        Class::Read | Class::Write => format!(", {}", round_figure(bytes, Unit::BytesPerSecond)),
        Class::Sync => String::new(),
    };
    format!("{}: at most {}/s{bandwidth}", of.class.plural(), round(most_operations))
}

/// Steps from slot to slot, closed along zero. A slot without a rate has that of the one before, and the first ones
/// that of the first.
fn area(rates: &[Option<f64>], most: f64) -> String {
    let mut path = format!("M0 {HEIGHT}");
    let mut rate = rates.iter().flatten().next().copied().unwrap_or_default();
    for (slot, seen) in rates.iter().enumerate() {
        rate = seen.unwrap_or(rate);
        let y = HEIGHT * (1.0 - rate / most.max(f64::MIN_POSITIVE));
        let _ = write!(path, "V{y:.1}H{}", slot + 1);
    }
    let _ = write!(path, "V{HEIGHT}Z");
    path
}

fn dot(spike: &Spike, length_s: f64) -> Markup {
    markup! {
        circle cx=(percent(spike.at_s / length_s)) cy="5" r="3.5" fill="var(--fail)" stroke="var(--paper)" {
            title { (round(spike.at_s)) " s: " (elapsed(spike.latency_us)) ", " (shown(&spike.path)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_rate_reaches_the_top_and_none_the_bottom() {
        assert_eq!(area(&[2.0, 0.0, 1.0].map(Some), 2.0), "M0 48V0.0H1V48.0H2V24.0H3V48Z");
        assert_eq!(area(&[Some(0.0)], 0.0), "M0 48V48.0H1V48Z");
    }

    #[test]
    fn between_windows_the_last_rate_is_drawn() {
        assert_eq!(area(&[None, Some(1.0), None, Some(2.0)], 2.0), "M0 48V24.0H1V24.0H2V24.0H3V0.0H4V48Z");
        assert_eq!(area(&[None], 0.0), "M0 48V48.0H1V48Z");
    }

    #[test]
    fn a_time_of_a_slot_or_two_is_not_drawn() {
        let rates = |slots: usize| OverTime {
            slot_s: 0.25,
            classes: vec![ClassOverTime {
                class: Class::Sync,
                operations_per_s: vec![Some(1.0); slots],
                bytes_per_s: vec![Some(0.0); slots],
            }],
        };
        assert!(
            over_time(&rates(3), &[], 0.7).is_none() && over_time(&OverTime::default(), &[], 60.0).is_none()
        );
        assert!(over_time(&rates(4), &[], 1.0).is_some());
    }
}
