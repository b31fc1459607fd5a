//! A thread's access to the pages: pins, their counters, and the pinned pages.

mod place;

use self::place::{COUNTED, Place};
use crate::counters::SessionCounters;
use crate::reader::{Reader, SLOTS};
use crate::ring::Ring;
use crate::{FlushOrder, Policy, Pool, PoolError};
use driver::Backend;
use model::BlockOp;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

/// One thread's operations on the pool. [`Pool::session`] creates it, and it stays with its thread.
#[derive(Debug)]
pub struct Session<'a, P, B> {
    pool: &'a Pool<P, B>,
    counters: Arc<SessionCounters>,
    reader: Arc<Reader>,
    /// The reader's slots without a pin, one bit for each. It also binds the session to one thread.
    slots_free: Cell<u32>,
    /// Frames of the pins that found no free slot.
    counted: RefCell<Vec<u32>>,
    ring: RefCell<Option<Ring>>,
}

impl<P: Policy, B: Backend<Op = BlockOp>> Pool<P, B> {
    /// Creates a session for the calling thread.
    pub fn session(&self) -> Session<'_, P, B> {
        let counters = Arc::new(SessionCounters::default());
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.push(Arc::clone(&counters));
        Session::new(self, counters, self.core().reader(self.shared.geometry.frames))
    }
}

impl<'a, P: Policy, B: Backend<Op = BlockOp>> Session<'a, P, B> {
    fn new(pool: &'a Pool<P, B>, counters: Arc<SessionCounters>, reader: Arc<Reader>) -> Self {
        Self {
            pool,
            counters,
            reader,
            slots_free: Cell::new((1 << SLOTS) - 1),
            counted: RefCell::default(),
            ring: RefCell::default(),
        }
    }

    /// A session for a scan that is large relative to the pool. As in PostgreSQL's bulk reads, the pages that it reads
    /// go through a ring of 256 KiB plus its read-ahead. A page that another session has accessed since stays in the
    /// pool, and so do pages that were there before.
    #[must_use]
    pub fn in_ring(self) -> Self {
        let geometry = self.pool.geometry();
        let ring = Ring::new(geometry.frames, geometry.page_size, self.pool.in_flight_max);
        self.ring.replace(Some(ring));
        self
    }

