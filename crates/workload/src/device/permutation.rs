//! A random order of the blocks of a file, each of them once, without a list of them: a Feistel network over the
//! smallest even number of bits that holds their number. A place beyond the last block is put through again until it is
//! a block (cycle walking: Black and Rogaway, *Ciphers with Arbitrary Finite Domains*, CT-RSA 2002), at most four times
//! on average.

use rand_xoshiro::rand_core::Rng;

/// Four rounds make a permutation that looks random if each round's function does (Luby and Rackoff, 1988).
const ROUNDS: usize = 4;

/// A bijection of 0…count−1, drawn at random.
#[derive(Clone, Copy, Debug)]
pub(super) struct Permutation {
    count: u64,
    /// Bits of each half of a place.
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// An order of `count` blocks, which is at least 1.
    pub(super) fn new(count: u64, random: &mut impl Rng) -> Self {
        let bits = u64::BITS - (count - 1).leading_zeros();
        Self { count, half_bits: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| random.next_u64()) }
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The block that comes after `index` others, which is below `count`.
    #[inline]
    pub(super) fn place(&self, index: u64) -> u64 {
        let mut place = self.enciphered(index);
        while place >= self.count {
            place = self.enciphered(place);
        }
        place
    }

    #[inline]
    fn enciphered(&self, place: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (place >> self.half_bits, place & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mixed(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

/// The finaliser of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014): every bit of the input changes each bit of the
/// output with a probability of about a half.
#[inline]
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    fn permutation(count: u64, seed: u64) -> Permutation {
        Permutation::new(count, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    proptest! {
        #[test]
        fn each_block_has_one_place(count in 1_u64..3000, seed: u64) {
            let order = permutation(count, seed);
            let mut places: Vec<u64> = (0..count).map(|index| order.place(index)).collect();
            places.sort_unstable();
            prop_assert_eq!(places, (0..count).collect::<Vec<_>>());
        }

        #[test]
        fn an_enormous_file_has_no_block_beyond_its_end(count in 1_u64 << 32..1 << 50, seed: u64, index: u64) {
            prop_assert!(permutation(count, seed).place(index % count) < count);
        }
    }

    /// Neither readahead nor a prefetcher of the device sees a stride: steps between neighbours are spread evenly.
    #[test]
    fn neighbours_are_as_far_apart_as_random_ones() {
        let count = 100_000;
        for seed in 0..20 {
            let order = permutation(count, seed);
            let mut tenths = [0_u32; 10];
            for index in 0..count {
                let step = (order.place((index + 1) % count) + count - order.place(index)) % count;
                tenths[(step * 10 / count) as usize] += 1;
            }
            // 10,000 are expected in each, with a standard deviation of 95.
            assert!(tenths.iter().all(|steps| (9_400..10_600).contains(steps)), "seed {seed}: {tenths:?}");
        }
    }
}
