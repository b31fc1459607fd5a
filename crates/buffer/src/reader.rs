//! What a session shows to those who look for a victim: which frames it has pinned, and when it touched which.
//!
//! A pin that is counted in the frame takes the frame's cache line from every other reader of the page, and two readers of
//! the same pages are hardly faster than one. So a session writes its pins into slots of its own, and whoever takes a frame
//! from its page looks into everybody's (hazard pointers: Michael, *Hazard Pointers: Safe Memory Reclamation for Lock-Free
//! Objects*, IEEE TPDS 15, 2004). A hit then writes to no line that another thread writes to.
//!
//! Times are Lamport's (*Time, Clocks, and the Ordering of Events in a Distributed System*, CACM 21, 1978): a touch is later
//! than the session's one before and than the last admission; an admission is later than every touch that is seen then.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Pins that a session keeps to itself; those beyond are counted in the frame.
pub(crate) const SLOTS: u32 = 16;

/// One session's, written by its thread alone. Two cache lines, as they are fetched in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Reader {
    /// Frame + 1 by slot; 0 where none is pinned.
    held: [AtomicU32; SLOTS as usize],
    /// Time of the last touch.
    time: AtomicU64,
    /// Time of the last touch by frame; empty where no policy asks.
    touches: Box<[AtomicU64]>,
}

impl Reader {
    /// Nothing pinned and nothing touched.
    pub(crate) fn new(touch_frames: u32) -> Self {
        Self {
            held: Default::default(),
            time: AtomicU64::new(0),
            touches: (0..touch_frames).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Pins a frame. Whether it still holds the page is looked at afterwards, behind the frequent side of the pool's
    /// [`AsymmetricBarrier`](disk::kernel::barrier::AsymmetricBarrier): either that look finds the frame taken, or who took
    /// it finds the pin behind the rare side.
    #[inline]
    pub(crate) fn hold(&self, slot: u32, frame: u32) {
        // Release: who finds this pin in the slot must not miss what was done under the one before. That one's release alone
        // orders nothing for a look that comes too late to find it.
        self.held[slot as usize].store(frame + 1, Ordering::Release);
    }

    /// Takes a pin back.
    #[inline]
    pub(crate) fn release(&self, slot: u32) {
        // Release: what was done to the page's bytes is done before it can be written out or replaced.
        self.held[slot as usize].store(0, Ordering::Release);
    }

    /// Takes all pins back.
    pub(crate) fn release_all(&self) {
        (0..SLOTS).for_each(|slot| self.release(slot));
    }

    /// Whether the frame is pinned here.
    pub(crate) fn holds(&self, frame: u32) -> bool {
        // Acquire: what was done to the page's bytes before a pin was taken back is done.
        self.held.iter().any(|held| held.load(Ordering::Acquire) == frame + 1)
    }

    /// Whether a slot pins the frame.
    pub(crate) fn holds_in(&self, slot: u32, frame: u32) -> bool {
        self.held[slot as usize].load(Ordering::Relaxed) == frame + 1
    }

    /// Frames that are pinned here.
    pub(crate) fn held(&self) -> impl Iterator<Item = u32> {
        self.held.iter().filter_map(|held| held.load(Ordering::Relaxed).checked_sub(1))
    }

    /// Notes that the frame's page was asked for after `now`.
    #[inline]
    pub(crate) fn touch(&self, frame: u32, now: u64) {
        let time = self.time().max(now) + 1;
        self.time.store(time, Ordering::Relaxed);
        self.touches[frame as usize].store(time, Ordering::Relaxed);
    }

    /// Time of the last touch.
    #[inline]
    pub(crate) fn time(&self) -> u64 {
        self.time.load(Ordering::Relaxed)
    }

    /// When the frame was touched last; 0 if never.
    pub(crate) fn touched_at(&self, frame: u32) -> u64 {
        self.touches.get(frame as usize).map_or(0, |touch| touch.load(Ordering::Relaxed))
    }
}
