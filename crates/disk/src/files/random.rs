//! Random, incompressible content, the same for the same seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// An endless stream of random bytes.
pub(super) struct RandomContent(Xoshiro256PlusPlus);

impl RandomContent {
    pub(super) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub(super) fn fill(&mut self, chunk: &mut [u8]) {
        self.0.fill_bytes(chunk);
    }
}
