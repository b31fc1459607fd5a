//! What is behind the pool's lock: the policy, the backend, and the transfers that are in flight.

use crate::PoolError;
use crate::counters::SessionCounters;
use crate::policy::Policy;
use crate::pool::Shared;
use driver::Backend;
use model::{BlockKind, BlockOp, Completion};
use std::io;

/// A page on its way between the file and a frame.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    kind: BlockKind,
    page: u32,
    frame: u32,
}

/// One per pool, locked for every miss and every write.
#[derive(Debug)]
pub(crate) struct Core<P, B> {
    pub(crate) policy: P,
    backend: B,
    /// Frames without a page, the lowest last.
    empty: Vec<u32>,
    /// By the operation's id.
    in_flight: Vec<Option<Transfer>>,
    /// Ids of no operation.
    idle: Vec<u32>,
    completions: Vec<Completion>,
    /// Transfers that failed, until whoever waits for them looks.
    failed: Vec<(Transfer, io::Error)>,
}

impl<P: Policy, B: Backend<Op = BlockOp>> Core<P, B> {
    /// `in_flight_max` is the backend's.
    pub(crate) fn new(frames: u32, backend: B, in_flight_max: usize) -> Self {
        Self {
            policy: P::new(frames),
            backend,
            empty: (0..frames).rev().collect(),
            in_flight: vec![None; in_flight_max],
            idle: (0..in_flight_max as u32).rev().collect(),
            completions: Vec::with_capacity(in_flight_max),
            failed: Vec::new(),
        }
    }

    pub(crate) fn system_calls(&self) -> u64 {
        self.backend.system_calls()
    }

    /// Whether another transfer can begin without waiting for one.
    pub(crate) fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    /// A frame that is nobody's: an empty one, or the one that the policy takes from its page, after it was written out.
    pub(crate) fn free_frame(
        &mut self,
        shared: &Shared,
        counters: &SessionCounters,
        page: u32,
    ) -> Result<u32, PoolError> {
        if let Some(frame) = self.empty.pop() {
            return Ok(frame);
        }
        loop {
            let Some(frame) = self.policy.victim(&shared.frames) else {
                if self.idle.len() == self.in_flight.len() {
                    return Err(PoolError::AllPinned { page, frames: shared.geometry.frames });
                }
                // What is read ahead can leave as soon as it has come.
                self.reap(shared)?;
                if let Some(frame) = self.empty.pop() {
                    return Ok(frame);
                }
                continue;
            };
            // Pinned since the policy looked at it: it will choose another one.
            let Some(claimed) = shared.frames.get(frame).claim() else { continue };
            if claimed.dirty {
                let written = self.transfer(shared, BlockKind::Write, claimed.page, frame);
                if let Err(error) = written {
                    shared.frames.get(frame).return_claimed();
                    return Err(error);
                }
                counters.written(1);
            }
            shared.table.clear(claimed.page);
            self.policy.evicted(frame);
            counters.evicted();
            return Ok(frame);
        }
    }

    /// Begins to read a page that is in no frame.
    pub(crate) fn begin_read(
        &mut self,
        shared: &Shared,
        counters: &SessionCounters,
        page: u32,
        ahead: bool,
    ) -> Result<u32, PoolError> {
        let frame = self.free_frame(shared, counters, page)?;
        shared.frames.get(frame).begin_read::<P>(page, ahead);
        shared.table.set(page, frame);
        self.policy.admitted(frame);
        if let Err(error) = self.begin(shared, Transfer { kind: BlockKind::Read, page, frame }) {
            self.drop_page(shared, page, frame);
            return Err(error);
        }
        counters.read();
        Ok(frame)
    }

    /// Gives a page that is in no frame one without reading it: its bytes are whatever was there.
    pub(crate) fn create(
        &mut self,
        shared: &Shared,
        counters: &SessionCounters,
        page: u32,
    ) -> Result<u32, PoolError> {
        let frame = self.free_frame(shared, counters, page)?;
        shared.frames.get(frame).begin_read::<P>(page, false);
        shared.table.set(page, frame);
        self.policy.admitted(frame);
        shared.frames.get(frame).pin_admitted();
        shared.frames.get(frame).end_read();
        counters.created();
        Ok(frame)
    }

    /// Waits until a page's read has come to an end. Returns whether the page is there: a read ahead that failed leaves
    /// nothing behind.
    pub(crate) fn end_read(&mut self, shared: &Shared, page: u32, frame: u32) -> Result<bool, PoolError> {
        let state = shared.frames.get(frame);
        while state.holds(page) && !state.is_readable() {
            self.reap(shared)?;
        }
        if state.holds(page) {
            return Ok(true);
        }
        self.failure(BlockKind::Read, page)?;
        Ok(false)
    }

