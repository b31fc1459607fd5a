//! The pool, and the operations on it as a whole.

use crate::core::Core;
use crate::counters::{Counters, SessionCounters};
use crate::frame::{Frame, Frames};
use crate::shared::{Apart, Geometry, Shared};
use crate::table::Table;
use crate::{Policy, PoolError};
use disk::arena::Arena;
use disk::kernel::barrier::AsymmetricBarrier;
use driver::Backend;
use model::BlockOp;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Permitted sizes of a page, in bytes.
const PAGE_SIZES: Range<u32> = 4 << 10..(64 << 10) + 1;

/// The order in which dirty pages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushOrder {
    /// By page: the order of the file.
    File,
    /// By frame: the order of the pool, which is the order in which a sweep evicts them.
    Pool,
}

/// Pages of one file in a fixed number of frames, which are one aligned allocation.
#[derive(Debug)]
pub struct Pool<P, B> {
    pub(crate) shared: Shared,
    core: Apart<Mutex<Core<P, B>>>,
    pub(crate) sessions: Apart<Mutex<Vec<Arc<SessionCounters>>>>,
    pub(crate) in_flight_max: usize,
}

impl<P: Policy, B: Backend<Op = BlockOp>> Pool<P, B> {
    /// An empty pool. The backend must have been set up with this arena, which holds all frames one after another, and
    /// must accept `in_flight_max` operations at a time, at least one.
    ///
    /// # Errors
    /// [`PoolError::Geometry`].
    pub fn new(
        geometry: Geometry,
        arena: Arc<Arena>,
        backend: B,
        in_flight_max: usize,
    ) -> Result<Self, PoolError> {
        let Geometry { frames, page_size, pages, .. } = geometry;
        let wrong = |why| Err(PoolError::Geometry { frames, page_size, why });
        if !PAGE_SIZES.contains(&page_size) || !page_size.is_power_of_two() {
            return wrong("a page has a power of two of bytes from 4 KiB to 64 KiB");
        }
        if frames == 0 || u64::from(frames) * u64::from(page_size) > 1 << 32 {
            return wrong("there is at least one frame, and all frames together have at most 4 GiB");
        }
        if arena.len() < geometry.bytes() {
            return wrong("the arena is smaller than the frames");
        }
        if in_flight_max == 0 {
            return wrong("at least one operation is in flight at a time");
        }
        let shared = Shared {
            geometry,
            frames: Frames((0..frames).map(|_| Frame::default()).collect()),
            table: Table::new(pages),
            arena,
            barrier: AsymmetricBarrier::register(),
            now: Apart::new(AtomicU64::new(0)),
        };
        let core = Apart::new(Mutex::new(Core::new(frames, backend, in_flight_max)));
        Ok(Self { shared, core, sessions: Apart::new(Mutex::default()), in_flight_max })
    }

    /// What all sessions did, including sessions that have ended.
    pub fn counters(&self) -> Counters {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = Counters::default();
        sessions.iter().for_each(|session| session.add_to(&mut sum));
        sum
    }

    pub fn geometry(&self) -> Geometry {
        self.shared.geometry
    }

    /// Number of pages of the range that are in the pool or being read into it.
    pub fn resident(&self, pages: Range<u32>) -> usize {
        self.shared.table.resident(pages)
    }

    /// Number of pages that have been changed and not written since.
    pub fn dirty(&self) -> usize {
        self.shared.frames.0.iter().filter(|frame| frame.is_dirty()).count()
    }

    /// System calls that the backend made.
    pub fn system_calls(&self) -> u64 {
        self.core().system_calls()
    }

    /// Writes every dirty page, as many at a time as the backend accepts. Returns how many.
    ///
    /// # Errors
    /// [`PoolError::Transfer`]: a page that could not be written is still dirty.
    pub(crate) fn flush(&self, order: FlushOrder, counters: &SessionCounters) -> Result<u64, PoolError> {
        let mut core = self.core();
        let mut dirty: Vec<(u32, u32)> = (0..self.shared.geometry.frames)
            .filter_map(|frame| Some((self.shared.frames.get(frame).dirty_page()?, frame)))
            .collect();
        if order == FlushOrder::File {
            dirty.sort_unstable();
        }
        let mut begun = 0;
        let mut outcome = Ok(());
        for (page, frame) in dirty {
            // While the lock is held no page leaves its frame. A page that is changed during its write is written again
            // later.
            if self.shared.frames.get(frame).take_dirty() {
                outcome = core.begin_write(&self.shared, page, frame);
                if outcome.is_err() {
                    self.shared.frames.get(frame).set_dirty();
                    break;
                }
                begun += 1;
            }
        }
        core.drain(&self.shared)?;
        let mut failures = core.failures();
        let written = begun - failures.len() as u64;
        counters.written(written);
        let failure = failures.next().map_or(Ok(()), Err);
        outcome.and(failure).map(|()| written)
    }

    /// Writes one page if it is in the pool and dirty. Returns whether it was.
    pub(crate) fn write_back(&self, page: u32, counters: &SessionCounters) -> Result<bool, PoolError> {
        let mut core = self.core();
        let Some(frame) = self.shared.table.get(page) else { return Ok(false) };
        if !self.shared.frames.get(frame).take_dirty() {
            return Ok(false);
        }
        if let Err(error) = core.write(&self.shared, page, frame) {
            self.shared.frames.get(frame).set_dirty();
            return Err(error);
        }
        counters.written(1);
        Ok(true)
    }
}

impl<P, B> Pool<P, B> {
    pub(crate) fn core(&self) -> MutexGuard<'_, Core<P, B>> {
        // A thread that panicked while it held the lock left at worst a page in flight, which the next reap completes.
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
