//! Least recently used: evicts the page whose last pin is the longest ago.
//!
//! Moving a page to the new end of a list at every hit would need a lock, and would take the list's cache lines from
//! the thread that moved the previous page. So a hit only stores its time where no other thread writes, and the search
//! for a victim corrects the order: times in the heap are never later than the true ones, so a frame at the top whose
//! time is true is the oldest. This is exact LRU in the order of the times; the times of one session follow the order
//! of its pins.

use super::heap::Heap;
use super::{Marks, Policy};

/// A session has found the page here; the order does not depend on this mark.
const FOUND_AGAIN: u8 = 1;

/// Frames by the time of their last pin, as far as the heap knows it.
#[derive(Clone, Debug)]
pub struct Lru {
    heap: Heap,
    /// Pinned frames, removed from the heap during one search.
    aside: Vec<(u32, u64)>,
}

impl Policy for Lru {
    const ADMITTED: u8 = 0;
    const TIMED: bool = true;

    fn new(frames: u32) -> Self {
        Self { heap: Heap::new(frames), aside: Vec::with_capacity(frames as usize) }
    }

    #[inline]
    fn touched(_: u8, _: bool) -> u8 {
        FOUND_AGAIN
    }

    fn admitted(&mut self, frame: u32, now: u64) {
        self.heap.insert(frame, now);
    }

    fn victim(&mut self, marks: &impl Marks) -> Option<u32> {
        let mut victim = None;
        while let Some((frame, time)) = self.heap.first() {
            let touched_at = marks.touched_at(frame);
            if touched_at > time {
                self.heap.delay(frame, touched_at);
            } else if marks.is_pinned(frame) {
                self.heap.remove(frame);
                self.aside.push((frame, time));
            } else {
                victim = Some(frame);
                break;
            }
        }
        for (frame, time) in self.aside.drain(..) {
            self.heap.insert(frame, time);
        }
        victim
    }

    fn evicted(&mut self, frame: u32) {
        self.heap.remove(frame);
    }
}