    /// Moves one page and waits for it.
    pub(crate) fn transfer(
        &mut self,
        shared: &Shared,
        kind: BlockKind,
        page: u32,
        frame: u32,
    ) -> Result<(), PoolError> {
        let id = self.begin(shared, Transfer { kind, page, frame })?;
        while self.in_flight[id as usize].is_some() {
            self.reap(shared)?;
        }
        self.failure(kind, page)
    }

    /// Begins a write and does not wait for it.
    pub(crate) fn begin_write(&mut self, shared: &Shared, page: u32, frame: u32) -> Result<(), PoolError> {
        self.begin(shared, Transfer { kind: BlockKind::Write, page, frame }).map(drop)
    }

    /// Waits until nothing is in flight.
    pub(crate) fn drain(&mut self, shared: &Shared) -> Result<(), PoolError> {
        while self.idle.len() < self.in_flight.len() {
            self.reap(shared)?;
        }
        Ok(())
    }

    /// Why the page's transfer failed, if it did.
    fn failure(&mut self, kind: BlockKind, page: u32) -> Result<(), PoolError> {
        let found = self.failed.iter().position(|(failed, _)| failed.kind == kind && failed.page == page);
        match found.map(|index| self.failed.swap_remove(index)) {
            Some(failed) => Err(explain(failed)),
            None => Ok(()),
        }
    }

    /// Every failure that nobody has looked at.
    pub(crate) fn failures(&mut self) -> impl ExactSizeIterator<Item = PoolError> {
        self.failed.drain(..).map(explain)
    }

    fn begin(&mut self, shared: &Shared, transfer: Transfer) -> Result<u32, PoolError> {
        // A failure of an earlier attempt that nobody waited for is not this one's.
        self.failed.retain(|(failed, _)| failed.page != transfer.page);
        let id = loop {
            match self.idle.pop() {
                Some(id) => break id,
                None => self.reap(shared)?,
            }
        };
        let page_size = shared.geometry.page_size;
        let operation = BlockOp {
            id,
            kind: transfer.kind,
            file: shared.geometry.file,
            offset: u64::from(transfer.page) * u64::from(page_size),
            length: page_size,
            buffer: transfer.frame * page_size,
        };
        self.in_flight[id as usize] = Some(transfer);
        loop {
            match self.backend.submit(&[operation]) {
                Ok(0) => self.reap(shared)?,
                Ok(_) => return Ok(id),
                Err(error) => {
                    self.in_flight[id as usize] = None;
                    self.idle.push(id);
                    return Err(error.into());
                }
            }
        }
    }

    /// Waits for at least one transfer and settles what has come.
    fn reap(&mut self, shared: &Shared) -> Result<(), PoolError> {
        self.backend.reap(1, None, &mut self.completions)?;
        while let Some(completion) = self.completions.pop() {
            if let Some(transfer) = self.in_flight[completion.id as usize].take() {
                self.idle.push(completion.id);
                self.settle(shared, transfer, completion.result);
            }
        }
        Ok(())
    }

    fn settle(&mut self, shared: &Shared, transfer: Transfer, result: i32) {
        let Transfer { kind, page, frame } = transfer;
        let complete = result == shared.geometry.page_size as i32;
        if complete {
            if kind == BlockKind::Read {
                shared.frames.get(frame).end_read();
            }
            return;
        }
        if kind == BlockKind::Read {
            let was_ahead = shared.frames.get(frame).take_ahead();
            self.drop_page(shared, page, frame);
            if was_ahead {
                // Whoever asks for the page reads it again, and is told then.
                return;
            }
        } else {
            // It still has to be written.
            shared.frames.get(frame).set_dirty();
        }
        let source = if result < 0 {
            io::Error::from_raw_os_error(-result)
        } else {
            let text = format!("moved {result} of {} bytes", shared.geometry.page_size);
            io::Error::new(io::ErrorKind::UnexpectedEof, text)
        };
        self.failed.push((transfer, source));
    }

    /// A page whose bytes did not come is in no frame.
    fn drop_page(&mut self, shared: &Shared, page: u32, frame: u32) {
        shared.table.clear(page);
        self.policy.evicted(frame);
        shared.frames.get(frame).clear();
        self.empty.push(frame);
    }
}

fn explain((transfer, source): (Transfer, io::Error)) -> PoolError {
    let what = if transfer.kind == BlockKind::Read { "read" } else { "write" };
    PoolError::Transfer { what, page: transfer.page, source }
}
