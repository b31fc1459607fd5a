//! Figures as the cells of tables have them.

use crate::observation::{Latency, SizeFigures};
use model::figure::{figure, percent, round};
use model::metric::Unit;

/// A share that is shown.
pub(super) const SHARE_MIN: f64 = 0.005;
pub(super) const NONE: &str = "—";

/// Sizes in a cell.
const SIZES_MAX: usize = 2;

pub(super) fn sizes(sizes: &[SizeFigures]) -> String {
    let one = |of: &SizeFigures| {
        let bytes = figure(of.bytes as f64, Unit::Bytes);
        if of.share < 0.995 { format!("{bytes} {:.0} %", of.share * 100.0) } else { bytes }
    };
    let shown: Vec<String> =
        sizes.iter().take(SIZES_MAX).filter(|of| of.share >= SHARE_MIN).map(one).collect();
    shown.join(", ")
}

pub(super) fn share(share: Option<f64>) -> String {
    share.map_or_else(|| NONE.to_owned(), percent)
}

/// A rate, with a sign if it is an estimate.
pub(crate) fn estimated(rate: String, is_estimate: bool) -> String {
    if is_estimate { format!("≈ {rate}") } else { rate }
}

/// p50, p99 and maximum.
pub(super) fn latency(latency: Option<&Latency>) -> [String; 3] {
    let figure = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), round);
    [
        figure(latency.and_then(|of| of.p50_us)),
        figure(latency.and_then(|of| of.p99_us)),
        figure(latency.map(|of| of.max_us)),
    ]
}
