//! SIEVE (Zhang, Yang, Yue, Vigfusson & Rashmi, *SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction Algorithm
//! for Web Caches*, NSDI 2024).
//!
//! Pages are kept in the order of their arrival and never move. A hit only marks a page as visited. The hand goes from
//! the oldest page to the newest and round again: a visited page loses its mark and stays; the first unvisited page is
//! evicted. The hand stays at that place, so it reaches the pages that arrived later before the pages that survived.

use super::queue::Queue;
use super::{Marks, Policy};

const VISITED: u8 = 1;

/// Pages in order of arrival, and the hand.
#[derive(Clone, Debug)]
pub struct Sieve {
    queue: Queue,
    /// The next page to look at; `None` is the oldest.
    hand: Option<u32>,
    frames: u32,
}

impl Policy for Sieve {
    const ADMITTED: u8 = 0;
    const TIMED: bool = false;

    fn new(frames: u32) -> Self {
        Self { queue: Queue::new(frames), hand: None, frames }
    }

    #[inline]
    fn touched(_: u8, _: bool) -> u8 {
        VISITED
    }

    fn admitted(&mut self, frame: u32, _: u64) {
        self.queue.push(frame);
    }

    fn victim(&mut self, marks: &impl Marks) -> Option<u32> {
        let mut passes_left = self.frames;
        let mut frame = self.hand.or_else(|| self.queue.oldest())?;
        while passes_left > 0 {
            if marks.is_pinned(frame) {
                passes_left -= 1;
            } else if marks.mark(frame) == VISITED {
                marks.set_mark(frame, 0);
                passes_left = self.frames;
            } else {
                self.hand = Some(frame);
                return Some(frame);
            }
            frame = self.queue.newer(frame).or_else(|| self.queue.oldest())?;
        }
        self.hand = Some(frame);
        None
    }

    fn evicted(&mut self, frame: u32) {
        if self.hand == Some(frame) {
            self.hand = self.queue.newer(frame);
        }
        self.queue.remove(frame);
    }
}
