//! A few frames that a large scan uses over and over: PostgreSQL's buffer access strategy `BAS_BULKREAD` (`freelist.c`,
//! `GetBufferFromRing`; why is in `src/backend/storage/buffer/README`).
//!
//! A page that a scan has left behind is not needed again soon, and its frame is still in the processor's cache: what is
//! copied into it next costs no misses. So a scan neither displaces what others use nor walks through all the pool's memory.

/// PostgreSQL's size of a ring for reading, in bytes: it fits into a processor's second-level cache.
const RING_BYTES: u32 = 256 << 10;

/// Frames in the order in which a scan takes them.
#[derive(Debug)]
pub(crate) struct Ring {
    frames: Vec<u32>,
    frames_max: usize,
    /// Index of the frame that is taken next, once there are as many as there may be.
    next: usize,
}

impl Ring {
    /// A ring of [`RING_BYTES`] and of twice what is read ahead, but of no more than an eighth of the pool.
    pub(crate) fn new(pool_frames: u32, page_size: u32, in_flight_max: usize) -> Self {
        let wanted = (RING_BYTES / page_size) as usize + 2 * in_flight_max;
        let frames_max = wanted.min(pool_frames as usize / 8).max(1);
        Self { frames: Vec::with_capacity(frames_max), frames_max, next: 0 }
    }

    /// The frame whose turn it is, if all of the ring's are in use.
    pub(crate) fn due(&self) -> Option<u32> {
        if self.frames.len() < self.frames_max { None } else { self.frames.get(self.next).copied() }
    }

    /// A frame has been taken in the place of the one whose turn it was, which may be the same one.
    pub(crate) fn took(&mut self, frame: u32) {
        if self.frames.len() < self.frames_max {
            self.frames.push(frame);
            return;
        }
        self.frames[self.next] = frame;
        self.next = (self.next + 1) % self.frames_max;
    }
}
