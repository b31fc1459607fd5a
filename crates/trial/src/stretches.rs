//! Stretches of a trial that runs alone and ends when its server has come to the end of its work.

use crate::turns::DrivenServer;
use driver::{Slice, SliceLength, Turns};
use model::Nanos;
use std::io;
use std::sync::{Mutex, PoisonError};

/// One stretch after another, with nothing between two but the question whether that was the last.
pub(crate) struct Stretches<'a> {
    server: &'a dyn DrivenServer,
    length: Nanos,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    measured: Nanos,
    is_at_end: bool,
}

impl<'a> Stretches<'a> {
    /// Those of a server; `None` if time alone ends its work.
    pub(crate) fn of(server: &'a dyn DrivenServer) -> Option<Self> {
        Some(Self { server, length: server.stretch()?, state: Mutex::default() })
    }
}

impl Turns for Stretches<'_> {
    fn next(&self) -> io::Result<Option<SliceLength>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((!state.is_at_end).then_some(SliceLength { slice: self.length, settle: Nanos::ZERO }))
    }

    fn taken(&self, slice: Slice) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.measured = state.measured + slice.window;
        state.is_at_end = slice.is_over || self.server.is_at_end(state.measured)?;
        Ok(())
    }
}
