//! How the first measurements of a stratum are distributed.

use crate::question::Question;
use crate::rule::{LEVEL, ROUNDS_MIN};
use model::figure::{self, count, exact_percent, interval, round_figure};
use model::metric::{Better, Unit};
use page::quantity;
use serde::Serialize;

/// One question, one stratum: the first measurement of every disk.
#[derive(Clone, Debug, Serialize)]
pub struct Distribution {
    pub question: usize,
    pub stratum: usize,
    /// The disks that answer it, in the order of the disks.
    pub figures: Vec<Figure>,
    /// Median over disks, in the metric's unit.
    pub median: f64,
    /// A disk whose whole interval lies beyond is a suspect; `None` if there are too few disks to judge.
    pub limit: Option<f64>,
    /// Disks whose histograms are added.
    pub added: usize,
    /// Operations in the added histograms; 0 if there are none.
    pub operations: u64,
    /// Quantiles of the added histograms, each with its latency in microseconds.
    pub latencies: Vec<(f64, f64)>,
}

/// One disk's figure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figure {
    pub disk: usize,
    /// Geometric mean over rounds, in the metric's unit.
    pub value: f64,
    /// Its interval at [`crate::LEVEL`]; `None` with too few rounds.
    pub interval: Option<(f64, f64)>,
    pub rounds: usize,
}

impl Distribution {
    /// The slowest and the fastest figure.
    pub(crate) fn ends(&self, asked: &Question) -> (f64, f64) {
        let values = || self.figures.iter().map(|figure| figure.value);
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        match quantity::named(&asked.metric).better {
            Better::Lower => (high, low),
            Better::Higher | Better::Neither => (low, high),
        }
    }

    /// The quantiles of the added histograms: `p50 100 µs, p99 1 200 µs of 4 000 000 operations of 12 disks together`.
    pub(crate) fn quantiles(&self) -> Option<String> {
        if self.latencies.is_empty() {
            return None;
        }
        let quantile = |(quantile, us): &(f64, f64)| {
            let percent = format!("{:.3}", quantile * 100.0);
            let percent = percent.trim_end_matches('0').trim_end_matches('.');
            format!("p{percent} {}", round_figure(*us, Unit::Microseconds))
        };
        let quantiles: Vec<String> = self.latencies.iter().map(quantile).collect();
        let operations = figure::round(self.operations as f64);
        let disks = count(self.added, "disk");
        Some(format!("{} of {operations} operations of {disks} together", quantiles.join(", ")))
    }
}

impl Figure {
    /// `45 100/s (44 000–46 200, 95 %)`; the figure alone with too few rounds.
    pub(crate) fn text(&self, unit: Unit) -> String {
        let text = round_figure(self.value, unit);
        match self.interval {
            Some(bounds) => {
                format!("{text} ({}, {})", interval(bounds, self.value, unit), exact_percent(LEVEL))
            }
            None => format!("{text} (no interval: {} of {ROUNDS_MIN} rounds)", self.rounds),
        }
    }
}
