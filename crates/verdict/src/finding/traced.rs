//! Where the time of an operation differs between the sides of a finding, from traced trials. They are others than the
//! trials that the finding rests on, and change nothing in it.

use super::Answer;
use crate::estimate::Estimate;
use crate::explained::operation;
use crate::quantity::reason;
use model::figure::{count, elapsed_change, exact_percent, percent};
use model::traced::Segment;
use serde::Serialize;

/// Differences are those of the level minus the baseline; along a factor, of its last level minus its first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeDifference {
    /// The family of metrics: `commit_latency`.
    pub family: String,
    /// Traced trials of the level; if it has several configurations, repetitions of all of them.
    pub level_trials: usize,
    /// Those of the baseline.
    pub baseline_trials: usize,
    /// Confidence of the intervals of all segments together.
    pub confidence: f64,
    /// Difference of the mean latencies in the trials that were not traced, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_us: Option<f64>,
    /// The segments that were compared, the largest difference first.
    pub segments: Vec<SegmentDifference>,
    /// Difference of all others together, microseconds: each takes too little time to be compared.
    pub others_us: f64,
}

/// A segment on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SegmentDifference {
    #[serde(flatten)]
    pub segment: Segment,
    /// Its time in the mean operation of the level, microseconds.
    pub level_us: f64,
    /// That of the baseline.
    pub baseline_us: f64,
    /// The difference, microseconds, with an interval over trials.
    pub difference_us: Estimate,
    /// Different if the interval excludes zero, undecided if it does not, and not assessable without one.
    pub answer: Answer,
}

impl SegmentDifference {
    /// The difference, microseconds.
    pub fn us(&self) -> f64 {
        self.level_us - self.baseline_us
    }

    /// `−310 µs (−370 µs to −250 µs)`.
    pub fn in_words(&self) -> String {
        let around = match self.difference_us.interval {
            Some((low, high)) => format!("{} to {}", elapsed_change(low), elapsed_change(high)),
            None => format!("no interval: {}", reason(&self.difference_us)),
        };
        format!("{} ({around})", elapsed_change(self.us()))
    }
}

impl TimeDifference {
    /// The segments that are proven to differ.
    fn differing(&self) -> impl Iterator<Item = &SegmentDifference> {
        self.segments.iter().filter(|segment| segment.answer == Answer::Different)
    }

    /// Sum of the differences that are proven, microseconds.
    pub fn proven_us(&self) -> f64 {
        self.differing().map(SegmentDifference::us).sum()
    }

    /// Part of the measured difference that the proven ones account for. It exceeds 1 if they are larger, and it is
    /// negative if they go the other way.
    pub fn share(&self) -> Option<f64> {
        self.measured_us.map(|measured_us| self.proven_us() / measured_us).filter(|share| share.is_finite())
    }

    /// Sentences, if the sides have these names.
    pub(super) fn text(&self, (level, baseline): &(String, String)) -> String {
        let operation = operation(&self.family);
        let named =
            |segment: &SegmentDifference| format!("{} {}", segment.segment.name(), segment.in_words());
        let differing: Vec<String> = self.differing().map(named).collect();
        let found = if differing.is_empty() {
            let largest: String = self.segments.iter().take(1).map(named).collect();
            format!(
                "No segment of the mean {operation} is proven to differ. The largest difference, {level} minus \
                 {baseline}: {largest}."
            )
        } else {
            let accounted = self.accounted(&operation).unwrap_or_default();
            format!("The mean {operation}, {level} minus {baseline}: {}.{accounted}", differing.join(", "))
        };
        format!(
            "{found} Source: {} with {level} and {} with {baseline}, which are not the measured trials; {} intervals, \
             simultaneous over {}.",
            count(self.level_trials, "traced trial"),
            self.baseline_trials,
            exact_percent(self.confidence),
            count(self.segments.len(), "segment"),
        )
    }

    /// What the proven differences account for.
    fn accounted(&self, operation: &str) -> Option<String> {
        let (share, measured) = (self.share()?, elapsed_change(self.measured_us?));
        let difference =
            format!("the {measured} by which the mean {operation}s of the measured trials differ");
        Some(if share > 0.0 {
            let proven = elapsed_change(self.proven_us());
            format!(" Together these are {proven}, {} of {difference}.", percent(share))
        } else {
            format!(" These do not account for {difference}.")
        })
    }
}
