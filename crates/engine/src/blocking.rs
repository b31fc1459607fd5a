//! The one backend of all engines: operations performed by the driver's own thread, one after another.

use crate::{Engine, EngineError};
use driver::{Backend, Inline, MonotonicClock, Perform};
use model::kv::NOT_FOUND;
use model::{Completion, Key, KvKind, KvOp, Nanos};
use std::hint;
use std::io;

/// A value longer than this makes the first get that meets it allocate.
const VALUE_BYTES: usize = 1 << 16;

/// An operation on which an engine failed. It is what the [`io::Error`] of [`Blocking`] holds, so the engine's own
/// message reaches the record.
#[derive(Debug, thiserror::Error)]
#[error("{operation}: {source}")]
pub struct OperationFailed {
    pub operation: KvOp,
    /// What the engine said.
    pub source: EngineError,
}

/// Makes a [`Backend`] of an engine.
///
/// One call is in progress at a time, as in a thread of a server that calls its storage engine ([`Inline`]). Gets that
/// are submitted together are one call of [`Engine::multi_get`].
///
/// `system_calls` is 0 because a trait of numbers has no other word for it: an engine's system calls happen in its own
/// code and threads, and Syncline cannot count them. Use
/// [`Blocking::SYSTEM_CALLS`] in reports instead.
#[derive(Debug)]
pub struct Blocking<'e, E: Engine> {
    inline: Inline<Performer<'e, E>>,
}

#[derive(Debug)]
struct Performer<'e, E: Engine> {
    engine: &'e E,
    payload: &'e [u8],
    /// Where gets put what they read.
    value: Vec<u8>,
    /// The keys of gets that are submitted together.
    keys: Vec<Key>,
    /// One byte of every cache line that scans read.
    touched: u64,
}

impl<'e, E: Engine> Blocking<'e, E> {
    /// Why a record has no count of system calls.
    pub const SYSTEM_CALLS: &'static str =
        "an engine makes its system calls in its own code and threads, which Syncline does not count";

    /// A backend on the thread that will drive it. Puts take their values from `payload`; `in_flight_max` is the
    /// workload's.
    ///
    /// # Errors
    /// The kernel refuses exact timers.
    pub fn new(
        engine: &'e E,
        payload: &'e [u8],
        clock: MonotonicClock,
        in_flight_max: usize,
    ) -> io::Result<Self> {
        let value = Vec::with_capacity(VALUE_BYTES);
        let keys = Vec::with_capacity(in_flight_max);
        let performer = Performer { engine, payload, value, keys, touched: 0 };
        Ok(Self { inline: Inline::new(performer, clock, in_flight_max)? })
    }
}

impl<E: Engine> Perform for Performer<'_, E> {
    type Op = KvOp;

    /// Bytes or entries moved, 0, or [`NOT_FOUND`].
    #[inline]
    fn perform(&mut self, operation: &KvOp) -> io::Result<i32> {
        let key = operation.key.as_bytes();
        let result = match operation.kind {
            KvKind::Put => {
                let begin = operation.value.offset as usize;
                let Some(value) = self.payload.get(begin..begin + operation.value.length as usize) else {
                    return Err(invalid(operation));
                };
                self.engine.put(key, value).map(|()| value.len() as i32)
            }
            KvKind::Get => {
                let found = self.engine.get(key, &mut self.value);
                found.map(|found| if found { self.value.len() as i32 } else { NOT_FOUND })
            }
            KvKind::Delete => self.engine.delete(key).map(|()| 0),
            KvKind::Scan => {
                let mut touched = self.touched;
                // An engine may hand out a reference into a page that nobody has read yet: a scan that does not look
                // at values does not read them.
                let scanned = self.engine.scan(key, operation.limit as usize, |_, value| {
                    touched = value.iter().step_by(64).fold(touched, |sum, byte| sum + u64::from(*byte));
                });
                self.touched = hint::black_box(touched);
                scanned.map(|entries| entries as i32)
            }
            KvKind::Sync => self.engine.sync().map(|()| 0),
        };
        result.map_err(|source| failed(operation, source))
    }

    fn perform_together(&mut self, operations: &[KvOp], results: &mut Vec<i32>) -> Option<io::Result<()>> {
        let (first, rest) = operations.split_first()?;
        if rest.is_empty() || operations.iter().any(|operation| operation.kind != KvKind::Get) {
            return None;
        }
        self.keys.clear();
        self.keys.extend(operations.iter().map(|operation| operation.key));
        results.resize(operations.len(), NOT_FOUND);
        let performed = self.engine.multi_get(&self.keys, |place, value| {
            results[place] = value.map_or(NOT_FOUND, |value| value.len() as i32);
        });
        Some(performed.map_err(|source| failed(first, source)))
    }

    fn system_calls(&self) -> u64 {
        0
    }
}

/// The put reaches outside the payload: the workload and the setup disagree.
#[cold]
fn invalid(operation: &KvOp) -> io::Error {
    let text = format!("{operation:?}: its value is not inside the payload");
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

#[cold]
fn failed(operation: &KvOp, source: EngineError) -> io::Error {
    io::Error::other(OperationFailed { operation: *operation, source })
}

impl<E: Engine> Backend for Blocking<'_, E> {
    type Op = KvOp;

    #[inline]
    fn submit(&mut self, operations: &[KvOp]) -> io::Result<usize> {
        self.inline.submit(operations)
    }

    #[inline]
    fn reap(
        &mut self,
        at_least: usize,
        deadline: Option<Nanos>,
        out: &mut Vec<Completion>,
    ) -> io::Result<()> {
        self.inline.reap(at_least, deadline, out)
    }

    #[inline]
    fn reaped_at(&self) -> Option<Nanos> {
        self.inline.reaped_at()
    }

    fn system_calls(&self) -> u64 {
        self.inline.system_calls()
    }
}
