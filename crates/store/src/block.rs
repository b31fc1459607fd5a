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
    pub(crate) fn zeroed(bytes: usize) -> Self {
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

thread_local! {
    static PAGE: RefCell<AlignedBuffer> = RefCell::new(AlignedBuffer::zeroed(0));
}

/// Lends this thread's buffer, with room for at least `bytes` bytes. Their content is unspecified.
pub(crate) fn with_page_buffer<R>(bytes: usize, work: impl FnOnce(&mut [u8]) -> R) -> R {
    PAGE.with_borrow_mut(|buffer| work(buffer.require(bytes)))
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
        });
    }
}
