//! Syncs of a log against a limit of their 99th percentile.

use crate::log::Log;
use model::figure::{count, exact_percent, percent, round_figure};
use model::metric::Unit;
use serde::Serialize;

/// Syncs of a log against a limit of their 99th percentile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Syncs {
    pub study: String,
    /// What the log's blocks were.
    pub log: Log,
    pub trials: usize,
    /// Those that exceeded the limit.
    pub above: usize,
    /// The highest 99th percentile of a trial, µs.
    pub highest_us: f64,
    /// The largest share of trials that could exceed it.
    pub share_above_at_most: f64,
    /// Confidence of that share.
    pub level: f64,
}

impl Syncs {
    pub(crate) fn text(&self) -> String {
        let log = match self.log {
            Log::Growing => "that grows",
            Log::Allocated => "allocated",
            Log::Written => "written before",
        };
        format!(
            "fdatasync p99 below 10 ms in {} of {} (highest {}, on a log {log}, study {}); so few trials do not \
             exclude that {} of such trials exceed it ({} confidence)",
            self.trials - self.above,
            count(self.trials, "trial"),
            round_figure(self.highest_us, Unit::Microseconds),
            self.study,
            percent(self.share_above_at_most),
            exact_percent(self.level)
        )
    }
}
