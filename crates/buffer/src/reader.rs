//! What a session shows to a thread that looks for a victim: which frames it has pinned, and when it accessed each.
//!
//! A pin that is counted in the frame takes the frame's cache line from every other reader of the page, and then two
//! readers of the same pages are hardly faster than one. So a session writes its pins into its own slots, and a thread
//! that takes a frame from its page looks into the slots of all sessions (hazard pointers: Michael, *Hazard Pointers:
//! Safe Memory Reclamation for Lock-Free Objects*, IEEE TPDS 15, 2004). A hit then writes to no cache line that another
//! thread writes to.
//!
//! Times are Lamport's (*Time, Clocks, and the Ordering of Events in a Distributed System*, CACM 21, 1978): an access
//! is later than the session's previous access and than the last admission; an admission is later than every access
//! that it sees.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Pins that a session keeps in its own slots; further pins are counted in the frame.
pub(crate) const SLOTS: u32 = 16;

/// One session's slots, written by its thread alone. Two cache lines, because the CPU fetches them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Reader {
    /// Frame + 1 by slot; 0 if the slot pins none.
    held: [AtomicU32; SLOTS as usize],
    /// Time of the last access.
    time: AtomicU64,
    /// Time of the last access by frame; empty if the policy needs no times.
    touches: Box<[AtomicU64]>,
}

impl Reader {
    /// Nothing pinned and nothing accessed.
    pub(crate) fn new(touch_frames: u32) -> Self {
        Self {
            held: Default::default(),
            time: AtomicU64::new(0),
            touches: (0..touch_frames).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Pins a frame. The session checks afterwards whether it still holds the page, behind the frequent side of the
    /// pool's [`AsymmetricBarrier`](disk::kernel::barrier::AsymmetricBarrier). Either that check finds the frame taken,
    /// or the thread that took it finds the pin behind the rare side.
    #[inline]
    pub(crate) fn hold(&self, slot: u32, frame: u32) {
        // Release: a thread that finds this pin in the slot must see what was done under the previous pin. The previous
        // pin's release orders nothing for a look that is too late to find that pin.
        self.held[slot as usize].store(frame + 1, Ordering::Release);
    }

    #[inline]
    pub(crate) fn release(&self, slot: u32) {
        // Release: changes of the page's bytes are complete before it can be written out or replaced.
        self.held[slot as usize].store(0, Ordering::Release);
    }

    pub(crate) fn release_all(&self) {
        (0..SLOTS).for_each(|slot| self.release(slot));
    }

    /// Whether this session has the frame pinned.
    pub(crate) fn holds(&self, frame: u32) -> bool {
        // Acquire: changes of the page's bytes before a pin was removed are complete.
        self.held.iter().any(|held| held.load(Ordering::Acquire) == frame + 1)
    }

    /// Whether a slot pins the frame.
    pub(crate) fn holds_in(&self, slot: u32, frame: u32) -> bool {
        self.held[slot as usize].load(Ordering::Relaxed) == frame + 1
    }

    /// Frames that this session has pinned.
    pub(crate) fn held(&self) -> impl Iterator<Item = u32> {
        self.held.iter().filter_map(|held| held.load(Ordering::Relaxed).checked_sub(1))
    }

    /// Records that the frame's page was accessed after `now`.
    #[inline]
    pub(crate) fn touch(&self, frame: u32, now: u64) {
        let time = self.time().max(now) + 1;
        self.time.store(time, Ordering::Relaxed);
        self.touches[frame as usize].store(time, Ordering::Relaxed);
    }

    /// Time of the last access.
    #[inline]
    pub(crate) fn time(&self) -> u64 {
        self.time.load(Ordering::Relaxed)
    }

    /// When the frame was last accessed; 0 if never.
    pub(crate) fn touched_at(&self, frame: u32) -> u64 {
        self.touches.get(frame as usize).map_or(0, |touch| touch.load(Ordering::Relaxed))
    }
}
