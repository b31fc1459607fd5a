//! Memory of one owner that goes back to the kernel when it is dropped, whatever the program's allocator would keep.

use crate::memory::AnonymousMemory;
use model::buffer::BufferPages;
use std::io;

/// A mapping of its own, zeroes at first. A page of it takes memory once it has been written to.
#[derive(Debug)]
pub struct Region(AnonymousMemory);

impl Region {
    /// At least this number of bytes, whole pages.
    ///
    /// # Errors
    /// `InvalidInput` for zero bytes; `ENOMEM` if the kernel returns it.
    pub fn new(bytes: usize) -> io::Result<Self> {
        if bytes == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a region has at least one byte"));
        }
        AnonymousMemory::untouched(bytes, BufferPages::Small).map(Self)
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is that long and was initialised by the kernel, with zeroes. It lives as long as `self`,
        // which alone knows its address: only `&mut self` writes to it.
        unsafe { std::slice::from_raw_parts(self.0.base().as_ptr(), self.0.bytes()) }
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and `&mut self` excludes every other access.
        unsafe { std::slice::from_raw_parts_mut(self.0.base().as_ptr(), self.0.bytes()) }
    }

    /// The same as words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        // SAFETY: as for `bytes`; a mapping begins at a page and has whole pages, and every bit pattern is a word.
        unsafe {
            std::slice::from_raw_parts(self.0.base().as_ptr().cast(), self.0.bytes() / size_of::<u64>())
        }
    }

    /// The same as words.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        let words = self.0.bytes() / size_of::<u64>();
        // SAFETY: as for `words`, and `&mut self` excludes every other access.
        unsafe { std::slice::from_raw_parts_mut(self.0.base().as_ptr().cast(), words) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn a_region_has_zeroes_then_what_was_written_as_bytes_and_as_words() {
        let mut region = Region::new(5000).unwrap();
        assert!(region.bytes().len() >= 5000 && region.bytes().iter().all(|byte| *byte == 0));
        region.words_mut()[1] = u64::from_ne_bytes(*b"12345678");
        region.bytes_mut()[16] = b'9';
        assert_eq!(&region.bytes()[7..18], b"\x00123456789\x00");
        assert_eq!(region.words()[1], u64::from_ne_bytes(*b"12345678"));
        assert_eq!(region.words().len() * 8, region.bytes().len());
        assert!(Region::new(0).is_err());
    }
}
