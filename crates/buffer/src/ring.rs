//! A few frames that a large scan uses repeatedly: PostgreSQL's buffer access strategy `BAS_BULKREAD` (`freelist.c`,
//! `GetBufferFromRing`; `src/backend/storage/buffer/README` gives the reasons).
//!
//! A page that a scan has passed is not needed again soon, and its frame is still in the CPU's cache, so copying the
//! next page into it causes no misses. A scan therefore neither displaces the pages that others use nor walks through
//! all of the pool's memory.

/// PostgreSQL's size of a ring for reading, in bytes: it fits into a CPU's second-level cache.
const RING_BYTES: u32 = 256 << 10;

/// Frames in the order in which a scan takes them.
#[derive(Debug)]
pub(crate) struct Ring {
    frames: Vec<u32>,
    frames_max: usize,
    /// Index of the next frame, once the ring is full.
    next: usize,
}

impl Ring {
    /// A ring of [`RING_BYTES`] plus twice the read-ahead, but at most an eighth of the pool.
    pub(crate) fn new(pool_frames: u32, page_size: u32, in_flight_max: usize) -> Self {
        let wanted = (RING_BYTES / page_size) as usize + 2 * in_flight_max;
        let frames_max = wanted.min(pool_frames as usize / 8).max(1);
        Self { frames: Vec::with_capacity(frames_max), frames_max, next: 0 }
    }

    /// The next frame, if the ring is full.
    pub(crate) fn due(&self) -> Option<u32> {
        if self.frames.len() < self.frames_max { None } else { self.frames.get(self.next).copied() }
    }

    /// A frame has been taken in the place of the next one; it may be the same frame.
    pub(crate) fn took(&mut self, frame: u32) {
        if self.frames.len() < self.frames_max {
            self.frames.push(frame);
            return;
        }
        self.frames[self.next] = frame;
        self.next = (self.next + 1) % self.frames_max;
    }
}
