//! A ratio that can be written down and read back.

use model::figure::{exact_percent, ratio, ratios};
use serde::{Deserialize, Serialize};
use verdict::{EQUIVALENCE_MARGIN, Estimate};

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    pub point: f64,
    pub low: f64,
    pub high: f64,
    /// Level of the interval, such as 0.997.
    pub level: f64,
}

impl Ratio {
    /// An estimate that has an interval.
    pub fn of(estimate: &Estimate) -> Option<Self> {
        let (low, high) = estimate.interval?;
        Some(Self { point: estimate.point?, low, high, level: estimate.level? })
    }

    /// `1.20× (1.16–1.24, 99.4 %)`.
    pub(crate) fn text(&self) -> String {
        let Self { point, low, high, level } = *self;
        format!("{} ({}, {})", ratio(point), ratios((low, high)), exact_percent(level))
    }

    /// The factor that a true effect must have, about, for such an interval to leave out 1.
    pub(crate) fn smallest_effect(&self) -> f64 {
        (self.high / self.low).sqrt()
    }

    /// Whether a loss of more than the margin is refuted.
    pub(crate) fn loses_little(&self) -> bool {
        self.low >= 1.0 / EQUIVALENCE_MARGIN
    }

    /// Whether the whole interval is on the better side.
    pub(crate) fn is_above_one(&self) -> bool {
        self.low > 1.0
    }
}
