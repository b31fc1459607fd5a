//! The memory that every operation of a trial reads into and writes from.

use crate::memory::AnonymousMemory;
use model::buffer::{BufferMemory, BufferPages};
use model::mechanism::Measured;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::io;
use std::sync::atomic::AtomicU64;

/// Largest arena in bytes: a `BlockOp` addresses its buffer with 32 bits.
pub const ARENA_BYTES_MAX: usize = 1 << 32;

/// Bytes that [`Arena::fill_compressible`] makes compressible by themselves.
pub const COMPRESSIBLE_UNIT_BYTES: usize = 512;

/// One page-aligned anonymous mapping; a `BlockOp`'s `buffer` is a byte offset in it.
///
/// Backends share the arena behind an [`Arc`](std::sync::Arc) and hand its addresses to the kernel, which reads and
/// writes it at any time until the operation completes. So nothing here hands out plain bytes through a shared
/// reference: filling and looking need `&mut self`, which [`Arc::get_mut`](std::sync::Arc::get_mut) gives only when no
/// backend is left that could have an operation in flight. Meanwhile there are [`words`](Self::words), which may change
/// at any time: through `&Arena` one can learn an address and a length, and read and write whole words atomically; no
/// method makes a plain access.
#[derive(Debug)]
pub struct Arena {
    memory: AnonymousMemory,
}

impl Arena {
    /// `bytes` (rounded up to whole pages) of zeroes in small pages, as a database has them that nobody told otherwise.
    ///
    /// # Errors
    /// As [`with_pages`](Self::with_pages).
    pub fn new(bytes: usize) -> io::Result<Self> {
        Self::with_pages(bytes, BufferPages::Small)
    }

