//! What a policy sees of the frames, and what it answers.

use std::fmt;

/// Largest mark: it has four bits.
pub const MARK_MAX: u8 = 15;

/// The frames as a policy sees them.
pub trait Marks {
    /// Whether the frame cannot be given to another page now: pinned, or its read is in flight.
    fn is_pinned(&self, frame: u32) -> bool;

    /// The frame's mark.
    fn mark(&self, frame: u32) -> u8;

    /// Changes the frame's mark; one that a pin sets at the same moment may win.
    fn set_mark(&self, frame: u32, mark: u8);

    /// When a page in the frame was last asked for; 0 if never, and where times are not kept ([`Policy::TIMED`]). It may
    /// have been the page before, earlier than the time of admission.
    fn touched_at(&self, frame: u32) -> u64;
}

/// A replacement policy for a fixed number of frames. A new pool has given none of them to a page.
pub trait Policy: fmt::Debug + Send {
    /// The mark of a frame whose page has just been admitted.
    const ADMITTED: u8;

    /// Whether [`Marks::touched_at`] is needed.
    const TIMED: bool;

    /// A policy for so many frames.
    fn new(frames: u32) -> Self;

    /// The mark after a hit; `first` if the session had the page not pinned already.
    fn touched(mark: u8, first: bool) -> u8;

    /// A page has been given the frame, later than every touch and admission before; the time is 0 unless
    /// [`Policy::TIMED`].
    fn admitted(&mut self, frame: u32, now: u64);

    /// The frame whose page should leave; `None` when every frame is pinned. It has not left yet: if somebody pins it
    /// now, the pool asks again.
    fn victim(&mut self, marks: &impl Marks) -> Option<u32>;

    /// The page that was in the frame has left.
    fn evicted(&mut self, frame: u32);
}
