//! Turns: the trials of a round are alive together and work one at a time, slice by slice.
//!
//! The lab hands the turn over. One turn is a slice: its beginning is left out of every figure (the settle), its rest
//! is measured (the window), and what is in flight at its end completes before the next trial's turn (the drain).
//!
//! On storage that ranks share, a trial that takes no turns with others has one turn in each phase: a whole one, which
//! lasts until its workload ends, so that all ranks begin it together.

use crate::mechanism::Measured;
use serde::{Deserialize, Serialize};

/// Which trial of a round: a configuration, or the second trial of the baseline, which is the A/A arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Arm {
    /// Index of the configuration in the study's plan.
    pub configuration: usize,
    /// Whether it is the A/A arm.
    pub duplicate: bool,
}

/// What the lab tells a worker that waits: one line of JSON on its standard input.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOrder {
    /// Work for this slice.
    Turn(Turn),
    /// There are no more turns in this phase.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Number of the cycle, in which every trial has one turn. 0 is the pilot, which measures nothing; there is none if
    /// a phase ends after a number of operations.
    pub cycle: u32,
    /// Whose turn was before; `None` in the first.
    pub predecessor: Option<Arm>,
    /// Seconds from the beginning to the end of the window; 0 if the turn is a whole one, which ends with its workload.
    pub slice_s: f64,
    /// Seconds of it that no figure counts: the queue fills, and what the predecessor left in the device fades.
    pub settle_s: f64,
}

impl Turn {
    pub const WHOLE: Self = Self { cycle: 1, predecessor: None, slice_s: 0.0, settle_s: 0.0 };

    /// Whether it lasts until its workload ends.
    pub fn is_whole(&self) -> bool {
        self.slice_s <= 0.0
    }
}

/// What one turn showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// As the lab ordered it.
    #[serde(flatten)]
    pub turn: Turn,
    /// When it began, `CLOCK_MONOTONIC` seconds.
    pub began_s: f64,
    /// Seconds that were measured: shorter than ordered if the workload ended.
    pub window_s: f64,
    /// Seconds from the end of the window until nothing was in flight.
    pub drain_s: f64,
    /// Operations completed in each quarter of the window.
    pub quarters: [u64; 4],
    /// Mean time of an operation in flight over the whole turn, seconds; 0 if none completed.
    pub latency_mean_s: f64,
    /// Whether the workload reached its own limit: it takes no further turn in this phase.
    pub is_over: bool,
    /// Bytes of the trial's files that were dirty or under writeback after the drain, if it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_bytes: Option<Measured<u64>>,
    /// Operations over time, if the turn was a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// Operations over time in a turn whose end nobody knew before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Length of a part of the window, seconds.
    pub part_s: f64,
    /// Operations completed in each part; the window's end may cut the last one.
    pub operations: Vec<u64>,
}

/// How a phase took turns. Its rates are over the windows alone; the kernel's counters were read at the edges of each
/// turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnsTaken {
    /// Slices that were measured.
    pub slices: u32,
    /// Length of a slice, seconds; 0 if the phase was one whole turn.
    pub slice_s: f64,
    /// Seconds of all turns together, pilot, settling and draining included: what the counters cover.
    pub turns_s: f64,
    /// Seconds drained, over all turns.
    pub drained_s: f64,
    /// Operations completed in all turns together, also outside the windows.
    pub operations: u64,
    /// Most bytes that were dirty or under writeback at the end of a slice; `None` if the trial writes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_bytes_max: Option<Measured<u64>>,
    /// Bytes that the trial's server read from devices and wrote to them between its turns, when others had theirs;
    /// `None` if it drives no server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_bytes: Option<Measured<u64>>,
}
