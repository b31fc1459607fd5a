//! The spikes that the runs of a history captured in traced trials: how many there were, and what they waited for.

use model::figure::{count, elapsed};
use model::spikes::{SpikesByCause, SpikesOfRecording, add};
use model::traced::Segment;
use model::units::format_elapsed;
use page::Block;
use serde::Serialize;

/// What one run captured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpikesOfRun {
    threshold_us: f64,
    recorded_s: f64,
    by_cause: SpikesByCause,
}

/// What the runs of a disk captured together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpikesOfDisk {
    /// Runs that looked for spikes.
    pub runs: usize,
    /// How long they looked, seconds.
    pub recorded_s: f64,
    /// The lowest of their thresholds, microseconds.
    pub threshold_us: f64,
    /// The most frequent cause first.
    pub causes: Vec<SpikesOfCause>,
}

/// Spikes most of whose time was spent on one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SpikesOfCause {
    #[serde(flatten)]
    pub cause: Segment,
    pub count: u64,
}

impl SpikesOfRun {
    /// `None` if it looked for none.
    pub(super) fn of(recordings: &[SpikesOfRecording]) -> Option<Self> {
        let threshold_us = recordings.iter().map(|of| of.threshold_us).min_by(f64::total_cmp)?;
        let mut by_cause = SpikesByCause::new();
        for of in recordings {
            add(&mut by_cause, &of.by_cause());
        }
        Some(Self { threshold_us, recorded_s: recordings.iter().map(|of| of.recorded_s).sum(), by_cause })
    }
}

impl SpikesOfDisk {
    /// `None` if no run looked for any.
    pub(super) fn of<'a>(runs: impl Iterator<Item = &'a SpikesOfRun>) -> Option<Self> {
        let mut by_cause = SpikesByCause::new();
        let mut sums: Option<Self> = None;
        for SpikesOfRun { threshold_us, recorded_s, by_cause: of_run } in runs {
            add(&mut by_cause, of_run);
            let sums = sums.get_or_insert(Self {
                runs: 0,
                recorded_s: 0.0,
                threshold_us: *threshold_us,
                causes: Vec::new(),
            });
            sums.runs += 1;
            sums.recorded_s += recorded_s;
            sums.threshold_us = sums.threshold_us.min(*threshold_us);
        }
        let mut causes: Vec<SpikesOfCause> =
            by_cause.into_iter().map(|(cause, count)| SpikesOfCause { cause, count }).collect();
        causes.sort_by_key(|of| std::cmp::Reverse(of.count));
        sums.map(|sums| Self { causes, ..sums })
    }

    /// `12 spikes of 50.0 ms or longer in 4 min of 30 runs: flush in the device 8, waiting to run 4.`
    pub(super) fn note(&self) -> Block {
        let spikes = self.causes.iter().fold(0, |sum: u64, of| sum.saturating_add(of.count));
        let causes: Vec<String> =
            self.causes.iter().map(|of| format!("{} {}", of.cause.name(), of.count)).collect();
        let which = if causes.is_empty() { String::new() } else { format!(": {}", causes.join(", ")) };
        Block::note(format!(
            "{} of {} or longer in {} of traced trials of {}{which}. Each is in spikes.jsonl of its run.",
            count(usize::try_from(spikes).unwrap_or(usize::MAX), "spike"),
            elapsed(self.threshold_us),
            format_elapsed(self.recorded_s),
            count(self.runs, "run"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::spikes::{FileOperation, Spike};
    use model::traced::{SegmentTime, Stage};

    fn recording(threshold_us: f64, stages: &[Stage]) -> SpikesOfRecording {
        let spike = |stage: &Stage| Spike {
            at_s: 1.0,
            operation: FileOperation::Sync,
            program: "etcd".to_owned(),
            of_trial: false,
            path: "/data/wal".to_owned(),
            bytes: 0,
            latency_us: 70_000.0,
            segments: vec![SegmentTime {
                segment: Segment { stage: *stage, journal: false },
                duration_ns: 70_000_000,
            }],
            others: Vec::new(),
        };
        SpikesOfRecording {
            format_version: model::FORMAT_VERSION,
            started_at: "2036-11-28T06:00:00Z".to_owned(),
            recorded_s: 2.0,
            threshold_us,
            lost_records: 0,
            seen: stages.len() as u64,
            slowest: stages.iter().map(spike).collect(),
        }
    }

    #[test]
    fn the_spikes_of_runs_are_summed_by_cause() {
        let runs = [
            vec![recording(50_000.0, &[Stage::Queue, Stage::Flush]), recording(50_000.0, &[])],
            vec![recording(20_000.0, &[Stage::Flush])],
            Vec::new(),
        ];
        let runs: Vec<SpikesOfRun> = runs.iter().filter_map(|run| SpikesOfRun::of(run)).collect();
        let found = SpikesOfDisk::of(runs.iter()).unwrap();
        assert_eq!((found.runs, found.recorded_s, found.threshold_us), (2, 6.0, 20_000.0));
        let causes: Vec<(Stage, u64)> = found.causes.iter().map(|of| (of.cause.stage, of.count)).collect();
        assert_eq!(causes, [(Stage::Flush, 2), (Stage::Queue, 1)]);
        assert_eq!(SpikesOfDisk::of(std::iter::empty()), None);
    }
}
