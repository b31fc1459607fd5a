//! The place of a pin.

use crate::reader::SLOTS;

/// A pin that is counted in the frame, because no slot was free.
pub(super) const COUNTED: u32 = SLOTS;

/// The place of a pin in one word, so that functions pass it in a register. A structure on the stack is written in
/// parts and read as a whole, so every hit would wait for the cache misses of the previous one.
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
    pub(super) fn frame(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(super) fn slot(self) -> u32 {
        ((self.0 & !Self::TRANSFERRED) >> Self::SLOT_SHIFT) as u32
    }

    pub(super) fn is_transferred(self) -> bool {
        self.0 & Self::TRANSFERRED != 0
    }
}
