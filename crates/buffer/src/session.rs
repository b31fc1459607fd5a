//! A thread's way to the pages: pins, and what is counted of them.

use crate::core::Core;
use crate::counters::SessionCounters;
use crate::{FlushOrder, Policy, Pool, PoolError};
use driver::Backend;
use model::BlockOp;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Hits that are told to a policy at once, where it wants to know their order.
const TOUCHED_MAX: usize = 64;

/// What one thread does with the pool. It is made by [`Pool::session`] and stays with its thread.
#[derive(Debug)]
pub struct Session<'a, P, B> {
    pool: &'a Pool<P, B>,
    counters: Arc<SessionCounters>,
    /// Page and frame of the hits that the policy has not been told of. Also keeps a session to one thread.
    touched: RefCell<Vec<(u32, u32)>>,
}

impl<'a, P: Policy, B: Backend<Op = BlockOp>> Session<'a, P, B> {
    pub(crate) fn new(pool: &'a Pool<P, B>, counters: Arc<SessionCounters>) -> Self {
        let capacity = if P::IN_ORDER { TOUCHED_MAX } else { 0 };
        Self { pool, counters, touched: RefCell::new(Vec::with_capacity(capacity)) }
    }

    /// Finds the page in the pool or reads it into a frame, and keeps it there until the pin is dropped.
    ///
    /// # Errors
    /// [`PoolError`].
    #[inline]
    pub fn pin(&self, page: u32) -> Result<Pinned<'a, P, B>, PoolError> {
        let shared = &self.pool.shared;
        if let Some(frame) = shared.table.get(page)
            && shared.frames.get(frame).pin::<P>(page)
        {
            self.counters.hit();
            if P::IN_ORDER {
                self.touched(page, frame);
            }
            return Ok(Pinned { pool: self.pool, frame, transferred: false });
        }
        self.pin_slowly(page)
    }

    /// The page is not in the pool, or on its way into it.
    #[cold]
    fn pin_slowly(&self, page: u32) -> Result<Pinned<'a, P, B>, PoolError> {
        let shared = &self.pool.shared;
        self.check(page)?;
        let mut core = self.pool.core();
        self.tell(&mut core);
        // Another session may have read it meanwhile, or be reading it: behind the lock that is settled.
        if let Some(frame) = shared.table.get(page)
            && core.end_read(shared, page, frame)?
        {
            let was_ahead = shared.frames.get(frame).take_ahead();
            if was_ahead {
                shared.frames.get(frame).pin_admitted();
            } else {
                // Under the lock no page leaves its frame.
                let pinned = shared.frames.get(frame).pin::<P>(page);
                debug_assert!(pinned, "a resident page can be pinned under the lock");
                self.counters.hit();
            }
            if P::IN_ORDER {
                core.policy.hit(frame);
            }
            return Ok(Pinned { pool: self.pool, frame, transferred: was_ahead });
        }
        let frame = core.begin_read(shared, &self.counters, page, false)?;
        let is_there = core.end_read(shared, page, frame)?;
        debug_assert!(is_there, "a read that somebody waits for succeeds or is told");
        shared.frames.get(frame).pin_admitted();
        Ok(Pinned { pool: self.pool, frame, transferred: true })
    }

    /// Pins a page without reading it: if it is not in the pool, its bytes are whatever was in the frame, and the caller
    /// writes them all.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn create(&self, page: u32) -> Result<Pinned<'a, P, B>, PoolError> {
        let shared = &self.pool.shared;
        self.check(page)?;
        if shared.table.get(page).is_some() {
            return self.pin(page);
        }
        let mut core = self.pool.core();
        self.tell(&mut core);
        if shared.table.get(page).is_some() {
            drop(core);
            return self.pin(page);
        }
        let frame = core.create(shared, &self.counters, page)?;
        Ok(Pinned { pool: self.pool, frame, transferred: true })
    }

    /// Begins to read a page that will be wanted and is not in the pool. Whether it comes is told when it is pinned.
    /// Returns false if the backend takes no further operation now: the page may be asked for again later.
    pub fn read_ahead(&self, page: u32) -> bool {
        let shared = &self.pool.shared;
        if shared.table.get(page).is_some() || page >= shared.table.pages() {
            return true;
        }
        let mut core = self.pool.core();
        self.tell(&mut core);
        if shared.table.get(page).is_some() {
            return true;
        }
        if !core.has_idle() {
            return false;
        }
        // A pin of the page tries again, and says what is wrong.
        let _ = core.begin_read(shared, &self.counters, page, true);
        true
    }

    /// Writes one page to its place in the file if it is in the pool and dirty. Returns whether it was. What is changed
    /// while it is written is written again later.
    ///
    /// # Errors
    /// [`PoolError::Transfer`]: it is dirty still.
    pub fn write_back(&self, page: u32) -> Result<bool, PoolError> {
        self.pool.write_back(page, &self.counters)
    }

    /// Writes every dirty page, as many at a time as the backend takes. Returns how many.
    ///
    /// # Errors
    /// [`PoolError::Transfer`]: what could not be written is dirty still.
    pub fn flush(&self, order: FlushOrder) -> Result<u64, PoolError> {
        self.pool.flush(order, &self.counters)
    }

    fn check(&self, page: u32) -> Result<(), PoolError> {
        let pages = self.pool.shared.table.pages();
        if page < pages { Ok(()) } else { Err(PoolError::NoSuchPage { page, pages }) }
    }

    #[inline]
    fn touched(&self, page: u32, frame: u32) {
        let mut touched = self.touched.borrow_mut();
        touched.push((page, frame));
        if touched.len() == TOUCHED_MAX {
            drop(touched);
            self.tell(&mut self.pool.core());
        }
    }

    /// Tells the policy of the hits that it does not know of.
    fn tell(&self, core: &mut Core<P, B>) {
        for (page, frame) in self.touched.borrow_mut().drain(..) {
            // It may have left since.
            if self.pool.shared.table.get(page) == Some(frame) {
                core.policy.hit(frame);
            }
        }
    }
}

impl<P, B> Drop for Session<'_, P, B> {
    fn drop(&mut self) {
        // Hits that were not told are lost with the session: the policy is a little out of date, and nothing is wrong.
        self.touched.get_mut().clear();
    }
}

/// A page that stays where it is until this is dropped.
#[derive(Debug)]
pub struct Pinned<'a, P, B> {
    pool: &'a Pool<P, B>,
    frame: u32,
    transferred: bool,
}

impl<P, B> Pinned<'_, P, B> {
    /// The page's bytes as words. The pool keeps the page where it is and does not order those who read and change it:
    /// that is its users' business, as a content lock is in PostgreSQL.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        let page_size = self.pool.shared.geometry.page_size as usize;
        self.pool.shared.arena.words(self.frame as usize * page_size, page_size)
    }

    /// Says that the page has been changed, after it was.
    #[inline]
    pub fn set_dirty(&self) {
        self.pool.shared.frames.get(self.frame).set_dirty();
    }

    /// Whether it was read for this pin, or given a frame, and not found in the pool.
    pub fn is_transferred(&self) -> bool {
        self.transferred
    }
}

impl<P, B> Drop for Pinned<'_, P, B> {
    #[inline]
    fn drop(&mut self) {
        self.pool.shared.frames.get(self.frame).unpin();
    }
}
