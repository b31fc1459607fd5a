//! Whole cycles of checkpoints: a trial is measured from the beginning of one checkpoint to the beginning of a later
//! one.
//!
//! At its beginning a checkpoint costs nothing yet, and the pages that are changed next are logged whole. So a trial
//! that ended anywhere would have paid for more whole pages than checkpoints, or the other way round, and an arm with
//! longer cycles for more of the one.
//!
//! A checkpoint that is behind its schedule at the end of a turn goes on until it has caught up, and what it wrote is
//! in the page cache. Both are awaited before another server has its turn, and the time that they take is the server's
//! own: its rate is over that too.

use crate::refusal::Refusal;
use crate::server_files::ServerFiles;
use crate::turns::DrivenServer;
use model::Nanos;
use model::mechanism::Measured;
use postgresql::{PostgresqlError, Session};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use workload::transactions::Parameters;

/// How often a trial that runs alone asks whether a checkpoint has begun.
const STRETCH: Nanos = Nanos::from_millis(250);
const PAUSE: Duration = Duration::from_millis(10);
/// A checkpointer that is not behind its schedule rests for 100 ms after each page. At its end a checkpoint syncs, and
/// writes nothing.
const RESTS: &str = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'checkpointer' AND \
                     wait_event IN ('CheckpointWriteDelay', 'CheckpointerMain')";
/// So it has caught up if it rested for longer than that: what was logged while it rested last is then made up for.
const REST: Duration = Duration::from_millis(120);
/// What a checkpointer writes before it has the kernel write it out (`checkpoint_flush_after`): less of it is on no way
/// to the device yet.
const FLUSHED_BYTES: u64 = 256 << 10;
/// A checkpoint that does not catch up in this time is left to the audit of carry-over.
const CATCH_UP_MAX: Duration = Duration::from_secs(5);

/// A server of Syncline's own while clients drive it.
pub(super) struct OwnServer<'s> {
    pub(super) files: &'s ServerFiles,
    /// `None` if time ends the trial.
    pub(super) cycles: Option<WholeCycles<'s>>,
}

/// The cycles of a trial.
pub(super) struct WholeCycles<'s> {
    runtime: Nanos,
    /// The longest that the last cycle may take.
    longest: Nanos,
    state: Mutex<State<'s>>,
}

struct State<'s> {
    session: &'s mut Session,
    /// Checkpoints that have begun.
    begun: u64,
    is_at_end: bool,
    /// Time after turns in which the server did what it had left.
    after_turns: Duration,
}

/// Waits until the clients' work has made the server begin a checkpoint by itself, or until one of them has ended: from
/// then on a cycle is like the next one.
pub(super) fn await_checkpoint(
    session: &mut Session,
    p: &Parameters,
    has_one_ended: impl Fn() -> bool,
) -> Result<(), Refusal> {
    let before = session.checkpoints()?;
    let began = Instant::now();
    while session.checkpoints()? == before && !has_one_ended() {
        if began.elapsed().as_secs_f64() > p.cycle_max().seconds() {
            return Err(Refusal::Failed(too_long(p.cycle_max())));
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

fn too_long(longest: Nanos) -> String {
    format!(
        "the server began no checkpoint in {:.0} s of work: set a smaller max_wal_size, or a larger cycle_scale",
        longest.seconds()
    )
}

impl State<'_> {
    /// Waits until the checkpointer rests; the time until it did.
    fn catch_up(&mut self) -> Result<Duration, PostgresqlError> {
        let began = Instant::now();
        let mut worked = Duration::ZERO;
        while began.elapsed() < worked + REST && worked < CATCH_UP_MAX {
            if self.session.figure("ask whether the checkpointer rests", RESTS)? == 0 {
                worked = began.elapsed();
            }
            thread::sleep(PAUSE);
        }
        Ok(worked)
    }
}

impl<'s> WholeCycles<'s> {
    /// Those of a trial that begins now, right after the beginning of a checkpoint.
    pub(super) fn begin(session: &'s mut Session, p: &Parameters) -> Result<Self, Refusal> {
        let begun = session.checkpoints()?;
        let state = Mutex::new(State { session, begun, is_at_end: false, after_turns: Duration::ZERO });
        Ok(Self { runtime: p.runtime, longest: p.cycle_max(), state })
    }

    fn state(&self) -> MutexGuard<'_, State<'s>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a checkpoint has begun since the last question, and the time is over.
    fn is_at_end(&self, measured: Nanos) -> io::Result<bool> {
        let mut state = self.state();
        let begun = state.session.checkpoints().map_err(io::Error::other)?;
        let has_come_round = begun > state.begun;
        state.begun = begun;
        state.is_at_end = has_come_round && measured >= self.runtime;
        if !state.is_at_end && measured >= self.runtime + self.longest {
            return Err(io::Error::other(too_long(self.longest)));
        }
        Ok(state.is_at_end)
    }

    /// Time after turns in which the server did what it had left: part of what its transactions took.
    pub(super) fn after_turns(&self) -> Nanos {
        self.state().after_turns.into()
    }

    /// Checks that the trial has ended with a cycle.
    pub(super) fn require_end(&self) -> Result<(), Refusal> {
        if self.state().is_at_end { Ok(()) } else { Err(Refusal::Failed(too_long(self.longest))) }
    }
}

impl DrivenServer for OwnServer<'_> {
    fn write_out(&self) -> io::Result<()> {
        let Some(cycles) = &self.cycles else { return self.files.write_out() };
        let mut state = cycles.state();
        let caught_up = state.catch_up().map_err(io::Error::other)?;
        let began = Instant::now();
        self.files.write_out()?;
        state.after_turns += caught_up + began.elapsed();
        Ok(())
    }

    fn moved_bytes(&self) -> Measured<u64> {
        self.files.moved_bytes()
    }

    fn resting_bytes_max(&self) -> u64 {
        if self.cycles.is_some() { FLUSHED_BYTES } else { 0 }
    }

    fn is_at_end(&self, measured: Nanos) -> io::Result<bool> {
        self.cycles.as_ref().map_or(Ok(false), |cycles| cycles.is_at_end(measured))
    }

    fn stretch(&self) -> Option<Nanos> {
        self.cycles.as_ref().map(|_| STRETCH)
    }
}
