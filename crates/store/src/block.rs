//! Memory that direct I/O accepts.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Offsets, lengths and addresses of direct I/O are multiples of this many bytes. Every device takes 4 KiB; the store
/// checks when it opens that this one does.
pub const BLOCK_BYTES: usize = 4096;

/// Bytes whose first address is a multiple of [`BLOCK_BYTES`].
#[derive(Debug)]
pub(crate) struct AlignedBuffer {
    memory: Vec<u8>,
    /// Where the first block begins. A vector that is moved keeps its memory where it is, and this one never grows.
    start: usize,
    bytes: usize,
}

impl AlignedBuffer {
    /// Without bytes it takes no memory.
    pub(crate) fn zeroed(bytes: usize) -> Self {
        if bytes == 0 {
            return Self { memory: Vec::new(), start: 0, bytes };
        }
        let memory = vec![0; bytes + BLOCK_BYTES];
        let start = memory.as_ptr().align_offset(BLOCK_BYTES);
        Self { memory, start, bytes }
    }

    /// Makes room for at least this number of bytes. What was there is lost if the buffer has to grow.
    pub(crate) fn require(&mut self, bytes: usize) -> &mut [u8] {
        if self.bytes < bytes {
            *self = Self::zeroed(bytes.next_multiple_of(BLOCK_BYTES));
        }
        &mut self[..bytes]
    }
}

impl Default for AlignedBuffer {
    fn default() -> Self {
        Self::zeroed(0)
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.bytes]
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.bytes]
    }
}

/// `bytes` rounded up to whole blocks.
pub(crate) const fn whole_blocks(bytes: usize) -> usize {
    bytes.next_multiple_of(BLOCK_BYTES)
}

/// Buffers that a thread keeps for its next reads, how many and of at most how many bytes: to allocate and to clear
/// memory would take longer than a copy of a page.
const SPARES_MAX: usize = 16;
const SPARE_BYTES_MAX: usize = 128 << 10;

thread_local! {
    static SPARES: RefCell<Vec<AlignedBuffer>> = const { RefCell::new(Vec::new()) };
}

impl AlignedBuffer {
    /// A buffer of this thread that nobody uses, of any size and content.
    pub(crate) fn spare() -> Self {
        SPARES.with_borrow_mut(Vec::pop).unwrap_or_default()
    }

    /// Leaves the buffer to a later user of this thread.
    pub(crate) fn give_back(self) {
        if (1..=SPARE_BYTES_MAX).contains(&self.bytes) {
            SPARES.with_borrow_mut(|spares| {
                if spares.len() < SPARES_MAX {
                    spares.push(self);
                }
            });
        }
    }
}

/// Lends this thread's buffer, with room for at least `bytes` bytes. Their content is unspecified.
pub(crate) fn with_page_buffer<R>(bytes: usize, work: impl FnOnce(&mut [u8]) -> R) -> R {
    let mut buffer = AlignedBuffer::spare();
    let done = work(buffer.require(bytes));
    buffer.give_back();
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_at_a_block_wherever_they_are_moved() {
        let buffers: Vec<AlignedBuffer> = (1..20).map(|blocks| AlignedBuffer::zeroed(blocks * 777)).collect();
        for buffer in buffers {
            assert_eq!(buffer.as_ptr() as usize % BLOCK_BYTES, 0);
        }
        with_page_buffer(5000, |page| {
            assert_eq!((page.as_ptr() as usize % BLOCK_BYTES, page.len()), (0, 5000));
            page.fill(1);
            with_page_buffer(4096, |other| other.fill(2));
            assert!(page.iter().all(|byte| *byte == 1));
        });
    }
}
