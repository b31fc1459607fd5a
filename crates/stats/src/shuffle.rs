//! Random orders.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// The Fisher–Yates shuffle: every order is equally likely, and the same numbers give the same order in every version.
pub fn shuffle<T>(items: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        // Lemire's multiply-shift: uniform to within 2⁻⁶⁴ × length, without a division.
        let other = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        items.swap(last, other);
    }
}
