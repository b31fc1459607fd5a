//! What prepared objects hold: random bytes, which no layer can compress, the same for the same seed.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// An endless stream of random bytes.
#[derive(Clone, Debug)]
pub struct Content(Xoshiro256PlusPlus);

impl Content {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The next bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}
