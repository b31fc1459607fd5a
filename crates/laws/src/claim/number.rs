//! The numbers of a claim, one by one.

use super::{Claim, LatencyFigure, Timed, time};
use model::printable;
use model::units::{format_bytes_approximate, format_significant};

/// What kind of thing a number is: a check concerns some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Operations per second.
    Rate,
    /// Bytes per second.
    Bandwidth,
    /// Mean of latencies.
    LatencyMean,
    /// Standard deviation of latencies.
    LatencySd,
    /// Smallest or largest latency.
    LatencyExtreme,
    LatencyPercentile,
    /// Commits per second.
    CommitRate,
    /// Any latency of a sync alone.
    Sync,
    /// Any latency of a whole commit.
    Commit,
    /// Any other published figure.
    Figure,
    /// An interval's half width or a standard deviation between runs.
    Spread,
    /// A figure in a file for a scheduler.
    Rated,
}

/// One number of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// `iops`, `latency p99`, or its column.
    pub name: String,
    /// What kind of thing it is.
    pub kind: NumberKind,
    /// The figure with its unit.
    pub text: String,
}

impl Claim {
    /// Every number that was stated.
    pub fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        let mut add = |name: String, kind, text| numbers.push(Number { name, kind, text });
        if let Some(rate) = self.operations_per_s {
            add("iops".to_owned(), NumberKind::Rate, format!("{}/s", format_significant(rate)));
        }
        if let Some(bandwidth) = self.bandwidth_bytes_per_s {
            let text = format!("{}/s", format_bytes_approximate(bandwidth));
            add("bandwidth".to_owned(), NumberKind::Bandwidth, text);
        }
        if let Some(rate) = self.commits_per_s {
            add("commits".to_owned(), NumberKind::CommitRate, format!("{}/s", format_significant(rate)));
        }
        let completion = self.completion.as_ref().map(|latency| ("completion latency", latency, None));
        let lines = [
            (Timed::Operation.name(), &self.latency, None),
            (Timed::Sync.name(), &self.sync, Some(NumberKind::Sync)),
            (Timed::Commit.name(), &self.commit, Some(NumberKind::Commit)),
        ];
        for (name, latency, kind) in lines.into_iter().chain(completion) {
            for (figure, value) in latency.figures() {
                let own = match figure {
                    LatencyFigure::Mean => NumberKind::LatencyMean,
                    LatencyFigure::StandardDeviation => NumberKind::LatencySd,
                    LatencyFigure::Min | LatencyFigure::Max => NumberKind::LatencyExtreme,
                    LatencyFigure::Percentile(_) => NumberKind::LatencyPercentile,
                };
                add(format!("{name} {}", figure.name()), kind.unwrap_or(own), time(value));
            }
        }
        for estimate in &self.estimates {
            if let (Some(figure), None) = (estimate.figure, &estimate.same_as) {
                add(estimate.column.clone(), NumberKind::Figure, format_significant(figure.value));
            }
            if let Some(median) = &estimate.median {
                add(median.column.clone(), NumberKind::Figure, format_significant(median.figure.value));
            }
            if let Some(spread) = &estimate.spread {
                add(
                    spread.column.clone(),
                    NumberKind::Spread,
                    format!("±{}", format_significant(spread.figure.value)),
                );
            }
        }
        for figure in &self.rated {
            add(figure.name.clone(), NumberKind::Rated, printable(&figure.text).into_owned());
        }
        numbers
    }
}
