//! Keys as a function of their index and the trial's seed: a hundred million keys need no memory, and any process can
//! compute them.

use model::kv::KEY_BYTES_MAX;
use model::{Key, levels};

/// Shortest key, in bytes: it holds an index.
pub const KEY_BYTES_MIN: usize = 8;

/// 2⁶⁴ ÷ the golden ratio, odd: the step of Steele, Lea and Flood's SplitMix ("Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
const WORDS: usize = KEY_BYTES_MAX / 8;

levels! {
    /// How the order of keys follows from the order of indices: the parameter `key_order`.
    pub enum Order {
        /// The next index is the next key.
        Sequential = "sequential",
        /// Keys are uniformly random, and so is their order.
        Random = "random",
    }
}

/// The keys of a trial. Two indices never have the same key.
#[derive(Clone, Debug)]
pub struct Keys {
    order: Order,
    length: usize,
    /// The start of the generator of each eight bytes.
    starts: [u64; WORDS],
}

impl Keys {
    /// Keys of `length` bytes; a length outside [`KEY_BYTES_MIN`] to [`KEY_BYTES_MAX`] is taken as the nearest one.
    /// Sequential keys are the same for every seed.
    pub fn new(order: Order, length: u32, seed: u64) -> Self {
        let length = (length as usize).clamp(KEY_BYTES_MIN, KEY_BYTES_MAX);
        let starts = std::array::from_fn(|word| mix(seed ^ mix(word as u64 + 1)));
        Self { order, length, starts }
    }

    /// The key of an index.
    ///
    /// A sequential key is zeros, then the index, most significant byte first. In a random key, every eight bytes are
    /// output number `index` of their own SplitMix64. A step, an odd multiple and the mixing are bijections of 64 bits,
    /// so the first eight bytes already differ between any two indices.
    #[inline]
    pub fn key(&self, index: u64) -> Key {
        let mut bytes = [0; KEY_BYTES_MAX];
        match self.order {
            Order::Sequential => {
                bytes[self.length - 8..self.length].copy_from_slice(&index.to_be_bytes());
            }
            Order::Random => {
                let words = bytes.chunks_exact_mut(8).zip(&self.starts).take(self.length.div_ceil(8));
                for (word, start) in words {
                    let state = start.wrapping_add(index.wrapping_mul(STEP));
                    word.copy_from_slice(&mix(state).to_be_bytes());
                }
            }
        }
        Key::new(&bytes[..self.length]).expect("`new` keeps the length between 8 bytes and the most")
    }
}

/// SplitMix64's output function: a bijection in which every bit of the result depends on every bit of the input.
#[inline]
pub(crate) const fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// A thread's share of indices: every `threads`-th, starting at its own number.
#[derive(Clone, Copy, Debug)]
pub struct Stripe {
    thread: u64,
    threads: u64,
}

impl Stripe {
    /// The share of thread number `thread`, which must be below `threads`.
    pub const fn new(thread: u32, threads: u32) -> Self {
        Self { thread: thread as u64, threads: threads as u64 }
    }

    /// The `number`-th index of the share, from 0 on.
    #[inline]
    pub const fn index(&self, number: u64) -> u64 {
        number * self.threads + self.thread
    }

    /// How many of the indices below `total` are in the share.
    pub const fn count(&self, total: u64) -> u64 {
        total / self.threads + (self.thread < total % self.threads) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Vigna's reference implementation (splitmix64.c) with seed 1234567: keys are its outputs, starting with the
    /// second.
    #[test]
    fn words_are_splitmix64() {
        let outputs = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        for (number, output) in (1_u64..).zip(outputs) {
            assert_eq!(mix(number.wrapping_mul(STEP).wrapping_add(1_234_567)), output);
        }
    }

    #[test]
    fn in_sequence_keys_are_ordered_as_indices() {
        for length in [8, 16, 32] {
            let keys = Keys::new(Order::Sequential, length, 7);
            assert!((0..1000).all(|index| keys.key(index) < keys.key(index + 1)));
            assert!(keys.key(u64::MAX - 1) < keys.key(u64::MAX));
            assert_eq!(keys.key(5).as_bytes().len(), length as usize);
        }
    }

    #[test]
    fn at_random_keys_are_uniform_in_every_byte_and_never_the_same() {
        let keys = Keys::new(Order::Random, 24, 7);
        let count = 25_600;
        let mut seen = BTreeSet::new();
        let mut histogram = vec![[0_u32; 256]; 24];
        for index in 0..count {
            let key = keys.key(index);
            for (byte, counts) in key.as_bytes().iter().zip(&mut histogram) {
                counts[usize::from(*byte)] += 1;
            }
            seen.insert(key);
        }
        assert_eq!(seen.len() as u64, count);
        for counts in histogram {
            // Chi-squared with 255 degrees of freedom: mean 255, standard deviation 22.6.
            let squared: f64 = counts.iter().map(|count| (f64::from(*count) - 100.0).powi(2) / 100.0).sum();
            assert!((140.0..400.0).contains(&squared), "{squared}");
        }
    }

    #[test]
    fn seeds_have_keys_of_their_own() {
        let of = |seed| (0..1000).map(|index| Keys::new(Order::Random, 24, seed).key(index)).collect();
        let (one, other): (BTreeSet<Key>, BTreeSet<Key>) = (of(1), of(2));
        assert_eq!(one, of(1));
        assert!(one.is_disjoint(&other));
    }

    proptest! {
        #[test]
        fn even_the_shortest_keys_never_collide(seed: u64, a: u64, b: u64) {
            let keys = Keys::new(Order::Random, 8, seed);
            prop_assert_eq!(keys.key(a) == keys.key(b), a == b);
        }

        #[test]
        fn stripes_share_all_indices_out(threads in 1_u32..20, total in 0_u64..500) {
            let mut all: Vec<u64> = (0..threads)
                .map(|thread| Stripe::new(thread, threads))
                .flat_map(|stripe| (0..stripe.count(total)).map(move |number| stripe.index(number)))
                .collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..total).collect::<Vec<_>>());
        }
    }
}
