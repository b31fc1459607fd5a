//! What objects hold: bytes that follow from a number, so that a client can check what it reads without knowing which
//! client wrote it.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Objects are made of units of this size, from their beginning: what file systems and devices compress and compare.
const UNIT_BYTES: usize = 4096;
/// Different units among those that are duplicates.
const DUPLICATES: u64 = 16;
/// 2⁶⁴ ÷ the golden ratio, odd: it keeps numbers apart whose difference is small.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// How the bytes of objects are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The same seed gives the same bytes.
    pub seed: u64,
    /// Percent of each unit that is zeros, 0–100; the rest does not compress.
    pub compressible: u32,
    /// Percent of the units that are equal to many others, 0–100.
    pub duplicates: u32,
}

type Unit = [u8; UNIT_BYTES];

impl Contents {
    /// Makes the bytes of this content from an offset on.
    pub fn fill(&self, content: u64, offset: u64, bytes: &mut [u8]) {
        let mut unit = [0; UNIT_BYTES];
        let mut at = offset;
        let mut left = bytes;
        while !left.is_empty() {
            let within = (at % UNIT_BYTES as u64) as usize;
            let length = left.len().min(UNIT_BYTES - within);
            let (part, rest) = left.split_at_mut(length);
            match <&mut Unit>::try_from(&mut *part) {
                Ok(whole) => self.make(content, at, whole),
                Err(_) => {
                    self.make(content, at, &mut unit);
                    part.copy_from_slice(&unit[within..within + length]);
                }
            }
            at += length as u64;
            left = rest;
        }
    }

    /// Whether these are the bytes of this content from an offset on.
    pub fn are(&self, content: u64, offset: u64, bytes: &[u8]) -> bool {
        let mut unit = [0; UNIT_BYTES];
        let mut at = offset;
        let mut left = bytes;
        while !left.is_empty() {
            let within = (at % UNIT_BYTES as u64) as usize;
            let (part, rest) = left.split_at(left.len().min(UNIT_BYTES - within));
            self.make(content, at, &mut unit);
            if *part != unit[within..within + part.len()] {
                return false;
            }
            at += part.len() as u64;
            left = rest;
        }
        true
    }

    /// The unit that an offset is in.
    fn make(&self, content: u64, offset: u64, unit: &mut Unit) {
        let number = offset / UNIT_BYTES as u64;
        let stream = self.seed ^ content.wrapping_add(1).wrapping_mul(STEP);
        // The generator is seeded by SplitMix64, which keeps neighbouring streams apart.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(stream.rotate_left(32) ^ number);
        if random.next_u64() % 100 < u64::from(self.duplicates) {
            random = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ (random.next_u64() % DUPLICATES));
        }
        let zeros = UNIT_BYTES * self.compressible.min(100) as usize / 100;
        let (drawn, constant) = unit.split_at_mut(UNIT_BYTES - zeros);
        random.fill_bytes(drawn);
        constant.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const PLAIN: Contents = Contents { seed: 7, compressible: 0, duplicates: 0 };

    fn made(contents: Contents, content: u64, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![1; length];
        contents.fill(content, offset, &mut bytes);
        bytes
    }

    #[test]
    fn a_part_is_the_part_of_the_whole_and_one_wrong_bit_is_seen() {
        let whole = made(PLAIN, 3, 0, 20_000);
        for (offset, length) in [(0, 20_000), (1, 19_999), (4096, 4096), (5000, 1), (8191, 4098), (9, 0)] {
            let part = made(PLAIN, 3, offset as u64, length);
            assert_eq!(part, whole[offset..offset + length], "{offset} {length}");
            assert!(PLAIN.are(3, offset as u64, &part));
            assert!(length == 0 || !PLAIN.are(4, offset as u64, &part) || length == 1);
        }
        for place in [0, 4095, 4096, 19_999] {
            let mut wrong = whole.clone();
            wrong[place] ^= 1;
            assert!(!PLAIN.are(3, 0, &wrong), "{place}");
        }
        assert_ne!(made(PLAIN, 0, 0, 64), made(PLAIN, 1, 0, 64));
        assert_ne!(made(PLAIN, 0, 0, 64), made(PLAIN, 0, 4096, 64));
        assert_ne!(made(PLAIN, 0, 0, 64), made(Contents { seed: 8, ..PLAIN }, 0, 0, 64));
    }

    #[test]
    fn the_shares_of_zeros_and_of_duplicates_are_as_said() {
        let half = Contents { compressible: 25, duplicates: 50, ..PLAIN };
        let units = 4000;
        let bytes = made(half, 5, 0, units * UNIT_BYTES);
        let is_zero = bytes.iter().map(|byte| f64::from(u8::from(*byte == 0)));
        let zeros = is_zero.sum::<f64>() / bytes.len() as f64;
        // A random byte is zero once in 256.
        assert!((zeros - 0.25 - 0.75 / 256.0).abs() < 0.001, "{zeros}");
        let mut seen: BTreeMap<&[u8], usize> = BTreeMap::new();
        for unit in bytes.chunks(UNIT_BYTES) {
            *seen.entry(unit).or_default() += 1;
        }
        let repeated: usize = seen.values().filter(|times| **times > 1).sum();
        // Six standard deviations of a binomial distribution are 190.
        assert!(repeated.abs_diff(units / 2) < 200, "{repeated}");
    }
}
