//! A write whose thread goes on before it is in the log.

use crate::error::StoreError;
use crate::gate::Gate;
use crate::shared::Shared;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A write that [`Store::write_async`](crate::Store::write_async) has begun. It is acknowledged, and visible, once it
/// is [done](Self::is_done) without an error.
///
/// No thread works for it alone: a thread that waits for a write of a group writes the group to the log, if none does.
/// A write whose `Commit` is dropped goes to the log with the next one that is waited for, with a full memtable, or
/// with [`Store::sync`](crate::Store::sync) or [`Store::close`](crate::Store::close).
///
/// As a future it needs no runtime. Its `poll` is [`wait`](Self::wait) if nobody writes the group to the log: it then
/// blocks as long as that takes.
#[must_use = "only a wait tells whether the write is in the log"]
pub struct Commit<'a> {
    shared: &'a Shared,
    sequence: u64,
    /// `None` if the write is done.
    gate: Option<Arc<Gate>>,
}

impl<'a> Commit<'a> {
    pub(crate) fn done(shared: &'a Shared) -> Self {
        Self { shared, sequence: 0, gate: None }
    }

    pub(crate) fn of(shared: &'a Shared, sequence: u64, gate: Arc<Gate>) -> Self {
        Self { shared, sequence, gate: Some(gate) }
    }

    /// Whether [`wait`](Self::wait) returns at once. It stays false as long as nobody waits for a write of the group.
    pub fn is_done(&self) -> bool {
        self.gate.is_none() || self.shared.is_committed(self.sequence) || self.shared.failure.get().is_some()
    }

    /// Waits until the write survives what the durability class says, and every later read sees it.
    ///
    /// # Errors
    /// As [`Store::put`](crate::Store::put): an I/O error fails every write of the group.
    pub fn wait(self) -> Result<(), StoreError> {
        let Some(gate) = &self.gate else { return Ok(()) };
        self.shared.files.check_process()?;
        self.shared.await_commit(self.sequence, gate)
    }
}

impl Future for Commit<'_> {
    type Output = Result<(), StoreError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(gate) = &self.gate else { return Poll::Ready(Ok(())) };
        self.shared.files.check_process()?;
        self.shared.poll_commit(self.sequence, gate, context.waker())
    }
}

impl fmt::Debug for Commit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Commit").field("sequence", &self.sequence).finish_non_exhaustive()
    }
}
