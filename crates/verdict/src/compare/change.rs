//! A ratio as the change from A to B.

use crate::estimate::Estimate;
use model::figure::exact_percent;
use model::units::format_significant;

/// Larger ratios are printed as ratios: `+1 130 %` is harder to read than `12.3×`.
const FACTOR: f64 = 10.0;

/// A ratio as a change: `+15.7 %`, `−3.2 %`, `12.3×`.
pub(crate) fn change(ratio: f64) -> String {
    if ratio >= FACTOR {
        return format!("{}×", format_significant(ratio));
    }
    format!("{} %", percentage(ratio))
}

/// `+15.7`, `−3.2`.
fn percentage(ratio: f64) -> String {
    let text = format!("{:+.1}", (ratio - 1.0) * 100.0);
    // A rounded zero has no direction.
    match text.as_str() {
        "+0.0" | "-0.0" => "0.0".to_owned(),
        _ => text.replace('-', "−"),
    }
}

/// The change with its interval: `+15.7 % [+12.0 to +19.5]`; a dash if nothing was compared.
pub(crate) fn with_interval(ratio: Option<&Estimate>) -> String {
    let Some((ratio, point)) = ratio.and_then(|ratio| Some((ratio, ratio.point?))) else {
        return "–".to_owned();
    };
    let Some((low, high)) = ratio.interval else { return change(point) };
    // If the unit is the same for all three, it is printed once.
    let in_percent = [point, low, high].iter().all(|ratio| *ratio < FACTOR);
    let [low, high] = [low, high].map(if in_percent { percentage } else { change });
    format!("{} [{low} to {high}]", change(point))
}

/// `+12.0 % to +19.5 %, 99 %`, or the reason why there is none.
pub(crate) fn interval(ratio: Option<&Estimate>) -> String {
    let Some(ratio) = ratio else { return "no interval: nothing was compared".to_owned() };
    let Some((low, high)) = ratio.interval else {
        return format!("no interval: {}", crate::quantity::reason(ratio));
    };
    let level = ratio.level.map(|level| format!(", {}", exact_percent(level))).unwrap_or_default();
    format!("{} to {}{level}", change(low), change(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_direction_and_factors_have_none() {
        for (ratio, text) in
            [(1.157, "+15.7 %"), (0.968, "−3.2 %"), (1.000_2, "0.0 %"), (12.34, "12.3×"), (0.9999, "0.0 %")]
        {
            assert_eq!(change(ratio), text);
        }
    }

    /// In `12.3× [+850.0, 16.0×]` the unit of 850 was missing.
    #[test]
    fn a_bound_has_a_unit_of_its_own_where_it_differs() {
        for (point, interval, text) in [
            (1.157, (1.12, 1.195), "+15.7 % [+12.0 to +19.5]"),
            (12.34, (9.5, 16.0), "12.3× [+850.0 % to 16.0×]"),
            (12.34, (11.0, 13.0), "12.3× [11.0× to 13.0×]"),
        ] {
            let estimate =
                Estimate { point: Some(point), interval: Some(interval), level: Some(0.95), reason: None };
            assert_eq!(with_interval(Some(&estimate)), text);
        }
    }
}
