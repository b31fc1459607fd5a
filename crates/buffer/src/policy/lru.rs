//! Least recently used: the page whose last pin is longest ago leaves.
//!
//! Every hit moves a page to the new end of a list, which no thread can do beside another. So hits are told in batches,
//! as in BP-Wrapper (Ding, Jiang & Zhang, *BP-Wrapper: A System Framework Making Any Replacement Algorithms (Almost) Lock
//! Contention Free*, ICDE 2009): one session's order is exact, that of several sessions holds batch by batch.

use super::queue::Queue;
use super::{Marks, Policy};

/// Pages in the order of their last pins.
#[derive(Clone, Debug)]
pub struct Lru {
    queue: Queue,
}

impl Policy for Lru {
    const ADMITTED: u8 = 0;
    const IN_ORDER: bool = true;

    fn new(frames: u32) -> Self {
        Self { queue: Queue::new(frames) }
    }

    #[inline]
    fn touched(mark: u8, _: bool) -> u8 {
        mark
    }

    fn hit(&mut self, frame: u32) {
        self.queue.remove(frame);
        self.queue.push(frame);
    }

    fn admitted(&mut self, frame: u32) {
        self.queue.push(frame);
    }

    fn victim(&mut self, marks: &impl Marks) -> Option<u32> {
        let mut frames = std::iter::successors(self.queue.oldest(), |frame| self.queue.newer(*frame));
        frames.find(|frame| !marks.is_pinned(*frame))
    }

    fn evicted(&mut self, frame: u32) {
        self.queue.remove(frame);
    }
}
