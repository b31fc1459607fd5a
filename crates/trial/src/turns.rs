//! The turns of one phase: the lab orders them, the kernel's counters are read at the edges of each.

use crate::line::TurnChannel;
use crate::site::Site;
use disk::counters::{Counters, Snapshot};
use disk::kernel::block_device::BlockDevice;
use driver::{Driven, SliceLength, Turns};
use model::Nanos;
use model::description::Direction;
use model::mechanism::{Measured, Mechanism, PageCache};
use model::trial::WorkerReply;
use model::turns::{Progress, Slice, Turn, TurnOrder, TurnsTaken};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Operations of which a traced trial keeps the stamps, for all members together: an answer has some ten megabytes.
const STAMPS_MAX: usize = 1 << 18;

/// A server that a trial drives. It works in processes of its own, also while no client asks it for anything.
pub(crate) trait DrivenServer: Sync {
    /// Stops what it does while it has no turn, if it can be stopped.
    fn pause(&self) -> io::Result<()> {
        Ok(())
    }

    /// Lets it go on.
    fn resume(&self) -> io::Result<()> {
        Ok(())
    }

    /// Writes out what the server has left in the page cache; returns when the device has it.
    fn write_out(&self) -> io::Result<()>;

    /// Bytes that the server's processes have read from devices and written to them until now.
    fn moved_bytes(&self) -> Measured<u64>;

    /// Bytes that it may have in the page cache although it has nothing left to do: it writes a page now and then.
    fn resting_bytes_max(&self) -> u64 {
        0
    }

    /// Whether its work has come to its end after this time of it: asked after each turn, or after each stretch of a
    /// trial alone.
    fn is_at_end(&self, _measured: Nanos) -> io::Result<bool> {
        Ok(false)
    }

    /// The length of such a stretch; `None` if time alone ends the work.
    fn stretch(&self) -> Option<Nanos> {
        None
    }
}

/// The turns of a phase while they are taken.
pub(crate) struct PhaseTurns<'a, P> {
    line: &'a TurnChannel,
    phase: &'a str,
    writes: bool,
    /// The pages of the trial's files, looked at after each turn if the trial writes.
    pages: P,
    server: Option<&'a dyn DrivenServer>,
    counters: Counters<'a>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_announced: bool,
    /// The turn under way, and the counters when it began.
    under_way: Option<(Turn, Snapshot)>,
    mechanism: Option<Mechanism>,
    slices: Vec<Slice>,
    left_bytes_max: Option<Measured<u64>>,
    /// What the server had moved when the last turn ended.
    moved_bytes: Option<Measured<u64>>,
    idle_bytes: Option<Measured<u64>>,
}

/// The turns of a phase, for the record and for its sidecar.
pub(crate) type TurnsOfPhase = (TurnsTaken, Vec<Slice>);

/// The figures of a phase's turns.
pub(crate) struct Taken {
    pub(crate) turns: TurnsTaken,
    pub(crate) slices: Vec<Slice>,
    /// Counters of all turns; `None` if there was none.
    pub(crate) mechanism: Option<Mechanism>,
}

impl<'a, P: Fn() -> Measured<PageCache>> PhaseTurns<'a, P> {
    /// The turns of this phase.
    pub(crate) fn new(line: &'a TurnChannel, phase: &'a str, site: &'a Site, pages: P) -> Self {
        let writes = site.description().stream(Direction::Write).is_some();
        let counters = Counters::find(site.device());
        Self { line, phase, writes, pages, server: None, counters, state: Mutex::default() }
    }

    /// The same on another device than that of the trial's own files.
    pub(crate) fn on(self, device: &'a Measured<BlockDevice>) -> Self {
        Self { counters: Counters::find(device), ..self }
    }

