//! A frame's state in one word: its page, the policy's mark, and the transfer in progress. Pins are in the sessions'
//! own slots (`reader.rs`); the word counts only the pins of sessions that have used all their slots.

use crate::policy::{MARK_MAX, Marks, Policy};
use crate::reader::Reader;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The maximum number of counted pins of a page.
const PINS_MAX: u64 = (1 << 20) - 1;
const MARK_SHIFT: u32 = 20;
const MARK: u64 = (MARK_MAX as u64) << MARK_SHIFT;
/// It has been changed since it was read or written.
const DIRTY: u64 = 1 << 24;
/// Its bytes are the page's.
const READABLE: u64 = 1 << 25;
/// Its read started before any session needed it, and no session has needed it since.
const AHEAD: u64 = 1 << 26;
/// Its bytes are being read.
const READING: u64 = 1 << 27;
const PAGE_SHIFT: u32 = 32;
/// The bits that a pin without the pool's lock compares: this page, readable, and needed before.
const IDENTITY: u64 = !0 << PAGE_SHIFT | READABLE | AHEAD;
/// Neither readable nor pinned: no session finds it, and no policy may choose it.
const EMPTY: u64 = 0;

/// One frame's state, on its own cache line, so that threads that pin neighbours do not slow each other down
/// (PostgreSQL pads its buffer descriptors for the same reason).
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Frame(AtomicU64);

impl Frame {
    /// Whether the frame holds this page, readable and needed before; its bytes were complete before that. A held frame
    /// stays so; see
    /// [`Reader::hold`](crate::reader::Reader::hold) for the memory order.
    #[inline]
    pub(crate) fn is_found(&self, page: u32) -> bool {
        self.0.load(Ordering::Acquire) & IDENTITY == u64::from(page) << PAGE_SHIFT | READABLE
    }

    /// Sets the mark of a hit on a held frame. `first` is whether the session did not have it pinned already. The write
    /// happens only if it changes the mark: most marks soon stop changing, and then the cache line stays shared.
    #[inline]
    pub(crate) fn touch<P: Policy>(&self, first: impl Fn() -> bool) {
        let mut state = self.0.load(Ordering::Relaxed);
        if P::touched(mark(state), true) == mark(state) {
            return;
        }
        let first = first();
        loop {
            let touched = with_mark(state, P::touched(mark(state), first));
            if touched == state {
                return;
            }
            match self.0.compare_exchange_weak(state, touched, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(changed) => state = changed,
            }
        }
    }

    /// Counts a pin if the frame holds this page and it is readable.
    #[cold]
    pub(crate) fn pin(&self, page: u32) -> bool {
        let wanted = u64::from(page) << PAGE_SHIFT | READABLE;
        let mut state = self.0.load(Ordering::Relaxed);
        while state & IDENTITY == wanted {
            assert!(state & PINS_MAX < PINS_MAX, "page {page} has {PINS_MAX} pins already");
            // Acquire: the page's bytes were complete before it became readable.
            match self.0.compare_exchange_weak(state, state + 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(changed) => state = changed,
            }
        }
        false
    }

    /// Removes a counted pin.
    #[cold]
    pub(crate) fn unpin(&self) {
        // Release: changes of the page's bytes are complete before it can be written out or replaced.
        let before = self.0.fetch_sub(1, Ordering::Release);
        debug_assert!(before & PINS_MAX > 0, "unpinned without a pin");
    }

    /// Marks a pinned page as changed. It always writes: a thread that cleans the page at this moment would otherwise
    /// write out the bytes from before the change.
    #[inline]
    pub(crate) fn set_dirty(&self) {
        self.0.fetch_or(DIRTY, Ordering::Release);
    }

    /// Whether it has been changed; marks it as clean.
    pub(crate) fn take_dirty(&self) -> bool {
        self.0.fetch_and(!DIRTY, Ordering::Acquire) & DIRTY != 0
    }

    /// Whether it has been changed.
    pub(crate) fn is_dirty(&self) -> bool {
        self.0.load(Ordering::Relaxed) & DIRTY != 0
    }

    /// Takes the frame from its page, unless a session has it pinned, in the counter or according to `is_held`. From
    /// here on no session finds it.
    pub(crate) fn claim(&self, is_held: impl Fn() -> bool) -> Option<Claimed> {
        let state = self.0.load(Ordering::Relaxed);
        if state & PINS_MAX > 0 || state & READABLE == 0 {
            return None;
        }
        self.0.compare_exchange(state, state & !READABLE, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        if is_held() {
            self.return_claimed();
            return None;
        }
        // A session that had it pinned until now may have changed it.
        let state = self.0.load(Ordering::Acquire);
        Some(Claimed { page: page(state), dirty: state & DIRTY != 0 })
    }

    /// Gives a claimed frame back to its page.
    pub(crate) fn return_claimed(&self) {
        self.0.fetch_or(READABLE, Ordering::Release);
    }

    /// Leaves the frame without a page.
    pub(crate) fn clear(&self) {
        self.0.store(EMPTY, Ordering::Relaxed);
    }

    /// Gives the frame to this page; its read is in flight.
    pub(crate) fn begin_read<P: Policy>(&self, page: u32, ahead: bool) {
        let state = u64::from(page) << PAGE_SHIFT | READING | if ahead { AHEAD } else { 0 };
        self.0.store(with_mark(state, P::ADMITTED), Ordering::Relaxed);
    }

    /// The page's bytes have arrived.
    pub(crate) fn end_read(&self) {
        let before = self.0.fetch_xor(READING | READABLE, Ordering::Release);
        debug_assert!(before & (READING | READABLE) == READING, "no read was in flight");
    }

    /// Counts a pin of a page that nobody can evict now.
    #[cold]
    pub(crate) fn pin_kept(&self) {
        self.0.fetch_add(1, Ordering::Acquire);
    }

    /// Whether no other session has needed the page since it was read.
    pub(crate) fn is_left_behind<P: Policy>(&self) -> bool {
        let state = self.0.load(Ordering::Relaxed);
        state & (PINS_MAX | READABLE | AHEAD) == READABLE && mark(state) <= P::ADMITTED
    }

    /// Whether the page was read ahead and is needed now for the first time.
    pub(crate) fn take_ahead(&self) -> bool {
        self.0.fetch_and(!AHEAD, Ordering::Relaxed) & AHEAD != 0
    }

    /// Whether it holds this page, readable or not.
    pub(crate) fn holds(&self, wanted: u32) -> bool {
        let state = self.0.load(Ordering::Relaxed);
        state & (READING | READABLE) != 0 && page(state) == wanted
    }

    /// Whether its page is readable.
    pub(crate) fn is_readable(&self) -> bool {
        self.0.load(Ordering::Acquire) & READABLE != 0
    }

    /// Its page, if it holds one and the page is dirty.
    pub(crate) fn dirty_page(&self) -> Option<u32> {
        let state = self.0.load(Ordering::Relaxed);
        (state & (DIRTY | READABLE) == DIRTY | READABLE).then(|| page(state))
    }
}

/// A frame taken from its page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claimed {
    /// The page.
    pub(crate) page: u32,
    /// Whether it has to be written out first.
    pub(crate) dirty: bool,
}

