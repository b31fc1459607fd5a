//! An arm for tests that takes its turns in no time.

use crate::cycles::TakesTurns;
use model::turns::{Arm, Slice, Turn};

/// Why no arm takes a further turn.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// Takes its turns in no time.
pub(crate) struct Quick {
    pub(crate) arm: Arm,
    /// Windows that it has to measure yet.
    pub(crate) left: u32,
    pub(crate) latency_s: f64,
    pub(crate) is_counted: bool,
    pub(crate) slice_min_s: f64,
    pub(crate) settle_min_s: f64,
    pub(crate) has_queue: bool,
    /// Fails in the turn with this number.
    pub(crate) fails_at: Option<usize>,
    pub(crate) is_interrupted_at: Option<usize>,
    pub(crate) turns: Vec<Turn>,
}

pub(crate) fn arm(configuration: usize) -> Arm {
    Arm { configuration, duplicate: false }
}

/// The arm of this configuration, which has to measure this number of windows.
pub(crate) fn quick(configuration: usize, left: u32) -> Quick {
    Quick {
        arm: arm(configuration),
        left,
        latency_s: 1e-4,
        is_counted: false,
        slice_min_s: 0.0,
        settle_min_s: 0.0,
        has_queue: true,
        fails_at: None,
        is_interrupted_at: None,
        turns: Vec::new(),
    }
}

impl TakesTurns for Quick {
    type Stopped = &'static str;

    fn arm(&self) -> Arm {
        self.arm
    }

    fn needs_turn(&self) -> bool {
        self.left > 0
    }

    fn is_counted(&self) -> bool {
        self.is_counted
    }

    fn slice_min_s(&self) -> f64 {
        self.slice_min_s
    }

    fn has_queue(&self) -> bool {
        self.has_queue
    }

    fn settle_min_s(&self) -> f64 {
        self.settle_min_s
    }

    fn take_turn(&mut self, turn: Turn) -> Result<Option<Slice>, &'static str> {
        self.turns.push(turn);
        if self.is_interrupted_at == Some(self.turns.len()) {
            return Err(INTERRUPTED);
        }
        if self.fails_at == Some(self.turns.len()) {
            self.left = 0;
            return Ok(None);
        }
        let window_s = turn.slice_s - turn.settle_s;
        self.left = self.left.saturating_sub(u32::from(window_s > 0.0));
        Ok(Some(Slice {
            turn,
            began_s: 1.0,
            window_s,
            drain_s: 0.0,
            quarters: [5; 4],
            latency_mean_s: self.latency_s,
            is_over: self.is_counted && self.left == 0,
            left_bytes: None,
            progress: None,
        }))
    }
}
