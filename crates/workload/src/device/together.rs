//! What jobs of several kinds share while they run: their common end, and the ratio of their operations (`flow`).

use model::Nanos;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How long a job that waits for others sleeps before it looks again.
pub(super) const LOOK_AGAIN: Nanos = Nanos(20_000);
/// How long a job sleeps at most, so that it sees the common end.
pub(super) const SLEEP_MAX: Nanos = Nanos(10_000_000);

/// Shared by all jobs of a trial with several kinds.
#[derive(Debug)]
pub(super) struct Together {
    /// Set by the first job that has started all its operations: the others start none after it, so that every
    /// operation met those of the other kinds.
    has_ended: AtomicBool,
    kinds: Box<[Flow]>,
}

/// One kind's part of the operations.
#[derive(Debug)]
struct Flow {
    /// 0 for a kind that keeps to no ratio.
    weight: u64,
    started: AtomicU64,
}

impl Together {
    /// The shared state for kinds with these weights.
    pub(super) fn new(weights: impl Iterator<Item = u64>) -> Self {
        let flow = |weight| Flow { weight, started: AtomicU64::new(0) };
        Self { has_ended: AtomicBool::new(false), kinds: weights.map(flow).collect() }
    }

    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Whether a job of this kind may start an operation: its kind is at most one share of its weight ahead of each
    /// other kind with a weight.
    pub(super) fn may_start(&self, kind: usize) -> bool {
        let Some(own) = self.kinds.get(kind).filter(|own| own.weight > 0) else { return true };
        let started = |flow: &Flow| u128::from(flow.started.load(Ordering::Relaxed));
        let (own_started, own_weight) = (started(own), u128::from(own.weight));
        let others = self.kinds.iter().filter(|other| other.weight > 0);
        others.into_iter().all(|other| {
            let weight = u128::from(other.weight);
            own_started * weight < started(other) * own_weight + own_weight * weight
        })
    }

    /// Counts an operation of this kind.
    pub(super) fn count(&self, kind: usize) {
        if let Some(own) = self.kinds.get(kind).filter(|own| own.weight > 0) {
            own.started.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// fio's example `flow`: eight reads for each write.
    #[test]
    fn kinds_keep_to_their_ratio() {
        let together = Together::new([1, 8, 0].into_iter());
        let mut started = [0_u64; 2];
        for _ in 0..100 {
            for kind in [0, 1] {
                while together.may_start(kind) {
                    together.count(kind);
                    started[kind] += 1;
                }
            }
        }
        assert!(started[0] > 90);
        assert!((started[1] as f64 / started[0] as f64 - 8.0).abs() < 0.2, "{started:?}");
        assert!(together.may_start(2), "a kind without a weight waits for nobody");
    }
}