    /// The same with a server that works beside the trial's own process.
    pub(crate) fn of(self, server: Option<&'a dyn DrivenServer>) -> Self {
        Self { server, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of the trial's files that the device does not have yet. A trial that only reads leaves none.
    fn left_bytes(&self) -> Option<Measured<u64>> {
        let resting_max = self.server.map_or(0, DrivenServer::resting_bytes_max);
        let left = |pages: &PageCache| {
            Some(pages.dirty_bytes + pages.writeback_bytes).filter(|left| *left > resting_max)
        };
        self.writes.then(|| (self.pages)().map(|pages| left(pages).unwrap_or(0)))
    }

    /// The figures of the turns; `team` took them.
    pub(crate) fn taken<W>(self, team: &Driven<W>) -> Taken {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let measured = state.slices.iter().filter(|slice| slice.window_s > 0.0);
        let turns = TurnsTaken {
            slices: u32::try_from(measured.clone().count()).unwrap_or(u32::MAX),
            slice_s: measured.clone().map(|slice| slice.turn.slice_s).fold(0.0, f64::max),
            turns_s: team.counted().seconds(),
            drained_s: state.slices.iter().map(|slice| slice.drain_s).sum(),
            operations: team.performed,
            left_bytes_max: state.left_bytes_max,
            idle_bytes: state.idle_bytes,
        };
        Taken { turns, slices: state.slices, mechanism: state.mechanism }
    }
}

impl<P: Fn() -> Measured<PageCache> + Sync> Turns for PhaseTurns<'_, P> {
    fn next(&self) -> io::Result<Option<SliceLength>> {
        let mut state = self.state();
        if !state.is_announced {
            state.is_announced = true;
            self.server.map_or(Ok(()), DrivenServer::pause)?;
            self.line.say(&WorkerReply::Waiting { phase: self.phase.to_owned() })?;
        }
        let order = self.line.hear()?;
        if let Some((server, before)) = self.server.zip(state.moved_bytes.take()) {
            let idle_bytes = grown(&before, &server.moved_bytes());
            state.idle_bytes = Some(sum(state.idle_bytes.take(), idle_bytes));
        }
        self.server.map_or(Ok(()), DrivenServer::resume)?;
        let TurnOrder::Turn(turn) = order else { return Ok(None) };
        state.under_way = Some((turn, self.counters.read()));
        if turn.is_whole() {
            return Ok(Some(SliceLength::WHOLE));
        }
        Ok(Some(SliceLength {
            slice: Nanos::from_seconds(turn.slice_s),
            settle: Nanos::from_seconds(turn.settle_s),
        }))
    }

    fn stamps_max(&self) -> usize {
        if self.line.is_traced() { STAMPS_MAX } else { 0 }
    }

    fn taken(&self, slice: driver::Slice) -> io::Result<()> {
        let mut state = self.state();
        let (turn, before) =
            state.under_way.take().ok_or_else(|| io::Error::other("a turn ended that had not begun"))?;
        if let Some(server) = self.server {
            server.pause()?;
            // Part of the turn: what it costs is in its counters, and the next trial finds an idle device.
            server.write_out()?;
        }
        let counted = before.until(&self.counters.read());
        let began_s = counted.continuity.window.value().map_or(0.0, |window| window.began_s);
        state.mechanism = Some(match state.mechanism.take() {
            Some(mechanism) => mechanism.and_later(counted),
            None => counted,
        });
        let measured_s =
            state.slices.iter().map(|slice| slice.window_s).sum::<f64>() + slice.window.seconds();
        let is_at_end = match self.server {
            Some(server) => server.is_at_end(Nanos::from_seconds(measured_s))?,
            None => false,
        };
        let left_bytes = self.left_bytes();
        let window = slice.window;
        let progress = slice.progress.as_ref().map(|progress| Progress {
            part_s: progress.part().seconds(),
            operations: progress.parts(window).to_vec(),
        });
        let quarters = slice.progress.as_ref().map_or(slice.quarters, |progress| progress.quarters(window));
        state.left_bytes_max = most(state.left_bytes_max.take(), left_bytes.clone());
        let slice = Slice {
            turn,
            began_s,
            window_s: slice.window.seconds(),
            drain_s: slice.drain.seconds(),
            quarters,
            latency_mean_s: slice.latency_mean().seconds(),
            is_over: slice.is_over || is_at_end,
            left_bytes,
            progress,
        };
        state.moved_bytes = self.server.map(DrivenServer::moved_bytes);
        state.slices.push(slice.clone());
        self.line.say(&WorkerReply::Turned(slice))
    }
}

fn grown(before: &Measured<u64>, after: &Measured<u64>) -> Measured<u64> {
    before.zip(after, |before, after| after.saturating_sub(*before))
}

/// The sum; without a figure, the reason why.
fn sum(sum: Option<Measured<u64>>, more: Measured<u64>) -> Measured<u64> {
    match sum {
        Some(sum) => sum.zip(&more, |sum, more| sum + more),
        None => more,
    }
}

/// The larger one; a figure that is missing once is missing.
fn most(a: Option<Measured<u64>>, b: Option<Measured<u64>>) -> Option<Measured<u64>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.zip(&b, |a, b| *a.max(b))),
        (known, None) | (None, known) => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: Measured<u64> = Measured::Value(3);

    fn unknown() -> Measured<u64> {
        Measured::unsupported("no counter")
    }

    #[test]
    fn a_figure_that_is_missing_once_is_missing_in_the_sum_and_in_the_maximum() {
        assert_eq!(sum(None, THREE), THREE);
        assert_eq!(sum(Some(THREE), Measured::Value(4)), Measured::Value(7));
        assert_eq!(sum(Some(unknown()), THREE), unknown());
        assert_eq!(sum(Some(THREE), unknown()), unknown());
        assert_eq!(most(Some(THREE), Some(Measured::Value(4))), Some(Measured::Value(4)));
        assert_eq!(most(Some(unknown()), Some(THREE)), Some(unknown()));
        assert_eq!(most(Some(THREE), Some(unknown())), Some(unknown()));
        assert_eq!(most(Some(THREE), None), Some(THREE));
    }

    #[test]
    fn growth_needs_both_figures() {
        assert_eq!(grown(&THREE, &Measured::Value(10)), Measured::Value(7));
        assert_eq!(grown(&THREE, &Measured::Value(2)), Measured::Value(0), "a counter of a new process");
        assert_eq!(grown(&unknown(), &THREE), unknown());
        assert_eq!(grown(&THREE, &unknown()), unknown());
    }
}
