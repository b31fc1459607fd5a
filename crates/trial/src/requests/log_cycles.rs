//! Whole cycles of a server's log: a trial is measured over as much of the log as it holds, after it was filled once.
//!
//! A server that stands still answers nothing, so Syncline reads what it has written before it stops the server.

use crate::refusal::Refusal;
use model::Nanos;
use server::{Client, Running};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use workload::requests::Parameters;

const PAUSE: Duration = Duration::from_millis(10);

/// The cycles of a trial.
pub(super) struct WholeCycles {
    /// Bytes that the log holds.
    capacity: u64,
    runtime: Nanos,
    /// The longest that a cycle may take.
    longest: Nanos,
    state: Mutex<State>,
}

struct State {
    observer: Box<dyn Client>,
    /// What had been written when the cycle began.
    from: u64,
    /// What had been written when the server was stopped last; `None` while it works.
    stopped_at: Option<u64>,
}

impl WholeCycles {
    /// Those of a trial; `None` if time alone ends it.
    pub(super) fn of(running: &Running<'_>, p: &Parameters) -> Result<Option<Self>, Refusal> {
        let Some(setting) = p.log_setting() else { return Ok(None) };
        let mut observer = running.connect().map_err(Refusal::failed)?;
        let capacity = observer.in_force(setting).map_err(Refusal::failed)?;
        let capacity = capacity.and_then(|bytes| bytes.parse().ok());
        let capacity =
            capacity.ok_or_else(|| Refusal::Failed(format!("{setting}: the server names no size")))?;
        let from = written(observer.as_mut()).map_err(Refusal::failed)?;
        let state = Mutex::new(State { observer, from, stopped_at: None });
        Ok(Some(Self { capacity, runtime: p.runtime, longest: p.cycle_max(), state }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until as much has been written as the log holds, or until one of the clients has ended. The next cycle
    /// begins then.
    pub(super) fn await_round(&self, has_one_ended: impl Fn() -> bool) -> Result<(), Refusal> {
        let began = Instant::now();
        let mut state = self.state();
        while !has_one_ended() {
            let now = written(state.observer.as_mut()).map_err(Refusal::failed)?;
            if now.saturating_sub(state.from) >= self.capacity {
                state.from = now;
                return Ok(());
            }
            if began.elapsed().as_secs_f64() > self.longest.seconds() {
                return Err(Refusal::Failed(self.too_long()));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Before the server is stopped.
    pub(super) fn stopping(&self) -> io::Result<()> {
        let mut state = self.state();
        state.stopped_at = Some(written(state.observer.as_mut())?);
        Ok(())
    }

    /// When the server works again.
    pub(super) fn resumed(&self) {
        self.state().stopped_at = None;
    }

    /// Whether the whole log has been written, and the time is over.
    pub(super) fn is_at_end(&self, measured: Nanos) -> io::Result<bool> {
        let mut state = self.state();
        let now = match state.stopped_at {
            Some(bytes) => bytes,
            None => written(state.observer.as_mut())?,
        };
        let is_whole = now.saturating_sub(state.from) >= self.capacity;
        if !is_whole && measured >= self.runtime + self.longest {
            return Err(io::Error::other(self.too_long()));
        }
        Ok(is_whole && measured >= self.runtime)
    }

    fn too_long(&self) -> String {
        let Self { capacity, longest, .. } = self;
        format!(
            "the log of {capacity} bytes was not filled in {:.0} s of work: set a larger log_scale",
            longest.seconds()
        )
    }
}

fn written(observer: &mut dyn Client) -> io::Result<u64> {
    let bytes = observer.log_written().map_err(io::Error::other)?;
    bytes.ok_or_else(|| io::Error::other("the server does not say how much it has written to its log"))
}
