//! Transfers of pages between the file and a frame: started, waited for, and their results.

use super::occupancy::Occupancy;
use crate::PoolError;
use crate::policy::Policy;
use crate::shared::Shared;
use driver::Backend;
use model::{BlockKind, BlockOp, Completion};
use std::io;

/// A page in transfer between the file and a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) kind: BlockKind,
    pub(super) page: u32,
    pub(super) frame: u32,
}

/// The backend and the pool's operations on it.
#[derive(Debug)]
pub(super) struct Transfers<B> {
    backend: B,
    /// By the operation's id.
    in_flight: Vec<Option<Transfer>>,
    /// Ids that no operation uses.
    idle: Vec<u32>,
    completions: Vec<Completion>,
    /// Transfers that failed, until their waiters collect them.
    failed: Vec<(Transfer, io::Error)>,
}

impl<B: Backend<Op = BlockOp>> Transfers<B> {
    /// `in_flight_max` is the backend's limit.
    pub(super) fn new(backend: B, in_flight_max: usize) -> Self {
        Self {
            backend,
            in_flight: vec![None; in_flight_max],
            idle: (0..in_flight_max as u32).rev().collect(),
            completions: Vec::with_capacity(in_flight_max),
            failed: Vec::new(),
        }
    }

    pub(super) fn system_calls(&self) -> u64 {
        self.backend.system_calls()
    }

    /// Whether another transfer can begin without waiting for one.
    pub(super) fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    pub(super) fn is_anything_in_flight(&self) -> bool {
        self.idle.len() < self.in_flight.len()
    }

    /// Moves one page and waits for it.
    pub(super) fn complete(
        &mut self,
        shared: &Shared,
        occupancy: &mut Occupancy<impl Policy>,
        transfer: Transfer,
    ) -> Result<(), PoolError> {
        let id = self.begin(shared, occupancy, transfer)?;
        while self.in_flight[id as usize].is_some() {
            self.reap(shared, occupancy)?;
        }
        self.failure(transfer.kind, transfer.page)
    }

    /// Waits until nothing is in flight.
    pub(super) fn drain(
        &mut self,
        shared: &Shared,
        occupancy: &mut Occupancy<impl Policy>,
    ) -> Result<(), PoolError> {
        while self.is_anything_in_flight() {
            self.reap(shared, occupancy)?;
        }
        Ok(())
    }

    /// The reason for the failure of the page's transfer, if it failed.
    pub(super) fn failure(&mut self, kind: BlockKind, page: u32) -> Result<(), PoolError> {
        let found = self.failed.iter().position(|(failed, _)| failed.kind == kind && failed.page == page);
        match found.map(|index| self.failed.swap_remove(index)) {
            Some(failed) => Err(explain(failed)),
            None => Ok(()),
        }
    }

    /// Every failure that nobody has collected.
    pub(super) fn failures(&mut self) -> impl ExactSizeIterator<Item = PoolError> {
        self.failed.drain(..).map(explain)
    }

    /// Starts to move a page. Returns the operation's id.
    pub(super) fn begin(
        &mut self,
        shared: &Shared,
        occupancy: &mut Occupancy<impl Policy>,
        transfer: Transfer,
    ) -> Result<u32, PoolError> {
        // An uncollected failure of an earlier attempt does not belong to this one.
        self.failed.retain(|(failed, _)| failed.page != transfer.page);
        let id = loop {
            match self.idle.pop() {
                Some(id) => break id,
                None => self.reap(shared, occupancy)?,
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
                Ok(0) => self.reap(shared, occupancy)?,
                Ok(_) => return Ok(id),
                Err(error) => {
                    self.in_flight[id as usize] = None;
                    self.idle.push(id);
                    return Err(error.into());
                }
            }
        }
    }

    /// Waits for at least one transfer and processes every completion.
    pub(super) fn reap(
        &mut self,
        shared: &Shared,
        occupancy: &mut Occupancy<impl Policy>,
    ) -> Result<(), PoolError> {
        self.backend.reap(1, None, &mut self.completions)?;
        while let Some(completion) = self.completions.pop() {
            if let Some(transfer) = self.in_flight[completion.id as usize].take() {
                self.idle.push(completion.id);
                self.settle(shared, occupancy, transfer, completion.result);
            }
        }
        Ok(())
    }

    fn settle(
        &mut self,
        shared: &Shared,
        occupancy: &mut Occupancy<impl Policy>,
        transfer: Transfer,
        result: i32,
    ) {
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
            occupancy.drop_page(shared, page, frame);
            if was_ahead {
                // A session that needs the page reads it again and gets its error then.
                return;
            }
        } else {
            // It still has to be written out.
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
}

fn explain((transfer, source): (Transfer, io::Error)) -> PoolError {
    let what = if transfer.kind == BlockKind::Read { "read" } else { "write" };
    PoolError::Transfer { what, page: transfer.page, source }
}
