//! One phase of a trial on Syncline's pool.

use super::order;
use super::parameters::Parameters;
use super::phase::Phase;
use driver::{Next, Recorder, Workload};
use model::page::TRANSFERRED;
use model::{Completion, Nanos, PageKind, PageOp};

/// One session that goes through the pages of a phase and announces early which pages it will need.
#[derive(Clone, Debug)]
pub struct PoolPhase {
    phase: Phase,
    order: Vec<u32>,
    /// Pages of the table: higher numbers belong to its maps.
    table: u32,
    in_flight_max: usize,
    started: usize,
    completed: usize,
    /// When the previous operation completed.
    previous: Nanos,
    hits: u64,
    transfers: u64,
    /// Those that are measured: all, but for those outside the windows of turns.
    timed: u64,
    transfer_time: Nanos,
}

impl PoolPhase {
    /// A phase of a trial; the same seed gives the same order of pages.
    pub fn new(parameters: &Parameters, phase: Phase, seed: u64) -> Self {
        Self::over(parameters, phase, order::pages(parameters, phase, seed))
    }

    /// One round of displacement: reads as many pages of another table as there are frames.
    pub fn displacing(parameters: &Parameters, round: u32) -> Self {
        Self::over(parameters, Phase::Displace, order::displacer(parameters, round))
    }

    fn over(parameters: &Parameters, phase: Phase, order: Vec<u32>) -> Self {
        // Reads can complete out of order, so it looks twice as far ahead as there are reads in flight.
        let ahead = if phase.operation() == PageKind::Read { 2 * parameters.read_ahead as usize } else { 0 };
        Self {
            phase,
            order,
            table: parameters.blocks as u32,
            in_flight_max: ahead + 1,
            started: 0,
            completed: 0,
            previous: Nanos::ZERO,
            hits: 0,
            transfers: 0,
            timed: 0,
            transfer_time: Nanos::ZERO,
        }
    }

    /// Which phase it is.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Operations completed, map pages included.
    pub fn operations(&self) -> u64 {
        self.completed as u64
    }

    /// Pages of the table that were in the pool; in a write-back, pages that were clean.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Pages of the table that were read or written.
    pub fn transfers(&self) -> u64 {
        self.transfers
    }

    /// Seconds spent waiting for those pages. A page outside the windows of turns counts with the mean of those inside.
    pub fn transfer_s(&self) -> f64 {
        self.transfer_time.seconds() * self.transfers as f64 / self.timed.max(1) as f64
    }
}

impl Workload for PoolPhase {
    type Op = PageOp;

    #[inline]
    fn poll(&mut self, now: Nanos, out: &mut Vec<PageOp>) -> Next {
        // The time after a turn goes on from its end, what completed later included.
        self.previous = self.previous.min(now);
        while self.started < self.order.len() && self.started - self.completed < self.in_flight_max {
            // Operations complete in the order in which they began, so the ids in flight are distinct.
            let id = (self.started % self.in_flight_max) as u32;
            out.push(PageOp { id, kind: self.phase.operation(), page: self.order[self.started] });
            self.started += 1;
        }
        if self.completed == self.order.len() { Next::Done } else { Next::Wait }
    }

    #[inline]
    fn complete(&mut self, completion: &Completion, recorder: &mut Recorder) {
        let page = self.order[self.completed];
        self.completed += 1;
        // Read-ahead takes no time of its own: a page costs the time that the session waits for it after the previous
        // page.
        let waited = completion.latency().min(completion.ended().since(self.previous));
        self.previous = completion.ended();
        if page >= self.table {
            return;
        }
        let transferred = completion.result == TRANSFERRED;
        if transferred {
            self.transfers += 1;
            if recorder.counts(completion.ended()) {
                self.timed += 1;
                self.transfer_time = self.transfer_time + waited;
            }
        } else {
            self.hits += 1;
        }
        let told = match self.phase {
            Phase::Fill | Phase::Displace => false,
            Phase::WriteBack | Phase::FirstRead => transferred,
            Phase::SecondRead => !transferred,
        };
        if told {
            recorder.latency(0, completion.ended() - waited, completion.ended());
        }
    }

    fn in_flight_max(&self) -> usize {
        self.in_flight_max
    }

    fn families(&self) -> &'static [&'static str] {
        self.phase.families()
    }
}
