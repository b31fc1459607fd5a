//! The state behind the pool's lock: the policy, and which page is in which frame.

mod occupancy;
mod transfer;

use self::occupancy::Occupancy;
use self::transfer::{Transfer, Transfers};
use crate::PoolError;
use crate::counters::SessionCounters;
use crate::frame::Seen;
use crate::policy::Policy;
use crate::reader::Reader;
use crate::ring::Ring;
use crate::shared::Shared;
use driver::Backend;
use model::{BlockKind, BlockOp};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One per pool, locked for every miss and every write.
#[derive(Debug)]
pub(crate) struct Core<P, B> {
    occupancy: Occupancy<P>,
    transfers: Transfers<B>,
    /// One for every session, including sessions that have ended, because their accesses still count.
    readers: Vec<Arc<Reader>>,
    /// Readers of sessions that have ended.
    readers_idle: Vec<Arc<Reader>>,
    /// Frames that were pinned at the last look.
    held: Vec<u32>,
}

impl<P: Policy, B: Backend<Op = BlockOp>> Core<P, B> {
    /// `in_flight_max` is the backend's limit.
    pub(crate) fn new(frames: u32, backend: B, in_flight_max: usize) -> Self {
        Self {
            occupancy: Occupancy::new(frames),
            transfers: Transfers::new(backend, in_flight_max),
            readers: Vec::new(),
            readers_idle: Vec::new(),
            held: Vec::new(),
        }
    }

    pub(crate) fn system_calls(&self) -> u64 {
        self.transfers.system_calls()
    }

    /// Whether another transfer can begin without waiting for one.
    pub(crate) fn has_idle(&self) -> bool {
        self.transfers.has_idle()
    }

    /// The slots through which others see a new session.
    pub(crate) fn reader(&mut self, frames: u32) -> Arc<Reader> {
        self.readers_idle.pop().unwrap_or_else(|| {
            let reader = Arc::new(Reader::new(if P::TIMED { frames } else { 0 }));
            self.readers.push(Arc::clone(&reader));
            reader
        })
    }

    /// A frame for the page that no page uses. With a ring, it is the ring's next frame if nobody else has used it.
    fn free_frame(
        &mut self,
        shared: &Shared,
        counters: &SessionCounters,
        page: u32,
        ring: Option<&mut Ring>,
    ) -> Result<u32, PoolError> {
        let Some(ring) = ring else { return self.any_frame(shared, counters, page) };
        let due = ring.due().filter(|frame| shared.frames.get(*frame).is_left_behind::<P>());
        let frame = match due {
            Some(frame) if self.evict(shared, counters, frame)? => frame,
            Some(_) | None => self.any_frame(shared, counters, page)?,
        };
        ring.took(frame);
        Ok(frame)
    }

    /// An empty frame, or the victim that the policy chooses.
    fn any_frame(
        &mut self,
        shared: &Shared,
        counters: &SessionCounters,
        page: u32,
    ) -> Result<u32, PoolError> {
        if let Some(frame) = self.occupancy.empty.pop() {
            return Ok(frame);
        }
        loop {
            self.held.clear();
            self.held.extend(self.readers.iter().flat_map(|reader| reader.held()));
            let seen = Seen { frames: &shared.frames, held: &self.held, readers: &self.readers };
            let Some(frame) = self.occupancy.policy.victim(&seen) else {
                if !self.transfers.is_anything_in_flight() {
                    return Err(PoolError::AllPinned { page, frames: shared.geometry.frames });
                }
                // A page that was read ahead can be evicted as soon as its read has ended.
                self.transfers.reap(shared, &mut self.occupancy)?;
                if let Some(frame) = self.occupancy.empty.pop() {
                    return Ok(frame);
                }
                continue;
            };
            // If it was pinned since the policy looked at it, the policy will choose another one.
            if self.evict(shared, counters, frame)? {
                return Ok(frame);
            }
        }
    }

