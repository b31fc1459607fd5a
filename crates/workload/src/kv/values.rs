//! The content of values: ranges of a payload that is generated before the measurement.

use model::units::MIB;
use model::{ValueRange, levels};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The minimum payload, in bytes: no engine's compressor looks back that far, and it fits into the CPU's cache.
pub const PAYLOAD_BYTES_MIN: u64 = MIB;

levels! {
    /// The bytes of values: the parameter `values`.
    pub enum Content {
        /// Bytes that do not compress.
        Random = "random",
        /// One byte, repeated: an engine or a device that compresses is faster with it.
        Constant = "constant",
    }
}

impl Content {
    /// Fills a payload; the same seed gives the same bytes.
    pub fn fill(self, seed: u64, payload: &mut [u8]) {
        match self {
            Self::Random => Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(payload),
            Self::Constant => payload.fill(b'v'),
        }
    }
}

/// Chooses the range of the payload that is an entry's value.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    value_bytes: u32,
    count: u64,
}

impl Values {
    /// Values of this many bytes, at most 2²⁰.
    pub const fn new(value_bytes: u32) -> Self {
        let count = match value_bytes {
            0 => 1,
            bytes => PAYLOAD_BYTES_MIN.div_ceil(bytes as u64),
        };
        Self { value_bytes, count }
    }

    /// Bytes of the payload.
    pub const fn payload_bytes(&self) -> usize {
        (self.count * self.value_bytes as u64) as usize
    }

    /// The value of entry number `index`: the payload's values in turn, then again from the first.
    #[inline]
    pub const fn range(&self, index: u64) -> ValueRange {
        let offset = (index % self.count) as u32 * self.value_bytes;
        ValueRange { offset, length: self.value_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_is_inside_the_payload(value_bytes in 0_u32..=1 << 20, index: u64) {
            let values = Values::new(value_bytes);
            let range = values.range(index);
            prop_assert_eq!(range.length, value_bytes);
            prop_assert!((range.offset + range.length) as usize <= values.payload_bytes());
            prop_assert!(value_bytes == 0 || values.payload_bytes() as u64 >= PAYLOAD_BYTES_MIN);
            prop_assert!(values.payload_bytes() < 2 << 20);
        }
    }

    #[test]
    fn neighbours_have_different_values_and_a_seed_its_own() {
        let values = Values::new(100);
        let mut payload = vec![0; values.payload_bytes()];
        Content::Random.fill(3, &mut payload);
        let bytes = |index: u64| {
            let range = values.range(index);
            payload[range.offset as usize..][..range.length as usize].to_vec()
        };
        assert_ne!(bytes(0), bytes(1));
        assert_eq!(bytes(7), bytes(7 + values.count));
        let mut other = payload.clone();
        Content::Random.fill(4, &mut other);
        assert_ne!(payload, other);
        Content::Constant.fill(4, &mut other);
        assert!(other.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
