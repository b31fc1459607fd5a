//! PostgreSQL's clock sweep, as its local buffers have it (`GetLocalVictimBuffer`, `LocalBufferAlloc` and
//! `PinLocalBuffer` in `localbuf.c` of PostgreSQL 18; `StrategyGetBuffer` in `freelist.c` does the same for shared
//! buffers, where large scans get rings: [`Session::in_ring`](crate::Session::in_ring)).
//!
//! A page comes in with a usage count of one. A pin raises it, up to five, if the session has the page not pinned
//! already (`LocalRefCount`; `PrivateRefCount` of shared buffers). The hand moves on before it looks: a pinned frame is
//! passed over, a count above zero is lowered, a count of zero is the victim. So a scan of more pages than frames, each
//! pinned once, finds the frames in the order in which they were filled: it evicts just what it will need soonest.

use super::{Marks, Policy};

/// `BM_MAX_USAGE_COUNT`.
const USAGE_COUNT_MAX: u8 = 5;

/// A hand that goes round the frames.
#[derive(Clone, Debug)]
pub struct ClockSweep {
    frames: u32,
    /// The frame that is looked at next.
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

    /// The hand passed the frame when it was empty, as it would have if it had found it there.
    fn admitted(&mut self, _: u32, _: u64) {}

    fn victim(&mut self, marks: &impl Marks) -> Option<u32> {
        // Pinned frames in a row, with none lowered between: as many as there are, and nothing will change any more.
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
