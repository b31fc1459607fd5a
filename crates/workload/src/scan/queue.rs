//! The files of one pass, in its order. Readers take them one by one, and a reader that is done takes the next. A pass
//! therefore ends with the slowest file and not with the slowest share.

use super::levels::Order;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The rest of a pass, shared by all its readers.
#[derive(Debug)]
pub struct FileQueue {
    order: Vec<u32>,
    next: AtomicUsize,
}

impl FileQueue {
    /// The files 0…`files`−1 in this pass's order. The same seed gives the same order.
    pub fn new(files: u32, order: Order, pass: u32, seed: u64) -> Self {
        let mut all: Vec<u32> = (0..files).collect();
        match order {
            Order::Sequential => {}
            Order::Shuffled => {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
                for _ in 0..pass {
                    random.jump();
                }
                // Fisher–Yates, with Lemire's multiply-shift instead of a modulus.
                for last in (1..all.len()).rev() {
                    let drawn = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
                    all.swap(last, drawn as usize);
                }
            }
        }
        Self { order: all, next: AtomicUsize::new(0) }
    }

    /// The next file, once.
    #[inline]
    pub(super) fn take(&self) -> Option<u32> {
        // Readers exchange only this number.
        self.order.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(queue: &FileQueue) -> Vec<u32> {
        std::iter::from_fn(|| queue.take()).collect()
    }

    #[test]
    fn every_pass_takes_every_file_once_and_shuffles_anew() {
        let order = |pass, seed| drain(&FileQueue::new(100, Order::Shuffled, pass, seed));
        for pass in 0..3 {
            let mut files = order(pass, 7);
            files.sort_unstable();
            assert_eq!(files, (0..100).collect::<Vec<_>>());
        }
        assert_ne!(order(0, 7), order(1, 7));
        assert_ne!(order(0, 7), order(0, 8));
        assert_eq!(order(2, 7), order(2, 7));
        assert_eq!(drain(&FileQueue::new(3, Order::Sequential, 1, 7)), [0, 1, 2]);
    }
}