    /// Evicts a frame's page, after writing it out if it is dirty. Returns false if a session has it pinned.
    fn evict(&mut self, shared: &Shared, counters: &SessionCounters, frame: u32) -> Result<bool, PoolError> {
        // A pool's only session looks for its own pins, and another session can start only behind this lock.
        let is_alone = self.readers.len() - self.readers_idle.len() <= 1;
        let is_held = || {
            if !is_alone {
                shared.barrier.rare();
            }
            self.readers.iter().any(|reader| reader.holds(frame))
        };
        let Some(claimed) = shared.frames.get(frame).claim(is_held) else { return Ok(false) };
        if claimed.dirty {
            if let Err(error) = self.write(shared, claimed.page, frame) {
                shared.frames.get(frame).return_claimed();
                return Err(error);
            }
            counters.written(1);
        }
        shared.table.clear(claimed.page);
        self.occupancy.policy.evicted(frame);
        counters.evicted();
        Ok(true)
    }

    /// Gives a frame without a page to a page whose bytes are not there yet.
    fn admit(&mut self, shared: &Shared, page: u32, frame: u32, ahead: bool) {
        shared.frames.get(frame).begin_read::<P>(page, ahead);
        shared.table.set(page, frame);
        let now = if P::TIMED {
            let times = self.readers.iter().map(|reader| reader.time());
            let now = times.fold(shared.now.load(Ordering::Relaxed), u64::max) + 1;
            shared.now.store(now, Ordering::Relaxed);
            now
        } else {
            0
        };
        self.occupancy.policy.admitted(frame, now);
    }

    /// Starts to read a page that is in no frame.
    pub(crate) fn begin_read(
        &mut self,
        shared: &Shared,
        counters: &SessionCounters,
        page: u32,
        ahead: bool,
        ring: Option<&mut Ring>,
    ) -> Result<u32, PoolError> {
        let frame = self.free_frame(shared, counters, page, ring)?;
        self.admit(shared, page, frame, ahead);
        let transfer = Transfer { kind: BlockKind::Read, page, frame };
        if let Err(error) = self.transfers.begin(shared, &mut self.occupancy, transfer) {
            self.occupancy.drop_page(shared, page, frame);
            return Err(error);
        }
        counters.read();
        Ok(frame)
    }

    /// Gives a frame to a page that is in none, without reading it: its bytes are whatever was there. Nobody can evict
    /// it before the lock is released.
    pub(crate) fn create(
        &mut self,
        shared: &Shared,
        counters: &SessionCounters,
        page: u32,
    ) -> Result<u32, PoolError> {
        let frame = self.any_frame(shared, counters, page)?;
        self.admit(shared, page, frame, false);
        shared.frames.get(frame).end_read();
        counters.created();
        Ok(frame)
    }

    /// Waits until a page's read has ended. Returns whether the page is there: a failed read-ahead leaves nothing
    /// behind.
    pub(crate) fn end_read(&mut self, shared: &Shared, page: u32, frame: u32) -> Result<bool, PoolError> {
        let state = shared.frames.get(frame);
        while state.holds(page) && !state.is_readable() {
            self.transfers.reap(shared, &mut self.occupancy)?;
        }
        if state.holds(page) {
            return Ok(true);
        }
        self.transfers.failure(BlockKind::Read, page)?;
        Ok(false)
    }

    /// Writes one page and waits for it.
    pub(crate) fn write(&mut self, shared: &Shared, page: u32, frame: u32) -> Result<(), PoolError> {
        let transfer = Transfer { kind: BlockKind::Write, page, frame };
        self.transfers.complete(shared, &mut self.occupancy, transfer)
    }

    /// Starts a write and does not wait for it.
    pub(crate) fn begin_write(&mut self, shared: &Shared, page: u32, frame: u32) -> Result<(), PoolError> {
        let transfer = Transfer { kind: BlockKind::Write, page, frame };
        self.transfers.begin(shared, &mut self.occupancy, transfer).map(drop)
    }

    /// Waits until nothing is in flight.
    pub(crate) fn drain(&mut self, shared: &Shared) -> Result<(), PoolError> {
        self.transfers.drain(shared, &mut self.occupancy)
    }

    /// Every failure that nobody has collected.
    pub(crate) fn failures(&mut self) -> impl ExactSizeIterator<Item = PoolError> {
        self.transfers.failures()
    }
}

impl<P, B> Core<P, B> {
    pub(crate) fn release(&mut self, reader: &Arc<Reader>) {
        reader.release_all();
        self.readers_idle.push(Arc::clone(reader));
    }
}
