//! Spikes: operations on files of a disk that took longer than a threshold while the kernel's tracepoints were
//! recorded, each with its cause.
//!
//! They have a file of their own, `spikes.jsonl`. They come from traced trials, from which no figure is made.

use crate::traced::{Segment, SegmentTime, Stage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The spikes of one recording: a line of `spikes.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct SpikesOfRecording {
    /// Format of this line ([`crate::FORMAT_VERSION`]).
    pub format_version: u32,
    /// When the recording began, RFC 3339 in UTC.
    pub started_at: String,
    /// How long it was, seconds.
    pub recorded_s: f64,
    /// An operation of this length, microseconds, is a spike.
    pub threshold_us: f64,
    /// Records for which the kernel had no room: spikes may be missing.
    pub lost_records: u64,
    /// All spikes.
    pub seen: u64,
    /// The slowest of them, in the order of their times.
    pub slowest: Vec<Spike>,
}

/// An operation that took as long as the threshold or longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Spike {
    /// When it began, seconds since the beginning of the recording.
    pub at_s: f64,
    pub operation: FileOperation,
    /// The name of the process, as the kernel has it; empty if it was gone.
    pub program: String,
    /// Whether it was an operation of the traced trial itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_trial: bool,
    pub path: String,
    pub bytes: u64,
    pub latency_us: f64,
    /// What the time was spent on, each at most once. Empty if that is not known, as of a request of an `io_uring`.
    pub segments: Vec<SegmentTime>,
    /// Threads whose writes and flushes reached the disk meanwhile, those with most bytes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherWriter>,
}

/// What an operation does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOperation {
    Read,
    Write,
    /// `fsync` or `fdatasync`.
    Sync,
}

/// A thread that wrote meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct OtherWriter {
    /// Its name, as the kernel has it; empty if it was gone.
    pub program: String,
    pub requests: u64,
    pub bytes: u64,
}

/// Numbers of spikes by their cause.
pub type SpikesByCause = BTreeMap<Segment, u64>;

/// The cause of a spike of which nothing shows what its time was spent on.
const UNKNOWN: Segment = Segment { stage: Stage::Unknown, journal: false };

impl Spike {
    /// What most of its time was spent on.
    pub fn cause(&self) -> Segment {
        let longest = self.segments.iter().max_by_key(|time| time.duration_ns);
        longest.map_or(UNKNOWN, |time| time.segment)
    }
}

impl SpikesOfRecording {
    /// Its spikes by their cause. Those that are not among the slowest have none that is known.
    pub fn by_cause(&self) -> SpikesByCause {
        let mut causes = SpikesByCause::new();
        for spike in &self.slowest {
            *causes.entry(spike.cause()).or_default() += 1;
        }
        let rest = self.seen.saturating_sub(self.slowest.len() as u64);
        if rest > 0 {
            let unknown = causes.entry(UNKNOWN).or_default();
            *unknown = unknown.saturating_add(rest);
        }
        causes
    }
}

/// Adds numbers of spikes to others.
pub fn add(to: &mut SpikesByCause, more: &SpikesByCause) {
    for (cause, count) in more {
        let sum = to.entry(*cause).or_default();
        *sum = sum.saturating_add(*count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(stage: Stage, duration_ns: u64) -> SegmentTime {
        SegmentTime { segment: Segment { stage, journal: false }, duration_ns }
    }

    fn spike(segments: Vec<SegmentTime>) -> Spike {
        Spike {
            at_s: 0.5,
            operation: FileOperation::Sync,
            program: "postgres".to_owned(),
            of_trial: false,
            path: "/data/log".to_owned(),
            bytes: 0,
            latency_us: 60_000.0,
            segments,
            others: Vec::new(),
        }
    }

    #[test]
    fn the_cause_is_what_most_of_the_time_was_spent_on() {
        let found = spike(vec![time(Stage::Queue, 10), time(Stage::Flush, 30), time(Stage::RunQueue, 20)]);
        assert_eq!(found.cause().stage, Stage::Flush);
        assert_eq!(spike(Vec::new()).cause(), UNKNOWN);
    }

    #[test]
    fn every_spike_is_counted_once() {
        let recording = SpikesOfRecording {
            format_version: crate::FORMAT_VERSION,
            started_at: String::new(),
            recorded_s: 2.0,
            threshold_us: 50_000.0,
            lost_records: 0,
            seen: 7,
            slowest: vec![spike(vec![time(Stage::Flush, 30)]), spike(Vec::new())],
        };
        let mut causes = recording.by_cause();
        assert_eq!(causes.values().sum::<u64>(), 7);
        assert_eq!(causes[&UNKNOWN], 6);
        add(&mut causes, &recording.by_cause());
        assert_eq!(causes.values().sum::<u64>(), 14);
        // A record that somebody changed may have fewer than it lists.
        assert_eq!(SpikesOfRecording { seen: 0, ..recording }.by_cause().values().sum::<u64>(), 2);
    }
}
