//! PostgreSQL's clock sweep, as in its local buffers (`GetLocalVictimBuffer`, `LocalBufferAlloc` and `PinLocalBuffer`
//! in `localbuf.c` of PostgreSQL 18). `StrategyGetBuffer` in `freelist.c` does the same for shared buffers, where large
//! scans use rings: [`Session::in_ring`](crate::Session::in_ring).
//!
//! A page starts with a usage count of one. A pin raises it, up to five, if the session does not have the page pinned
//! already (`LocalRefCount`; `PrivateRefCount` for shared buffers). The hand advances before it looks. It skips a
//! pinned frame, lowers a count above zero, and returns a frame with count zero as the victim. A scan of more pages
//! than frames that pins each page once therefore finds the frames in the order in which they were filled: it evicts
//! exactly the pages that it will need soonest.

use super::{Marks, Policy};

/// `BM_MAX_USAGE_COUNT`.
const USAGE_COUNT_MAX: u8 = 5;

/// A hand that goes round the frames.
#[derive(Clone, Debug)]
pub struct ClockSweep {
    frames: u32,
    /// The next frame to look at.
    hand: u32,
}

impl Policy for ClockSweep {
    const ADMITTED: u8 = 1;
    const TIMED: bool = false;

    fn new(frames: u32) -> Self {
        Self { frames, hand: 0 }
    }

    #[inline]
    fn touched(mark: u8, first: bool) -> u8 {
        if first && mark < USAGE_COUNT_MAX { mark + 1 } else { mark }
    }

    /// The hand passed the frame when it was empty, as it would have passed it after filling it.
    fn admitted(&mut self, _: u32, _: u64) {}

    fn victim(&mut self, marks: &impl Marks) -> Option<u32> {
        // After this number of pinned frames in a row, with no count lowered between them, nothing can change any more.
        let mut passes_left = self.frames;
        while passes_left > 0 {
            let frame = self.hand;
            self.hand = if frame + 1 < self.frames { frame + 1 } else { 0 };
            if marks.is_pinned(frame) {
                passes_left -= 1;
                continue;
            }
            match marks.mark(frame) {
                0 => return Some(frame),
                usage => {
                    marks.set_mark(frame, usage - 1);
                    passes_left = self.frames;
                }
            }
        }
        None
    }

    fn evicted(&mut self, _: u32) {}
}
