//! One turn of a workload that shares its device with others by turns.

use crate::progress::Progress;
use model::{Nanos, Stamps};
use std::io;

/// How long a turn is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceLength {
    /// From the beginning to the end of the window.
    pub slice: Nanos,
    /// The part of it, at the beginning, that no figure counts.
    pub settle: Nanos,
}

impl SliceLength {
    /// Until the workload ends; all of it is measured.
    pub const WHOLE: Self = Self { slice: Nanos(u64::MAX), settle: Nanos::ZERO };
}

/// The figures of one turn; for a team, of all members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Time measured: shorter than ordered if the workload ended.
    pub window: Nanos,
    /// From the end of the window until nothing was in flight.
    pub drain: Nanos,
    /// Operations completed in each quarter of the window; those of a [whole](SliceLength::WHOLE) turn are in
    /// `progress`.
    pub quarters: [u64; 4],
    /// Operations over time, if the turn was a whole one.
    pub progress: Option<Progress>,
    /// Operations completed in the whole turn.
    pub operations: u64,
    /// Time that these operations were in flight, summed.
    pub in_flight: Nanos,
    /// Whether the workload has no operations left.
    pub is_over: bool,
}

impl Slice {
    /// Mean time of an operation in flight, by Little's law; zero if none completed.
    pub fn latency_mean(&self) -> Nanos {
        Nanos(self.in_flight.0.checked_div(self.operations).unwrap_or(0))
    }

    /// Together with a team mate's turn at the same time.
    #[must_use]
    pub fn with(self, mate: Self) -> Self {
        let mut quarters = self.quarters;
        for (sum, more) in quarters.iter_mut().zip(mate.quarters) {
            *sum += more;
        }
        Self {
            window: self.window.max(mate.window),
            drain: self.drain.max(mate.drain),
            quarters,
            progress: self.progress.zip(mate.progress).map(|(one, other)| one.with(&other)),
            operations: self.operations + mate.operations,
            in_flight: self.in_flight + mate.in_flight,
            is_over: self.is_over && mate.is_over,
        }
    }
}

/// Where the turns of a driver or of a team come from. The first member of a team alone calls it, while the others
/// wait.
pub trait Turns: Sync {
    /// Waits for the next turn; `None` if there are no more.
    fn next(&self) -> io::Result<Option<SliceLength>>;

    /// Takes the figures of the turn; nothing is in flight any more.
    fn taken(&self, slice: Slice) -> io::Result<()>;

    /// How many operations the team keeps the stamps of: none unless its trial is traced.
    fn stamps_max(&self) -> usize {
        0
    }
}

/// A stretch of a workload's time, from the first to before the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: Nanos,
    pub(crate) to: Nanos,
}

impl Window {
    /// All of a measurement that takes no turns.
    pub(crate) const ALL: Self = Self { from: Nanos::ZERO, to: Nanos(u64::MAX) };

    /// The quarter of it that a moment inside it is in, from 0.
    #[inline]
    pub(crate) fn quarter(self, at: Nanos) -> usize {
        // Three comparisons, for every operation pays for them: a division would take longer.
        let (quarter, into) = (self.to.since(self.from).0 / 4, at.since(self.from).0);
        usize::from(into >= quarter) + usize::from(into >= 2 * quarter) + usize::from(into >= 3 * quarter)
    }

    #[inline]
    pub(crate) fn contains(self, at: Nanos) -> bool {
        self.from <= at && at < self.to
    }

    /// The share of an operation's time that lies inside.
    #[inline]
    pub(crate) fn share(self, Stamps { began, ended }: Stamps) -> f64 {
        let inside = self.overlap(began, ended);
        match ended.since(began) {
            Nanos::ZERO => f64::from(u8::from(self.contains(ended))),
            all if all == inside => 1.0,
            all => inside.0 as f64 / all.0 as f64,
        }
    }

    /// The part of it between two moments.
    #[inline]
    pub(crate) fn overlap(self, began: Nanos, ended: Nanos) -> Nanos {
        ended.min(self.to).since(began.max(self.from))
    }
}