/// All frames.
#[derive(Debug)]
pub(crate) struct Frames(pub(crate) Box<[Frame]>);

impl Frames {
    #[inline]
    pub(crate) fn get(&self, frame: u32) -> &Frame {
        &self.0[frame as usize]
    }
}

/// Frames and pins as a policy sees them.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) frames: &'a Frames,
    /// Frames that sessions had pinned a moment ago.
    pub(crate) held: &'a [u32],
    pub(crate) readers: &'a [Arc<Reader>],
}

impl Marks for Seen<'_> {
    fn is_pinned(&self, frame: u32) -> bool {
        let state = self.frames.get(frame).0.load(Ordering::Relaxed);
        state & PINS_MAX > 0 || state & READABLE == 0 || self.held.contains(&frame)
    }

    fn mark(&self, frame: u32) -> u8 {
        mark(self.frames.get(frame).0.load(Ordering::Relaxed))
    }

    fn touched_at(&self, frame: u32) -> u64 {
        self.readers.iter().map(|reader| reader.touched_at(frame)).max().unwrap_or(0)
    }

    fn set_mark(&self, frame: u32, mark: u8) {
        let state = &self.frames.get(frame).0;
        let before = state.load(Ordering::Relaxed);
        // If a pin changes the word at the same moment, the pin's mark is the better one.
        let _ = state.compare_exchange(before, with_mark(before, mark), Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[inline]
fn mark(state: u64) -> u8 {
    ((state & MARK) >> MARK_SHIFT) as u8
}

#[inline]
fn with_mark(state: u64, mark: u8) -> u64 {
    state & !MARK | u64::from(mark.min(MARK_MAX)) << MARK_SHIFT
}

#[inline]
fn page(state: u64) -> u32 {
    (state >> PAGE_SHIFT) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::ClockSweep;

    #[test]
    fn a_pinned_frame_cannot_be_claimed_and_a_claimed_one_not_pinned() {
        let (frame, nobody) = (Frame::default(), || false);
        assert!(!frame.is_found(0) && !frame.pin(0), "an empty frame holds no page, not even page 0");
        frame.begin_read::<ClockSweep>(0, false);
        assert!(
            !frame.is_found(0) && !frame.pin(0) && frame.claim(nobody).is_none(),
            "its read is in flight"
        );
        frame.end_read();
        assert!(frame.is_found(0) && frame.pin(0) && !frame.pin(1));
        assert!(frame.claim(nobody).is_none());
        frame.set_dirty();
        frame.unpin();
        assert!(frame.claim(|| true).is_none() && frame.is_found(0), "a session holds it");
        let claimed = frame.claim(nobody).unwrap();
        assert!(claimed.dirty && claimed.page == 0 && !frame.is_found(0) && !frame.pin(0));
        frame.return_claimed();
        assert!(frame.pin(0) && frame.take_dirty() && !frame.is_dirty());
    }

    /// A change between the claim and the look for pins is written out with the page.
    #[test]
    fn a_page_changed_while_it_is_claimed_is_dirty() {
        let frame = Frame::default();
        frame.begin_read::<ClockSweep>(0, false);
        frame.end_read();
        let changed_and_unpinned = || {
            frame.set_dirty();
            false
        };
        assert!(frame.claim(changed_and_unpinned).unwrap().dirty);
    }

    /// As in PostgreSQL, a session's second pin of a page does not raise the usage count.
    #[test]
    fn a_second_pin_at_a_time_leaves_the_mark() {
        let frames = Frames(Box::new([Frame::default()]));
        let seen = Seen { frames: &frames, held: &[], readers: &[] };
        let frame = frames.get(0);
        frame.begin_read::<ClockSweep>(7, false);
        frame.end_read();
        assert!(seen.mark(0) == 1 && frame.is_left_behind::<ClockSweep>());
        frame.touch::<ClockSweep>(|| true);
        frame.touch::<ClockSweep>(|| false);
        assert!(seen.mark(0) == 2 && !frame.is_left_behind::<ClockSweep>());
        assert!(!seen.is_pinned(0) && Seen { held: &[0], ..seen }.is_pinned(0));
        for _ in 0..9 {
            frame.touch::<ClockSweep>(|| true);
        }
        assert_eq!(seen.mark(0), 5);
    }
}
