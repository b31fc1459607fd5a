//! What the drawings share: places, colours, the axis below.

use crate::class::Class;
use maud::{Markup, html as markup};
use model::figure::round;

/// Letters beside an edge are not centred.
const EDGE: f64 = 0.07;

/// A share of the width.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2}%", share.clamp(0.0, 1.0) * 100.0)
}

pub(super) fn pixels(value: f64) -> String {
    format!("{value:.1}")
}

pub(super) const fn colour(class: Class) -> &'static str {
    match class {
        Class::Read => "var(--series-0)",
        Class::Write => "var(--series-1)",
        Class::Sync => "var(--series-2)",
    }
}

/// Marks with their texts, each at a share of the width.
pub(super) fn axis(marks: &[(f64, String)]) -> Markup {
    let anchor = |share: f64| match share {
        _ if share < EDGE => "start",
        _ if share > 1.0 - EDGE => "end",
        _ => "middle",
    };
    markup! {
        svg width="100%" height="18" {
            line x1="0" x2="100%" y1="0.5" y2="0.5" stroke="var(--line)" {}
            @for (share, text) in marks {
                line x1=(percent(*share)) x2=(percent(*share)) y1="0" y2="4" stroke="var(--series-6)" {}
                text x=(percent(*share)) y="15" text-anchor=(anchor(*share)) { (text) }
            }
        }
    }
}

/// The axis of the time of an observation.
pub(super) fn time_axis(seconds: f64) -> Markup {
    axis(&[0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, format!("{} s", round(share * seconds)))))
}
