//! A page that is pinned, and where the pin is.

use super::{COUNTED, Session};
use std::sync::atomic::AtomicU64;

/// Where a pin is, in one word, so that it goes from function to function in a register: of a structure on the stack that is
/// written in parts and read as a whole, every hit would wait for the cache misses of the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(u64);

impl Place {
    const SLOT_SHIFT: u32 = 32;
    const TRANSFERRED: u64 = 1 << 63;

    #[inline]
    pub(super) fn new(frame: u32, slot: u32, transferred: bool) -> Self {
        let transferred = if transferred { Self::TRANSFERRED } else { 0 };
        Self(u64::from(frame) | u64::from(slot) << Self::SLOT_SHIFT | transferred)
    }

    #[inline]
    fn frame(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    fn slot(self) -> u32 {
        ((self.0 & !Self::TRANSFERRED) >> Self::SLOT_SHIFT) as u32
    }

    fn is_transferred(self) -> bool {
        self.0 & Self::TRANSFERRED != 0
    }
}

/// A page that stays where it is until this is dropped.
#[derive(Debug)]
pub struct Pinned<'a, P, B> {
    pub(super) session: &'a Session<'a, P, B>,
    pub(super) place: Place,
}

impl<P, B> Pinned<'_, P, B> {
    /// The page's bytes as words. The pool keeps the page where it is and does not order those who read and change it:
    /// that is its users' business, as a content lock is in PostgreSQL.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        let shared = &self.session.pool.shared;
        let page_size = shared.geometry.page_size as usize;
        shared.arena.words(self.place.frame() as usize * page_size, page_size)
    }

    /// Says that the page has been changed, after it was.
    #[inline]
    pub fn set_dirty(&self) {
        self.session.pool.shared.frames.get(self.place.frame()).set_dirty();
    }

    /// Whether it was read for this pin, or given a frame, and not found in the pool.
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
