//! What the report's words are made of: figures with their units, estimates with their intervals, and the titles of
//! metrics.

pub(crate) use model::figure::{exact_percent, figure, round_figure};
pub(crate) use page::quantity::{Named, named};
pub(crate) use verdict::quantity::{interval, interval_text, with_interval};

/// The minimum number of trials for an interval (docs/statistics.md).
pub(crate) const TRIALS_FOR_INTERVAL: usize = 6;