    /// Finds the page in the pool or reads it into a frame, and keeps it there until the pin is dropped.
    ///
    /// # Errors
    /// [`PoolError`].
    #[inline]
    pub fn pin(&self, page: u32) -> Result<Pinned<'_, P, B>, PoolError> {
        let place = match self.pool.shared.table.get(page).and_then(|frame| self.hold(page, frame)) {
            Some(place) => {
                self.counters.hit();
                place
            }
            None => self.pin_slowly(page)?,
        };
        Ok(Pinned { session: self, place })
    }

    /// Pins a page that is not in the pool or still being read.
    #[cold]
    fn pin_slowly(&self, page: u32) -> Result<Place, PoolError> {
        let shared = &self.pool.shared;
        self.check(page)?;
        let mut core = self.pool.core();
        // Another session may have read it meanwhile, or be reading it; behind the lock this is certain.
        if let Some(frame) = shared.table.get(page)
            && core.end_read(shared, page, frame)?
        {
            let was_ahead = shared.frames.get(frame).take_ahead();
            if !was_ahead {
                self.counters.hit();
                self.mark(frame);
            }
            self.note_time(frame);
            return Ok(self.keep(frame, was_ahead));
        }
        let frame = core.begin_read(shared, &self.counters, page, false, self.ring.borrow_mut().as_mut())?;
        let is_there = core.end_read(shared, page, frame)?;
        debug_assert!(is_there, "a read with a waiting session succeeds or returns an error");
        Ok(self.keep(frame, true))
    }

    /// Pins a page without reading it. If it is not in the pool, its bytes are whatever was in the frame, and the
    /// caller writes all of them.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn create(&self, page: u32) -> Result<Pinned<'_, P, B>, PoolError> {
        let shared = &self.pool.shared;
        self.check(page)?;
        if shared.table.get(page).is_some() {
            return self.pin(page);
        }
        let mut core = self.pool.core();
        if shared.table.get(page).is_some() {
            drop(core);
            return self.pin(page);
        }
        let frame = core.create(shared, &self.counters, page)?;
        Ok(Pinned { session: self, place: self.keep(frame, true) })
    }

    /// Starts to read a page that will be needed and is not in the pool. An error is reported when the page is pinned.
    /// Returns false if the backend accepts no further operation now; the caller can try again later.
    pub fn read_ahead(&self, page: u32) -> bool {
        let shared = &self.pool.shared;
        if shared.table.get(page).is_some() || page >= shared.table.pages() {
            return true;
        }
        let mut core = self.pool.core();
        if shared.table.get(page).is_some() {
            return true;
        }
        if !core.has_idle() {
            return false;
        }
        // A pin of the page tries again and returns the error.
        let _ = core.begin_read(shared, &self.counters, page, true, self.ring.borrow_mut().as_mut());
        true
    }

    /// Writes one page to its place in the file if it is in the pool and dirty. Returns whether it was. A page that is
    /// changed during its write is written again later.
    ///
    /// # Errors
    /// [`PoolError::Transfer`]: the page is still dirty.
    pub fn write_back(&self, page: u32) -> Result<bool, PoolError> {
        self.pool.write_back(page, &self.counters)
    }

    /// Writes every dirty page, as many at a time as the backend accepts. Returns how many.
    ///
    /// # Errors
    /// [`PoolError::Transfer`]: a page that could not be written is still dirty.
    pub fn flush(&self, order: FlushOrder) -> Result<u64, PoolError> {
        self.pool.flush(order, &self.counters)
    }

    fn check(&self, page: u32) -> Result<(), PoolError> {
        let pages = self.pool.shared.table.pages();
        if page < pages { Ok(()) } else { Err(PoolError::NoSuchPage { page, pages }) }
    }

    /// Pins the frame if it holds the page, and marks it as a hit does.
    #[inline]
    fn hold(&self, page: u32, frame: u32) -> Option<Place> {
        let slot = self.slots_free.get().trailing_zeros();
        if slot >= SLOTS {
            return self.hold_counted(page, frame);
        }
        self.reader.hold(slot, frame);
        self.pool.shared.barrier.frequent();
        if !self.pool.shared.frames.get(frame).is_found(page) {
            self.reader.release(slot);
            return None;
        }
        self.mark(frame);
        self.note_time(frame);
        self.take_slot(slot);
        Some(Place::new(frame, slot, false))
    }

    #[cold]
    fn hold_counted(&self, page: u32, frame: u32) -> Option<Place> {
        self.pool.shared.frames.get(frame).pin(page).then(|| {
            self.mark(frame);
            self.note_time(frame);
            self.counted.borrow_mut().push(frame);
            Place::new(frame, COUNTED, false)
        })
    }

    /// Pins a frame whose page nobody can evict now, because the caller holds the pool's lock.
    fn keep(&self, frame: u32, transferred: bool) -> Place {
        let slot = self.slots_free.get().trailing_zeros().min(COUNTED);
        if slot == COUNTED {
            self.pool.shared.frames.get(frame).pin_kept();
            self.counted.borrow_mut().push(frame);
        } else {
            self.reader.hold(slot, frame);
            self.take_slot(slot);
        }
        Place::new(frame, slot, transferred)
    }

    #[inline]
    fn take_slot(&self, slot: u32) {
        self.slots_free.set(self.slots_free.get() & !(1 << slot));
    }

    /// Marks a hit. Its own pin is not counted yet.
    #[inline]
    fn mark(&self, frame: u32) {
        let is_first = || {
            let slots_free = self.slots_free.get();
            !(0..SLOTS).any(|slot| slots_free & 1 << slot == 0 && self.reader.holds_in(slot, frame))
                && !self.counted.borrow().contains(&frame)
        };
        self.pool.shared.frames.get(frame).touch::<P>(is_first);
    }

    #[inline]
    fn note_time(&self, frame: u32) {
        if P::TIMED {
            self.reader.touch(frame, self.pool.shared.now.load(Ordering::Relaxed));
        }
    }
}

impl<P, B> Session<'_, P, B> {
    #[cold]
    fn unpin_counted(&self, pinned: u32) {
        let mut counted = self.counted.borrow_mut();
        if let Some(index) = counted.iter().position(|frame| *frame == pinned) {
            counted.swap_remove(index);
        }
        self.pool.shared.frames.get(pinned).unpin();
    }
}

impl<P, B> Drop for Session<'_, P, B> {
    fn drop(&mut self) {
        self.pool.core().release(&self.reader);
    }
}

/// A page that stays in its frame until this is dropped.
#[derive(Debug)]
pub struct Pinned<'a, P, B> {
    session: &'a Session<'a, P, B>,
    place: Place,
}

impl<P, B> Pinned<'_, P, B> {
    /// The page's bytes as words. The pool keeps the page in its place and does not order those who read and change it:
    /// that is the users' task, as with a content lock in PostgreSQL.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        let shared = &self.session.pool.shared;
        let page_size = shared.geometry.page_size as usize;
        shared.arena.words(self.place.frame() as usize * page_size, page_size)
    }

    /// Marks the page as changed, after the change.
    #[inline]
    pub fn set_dirty(&self) {
        self.session.pool.shared.frames.get(self.place.frame()).set_dirty();
    }

    /// Whether the page was not in the pool and was read or created for this pin.
    pub fn is_transferred(&self) -> bool {
        self.place.is_transferred()
    }
}

impl<P, B> Drop for Pinned<'_, P, B> {
    #[inline]
    fn drop(&mut self) {
        let (session, slot) = (self.session, self.place.slot());
        if slot == COUNTED {
            session.unpin_counted(self.place.frame());
        } else {
            session.reader.release(slot);
            session.slots_free.set(session.slots_free.get() | 1 << slot);
        }
    }
}