    /// Maps `bytes` (rounded up to whole pages of this kind) of zeroes and makes them resident, so that no page fault
    /// falls into a measurement. Small pages are small whatever the kernel would give by itself; how many huge ones the
    /// kernel could give tells [`memory`](Self::memory).
    ///
    /// # Errors
    /// `InvalidInput` for zero bytes or more than [`ARENA_BYTES_MAX`]; `Unsupported` if huge pages are requested and
    /// the kernel has none; `ENOMEM` if the kernel returns it.
    pub fn with_pages(bytes: usize, pages: BufferPages) -> io::Result<Self> {
        if bytes == 0 || bytes > ARENA_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a buffer arena has 1 to {ARENA_BYTES_MAX} bytes, not {bytes}: lower iodepth or bs"),
            ));
        }
        Ok(Self { memory: AnonymousMemory::resident(bytes, pages)? })
    }

    /// What the kernel says about the arena's pages now.
    pub fn memory(&self) -> Measured<BufferMemory> {
        self.memory.found()
    }

    /// Size in bytes, whole pages.
    pub fn len(&self) -> usize {
        self.memory.bytes()
    }

    /// Never: an arena has at least one page.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills the arena with incompressible data, so that no compressing device or file system makes writes cheap.
    /// The same seed gives the same bytes.
    pub fn fill_random(&mut self, seed: u64) {
        Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(self.all());
    }

    /// Fills the arena with data of which a compressor of small blocks can save about `percent`: the first part of
    /// every [`COMPRESSIBLE_UNIT_BYTES`] is random and the last `percent` are zeroes (above 100 counts as 100). The
    /// same seed gives the same bytes.
    ///
    /// The unit is the smallest sector, so that whatever block a device or a file system compresses holds the share,
    /// as fio's `buffer_compress_chunk` = 512.
    pub fn fill_compressible(&mut self, seed: u64, percent: u64) {
        let random_bytes = COMPRESSIBLE_UNIT_BYTES * (100 - percent.min(100) as usize) / 100;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // The arena is whole pages, so there is no unit that is not whole.
        for unit in self.all().chunks_exact_mut(COMPRESSIBLE_UNIT_BYTES) {
            let (incompressible, zero) = unit.split_at_mut(random_bytes);
            random.fill_bytes(incompressible);
            zero.fill(0);
        }
    }

    /// Fills the arena with zeroes.
    pub fn fill_zero(&mut self) {
        self.all().fill(0);
    }

    /// The `length` bytes from `offset` on.
    ///
    /// # Panics
    /// When the range is not inside the arena.
    pub fn bytes(&mut self, offset: usize, length: usize) -> &mut [u8] {
        &mut self.all()[offset..offset + length]
    }

    /// The `length` bytes from `offset` on as words, which a backend's operations and other threads may change at any
    /// time: what is read meanwhile may be half old and half new, and is never undefined. Both are in bytes and
    /// multiples of eight.
    ///
    /// # Panics
    /// When the range is not inside the arena or not made of whole words.
    #[inline]
    pub fn words(&self, offset: usize, length: usize) -> &[AtomicU64] {
        const WORD: usize = size_of::<AtomicU64>();
        let end = offset.checked_add(length);
        assert!(end.is_some_and(|end| end <= self.len()), "{length} bytes at {offset} are not in the arena");
        assert!(offset.is_multiple_of(WORD) && length.is_multiple_of(WORD), "not whole words");
        // SAFETY: the range was checked to be inside the mapping, whose base is page-aligned, so a word at a multiple
        // of eight is aligned; every bit pattern is a word. The mapping lives as long as `self`. Through `&self` it is
        // accessed as atomics only, `&mut self` excludes this borrow, and the kernel's accesses are outside this
        // program's memory model, as those of another process to shared memory are.
        unsafe { std::slice::from_raw_parts(self.base().add(offset).cast(), length / WORD) }
    }

    fn all(&mut self) -> &mut [u8] {
        // SAFETY: `base` points to `len` initialised (zeroed) bytes that live as long as `self`. `&mut self` proves
        // that no backend holds the arena, and a backend lets go of it only after its last operation has completed,
        // so neither Rust code nor the kernel accesses the range meanwhile.
        unsafe { std::slice::from_raw_parts_mut(self.base(), self.len()) }
    }

    /// The address of a buffer of `length` bytes at byte `offset`, or `None` when it is not all inside the arena.
    #[inline]
    pub(crate) fn address(&self, offset: u32, length: u32) -> Option<*mut u8> {
        let (offset, length) = (offset as usize, length as usize);
        // SAFETY: offset ≤ offset + length ≤ len, so the result is inside the mapping or one past its end.
        (offset + length <= self.len()).then(|| unsafe { self.base().add(offset) })
    }

    #[inline]
    fn base(&self) -> *mut u8 {
        self.memory.base().as_ptr()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_new_arena_is_whole_pages_of_zeroes() {
        let mut arena = Arena::new(5000).unwrap();
        assert_eq!(arena.len() % rustix::param::page_size(), 0);
        let bytes = arena.len();
        assert!(arena.bytes(0, bytes).iter().all(|byte| *byte == 0));
        assert!(!arena.is_empty());
    }

    #[test]
    fn random_bytes_follow_the_seed_and_do_not_repeat() {
        let mut arena = Arena::new(1 << 20).unwrap();
        arena.fill_random(7);
        let first = arena.bytes(0, 1 << 20).to_vec();
        arena.fill_random(7);
        assert_eq!(first, arena.bytes(0, 1 << 20));
        assert!(first.chunks(4096).skip(1).all(|page| page != &first[..4096]));
        let ones: u32 = first.iter().map(|byte| byte.count_ones()).sum();
        assert!((4_180_000..4_210_000).contains(&ones), "{ones} of 8388608 bits are set");
        arena.fill_zero();
        assert_eq!(arena.bytes(4096, 8), [0; 8]);
    }

    #[test]
    fn every_unit_holds_the_share_of_zeroes_that_was_asked_for() {
        let mut arena = Arena::new(1 << 16).unwrap();
        for (percent, random_bytes) in [(0, 512), (25, 384), (50, 256), (99, 5), (100, 0), (u64::MAX, 0)] {
            arena.fill_random(1);
            arena.fill_compressible(7, percent);
            let all = arena.bytes(0, 1 << 16).to_vec();
            let mut ones = 0;
            for unit in all.chunks(COMPRESSIBLE_UNIT_BYTES) {
                assert!(unit[random_bytes..].iter().all(|byte| *byte == 0), "{percent} %");
                ones += unit.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
            }
            // Half of the bits of random data are set.
            let expected = random_bytes * 4 * (all.len() / COMPRESSIBLE_UNIT_BYTES);
            assert!(ones.abs_diff(expected) <= expected / 20, "{percent} %: {ones} bits, not {expected}");
            assert!(percent > 90 || all[..512] != all[512..1024], "units differ");
        }
    }

    #[test]
    fn words_are_the_same_memory_for_every_thread() {
        let mut arena = Arena::new(8192).unwrap();
        std::thread::scope(|scope| {
            for (index, words) in arena.words(4096, 4096).chunks(128).enumerate() {
                let value = (index as u64).to_le();
                scope.spawn(move || words.iter().for_each(|word| word.store(value, Ordering::Relaxed)));
            }
        });
        assert_eq!(arena.words(4096, 4096)[128].load(Ordering::Relaxed), 1_u64.to_le());
        assert_eq!(arena.bytes(4096 + 1024, 2), [1, 0]);
        assert!(arena.words(8192, 0).is_empty());
    }

    #[test]
    #[should_panic(expected = "not in the arena")]
    fn words_end_with_the_arena() {
        let arena = Arena::new(4096).unwrap();
        let _ = arena.words(4088, 16);
    }

    #[test]
    #[should_panic(expected = "not whole words")]
    fn words_are_aligned() {
        let arena = Arena::new(4096).unwrap();
        let _ = arena.words(4, 8);
    }

    #[test]
    fn a_buffer_is_inside_the_arena_or_refused() {
        let arena = Arena::new(8192).unwrap();
        assert!(arena.address(4096, 4096).is_some());
        assert!(arena.address(4096, 4097).is_none());
        assert!(arena.address(u32::MAX, u32::MAX).is_none());
        assert!(Arena::new(0).is_err());
        assert!(Arena::new(ARENA_BYTES_MAX + 1).is_err());
    }
}
