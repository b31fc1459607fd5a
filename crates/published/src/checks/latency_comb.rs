//! Latencies on the teeth of a comb: something ticks (a timer, a polling loop, a coarse clock), and the histogram tells it.

use super::judgement::{Judgement, Words};
use super::readings::{LATENCY, Readings};
use crate::latency::time;
use crate::table::{Row, Table};
use model::units::format_significant;
use stats::comb::comb;
use verdict::Status;

/// Relative width of fio's bins: 64 to a power of two.
const RESOLUTION: f64 = 1.0 / 64.0;

pub(super) fn check(table: &Table) -> Judgement {
    let readings = Readings::from_rows(table, LATENCY, read);
    let words = Words {
        pass: format!("The histograms of {} show no comb.", readings.read()),
        off: format!("The latencies of {} form a comb: a timer determines them.", readings.share()),
        advice: "Look for the tick: the kernel's timer, a polling interval, a coarse clock. Percentiles are rounded to its \
                 multiples.",
        missing: "No row has a latency histogram (fio: --output-format=json+).",
    };
    Judgement::from_readings(readings, words)
}

fn read(row: &Row) -> Option<(Status, String)> {
    if row.bins.is_empty() {
        return None;
    }
    let Some(found) = comb(&row.bins, RESOLUTION) else { return Some((Status::Pass, String::new())) };
    let text = format!(
        "{} teeth {} apart hold {} % of the operations; in a smooth distribution they hold {} %.",
        found.teeth,
        time(found.period),
        format_significant(found.share * 100.0),
        format_significant(found.share_expected * 100.0)
    );
    Some((Status::Warn, text))
}
