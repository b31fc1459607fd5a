//! What the drawings share: places, colours, the axis below.

use crate::class::Class;
use maud::{Markup, html as markup};
use model::figure::round;

/// Letters beside an edge are not centred.
const EDGE: f64 = 0.07;
/// Marks of the time, beside that of its beginning.
const MARKS_MAX: f64 = 5.0;

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

/// The axis of the time of an observation, with a mark every 1, 2 or 5 of a power of ten.
pub(super) fn time_axis(seconds: f64) -> Markup {
    let decade = 10_f64.powf((seconds / MARKS_MAX).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade);
    let step = steps.into_iter().find(|step| seconds / step <= MARKS_MAX).unwrap_or(seconds);
    let marks = (0..=(seconds / step) as u32).map(|mark| f64::from(mark) * step);
    axis(&marks.map(|at| (at / seconds, format!("{} s", round(at)))).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_marked_at_round_numbers() {
        for (seconds, marks) in
            [(20.04, &["0 s", "5.00 s", "10.0 s", "15.0 s", "20.0 s"][..]), (0.3, &["0 s", "0.100 s"])]
        {
            let drawn = time_axis(seconds).into_string();
            assert!(marks.iter().all(|mark| drawn.contains(&format!(">{mark}<"))), "{seconds}: {drawn}");
            assert!(drawn.matches("<text").count() <= 6, "{seconds}: {drawn}");
        }
        assert!(!time_axis(f64::MIN_POSITIVE).into_string().contains("NaN"));
    }
}
