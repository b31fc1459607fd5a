//! Times in words.

use model::figure::{round, round_figure};
use model::metric::Unit;

/// A time in the unit that keeps it short.
pub(crate) fn elapsed(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", round(us / 1e6)),
        _ if us >= 1e4 => format!("{} ms", round(us / 1e3)),
        _ => round_figure(us, Unit::Microseconds),
    }
}
