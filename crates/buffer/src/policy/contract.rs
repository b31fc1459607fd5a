//! What a policy can see of the frames, and what it decides.

use std::fmt;

/// Largest mark: it has four bits.
pub const MARK_MAX: u8 = 15;

/// The frames as a policy sees them.
pub trait Marks {
    /// Whether the frame cannot be given to another page now: pinned, or its read is in flight.
    fn is_pinned(&self, frame: u32) -> bool;

    fn mark(&self, frame: u32) -> u8;

    /// Changes the frame's mark; one that a pin sets at the same moment may win.
    fn set_mark(&self, frame: u32, mark: u8);

    /// When a page in the frame was last accessed; 0 if never, or if times are not kept ([`Policy::TIMED`]). It may
    /// have been the previous page, before the time of admission.
    fn touched_at(&self, frame: u32) -> u64;
}

/// A replacement policy for a fixed number of frames. A new pool has given none of them to a page.
pub trait Policy: fmt::Debug + Send {
    /// The mark of a frame whose page has just been admitted.
    const ADMITTED: u8;

    /// Whether [`Marks::touched_at`] is needed.
    const TIMED: bool;

    /// A policy for this number of frames.
    fn new(frames: u32) -> Self;

    /// The mark after a hit; `first` if the session did not have the page pinned already.
    fn touched(mark: u8, first: bool) -> u8;

    /// A page has been given the frame, later than every earlier access and admission; the time is 0 unless
    /// [`Policy::TIMED`].
    fn admitted(&mut self, frame: u32, now: u64);

    /// The frame whose page should be evicted; `None` if every frame is pinned. The page is still there: if a session
    /// pins it now, the pool calls this again.
    fn victim(&mut self, marks: &impl Marks) -> Option<u32>;

    /// The page that was in the frame has been evicted.
    fn evicted(&mut self, frame: u32);
}
