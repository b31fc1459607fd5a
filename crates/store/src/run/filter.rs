//! What is in memory to avoid reads of keys that a run does not have: binary fuse filters (Graf and Lemire, "Binary
//! Fuse Filters: Fast and Smaller Than Xor Filters", 2022), built by the crate `xorf`.

use crate::codec::Decoder;
use crate::options::FilterKind;
use xorf::{BinaryFuse8, BinaryFuse16, Descriptor, Filter as _};

/// Bytes of seed, segment length, and segments times segment length.
const DESCRIPTOR_BYTES: usize = 16;

/// The filter of keys of a run.
#[derive(Debug)]
pub(crate) enum Filter {
    None,
    Fuse8(BinaryFuse8),
    Fuse16(BinaryFuse16),
}

impl Filter {
    /// Builds a filter from the hashes of all keys. Distinct keys have distinct hashes but for one chance in 2⁶⁴ a
    /// pair; then, and if no seed works, there is no filter.
    pub(super) fn build(kind: FilterKind, hashes: &mut Vec<u64>) -> Self {
        if hashes.is_empty() {
            return Self::None;
        }
        if cfg!(debug_assertions) {
            // The crate checks in debug builds what it only requires otherwise.
            hashes.sort_unstable();
            hashes.dedup();
        }
        match kind {
            FilterKind::None => Self::None,
            FilterKind::Fuse8 => BinaryFuse8::try_from(&*hashes).map_or(Self::None, Self::Fuse8),
            FilterKind::Fuse16 => BinaryFuse16::try_from(&*hashes).map_or(Self::None, Self::Fuse16),
        }
    }

    /// Whether there may be a key of this hash.
    #[inline]
    pub(crate) fn may_contain(&self, hash: u64) -> bool {
        match self {
            Self::None => true,
            Self::Fuse8(filter) => filter.contains(&hash),
            Self::Fuse16(filter) => filter.contains(&hash),
        }
    }

    /// Memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Fuse8(filter) => filter.len(),
            Self::Fuse16(filter) => 2 * filter.len(),
        }
    }

    pub(super) fn fingerprints(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Fuse8(filter) => filter.len(),
            Self::Fuse16(filter) => filter.len(),
        }
    }

    /// Bytes that [`encode`](Self::encode) appends.
    pub(super) fn encoded_bytes(&self) -> usize {
        match self {
            Self::None => 1,
            Self::Fuse8(_) | Self::Fuse16(_) => 1 + DESCRIPTOR_BYTES + self.bytes(),
        }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let mut descriptor = |kind: u8, descriptor: &Descriptor| {
            out.push(kind);
            out.extend_from_slice(&descriptor.seed.to_le_bytes());
            out.extend_from_slice(&descriptor.segment_length.to_le_bytes());
            out.extend_from_slice(&descriptor.segment_count_length.to_le_bytes());
        };
        match self {
            Self::None => out.push(0),
            Self::Fuse8(filter) => {
                descriptor(8, &filter.descriptor);
                out.extend_from_slice(&filter.fingerprints);
            }
            Self::Fuse16(filter) => {
                descriptor(16, &filter.descriptor);
                out.extend(filter.fingerprints.iter().flat_map(|fingerprint| fingerprint.to_le_bytes()));
            }
        }
    }

    /// `None` if the bytes are not a filter.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(bytes);
        let kind = decoder.u8()?;
        if kind == 0 {
            return decoder.is_empty().then_some(Self::None);
        }
        let (seed, segment_length, segment_count_length) = (decoder.u64()?, decoder.u32()?, decoder.u32()?);
        // What the crate relies on: three segments in a row are inside the fingerprints.
        let has_shape = segment_length.is_power_of_two()
            && segment_count_length > 0
            && segment_count_length.is_multiple_of(segment_length);
        let fingerprints = (segment_count_length as usize).checked_add(2 * segment_length as usize)?;
        let descriptor = Descriptor {
            seed,
            segment_length,
            segment_length_mask: segment_length.wrapping_sub(1),
            segment_count_length,
        };
        let rest = decoder.take(decoder.left())?;
        match kind {
            8 if has_shape && rest.len() >= fingerprints => {
                Some(Self::Fuse8(BinaryFuse8 { descriptor, fingerprints: rest.into() }))
            }
            16 if has_shape && rest.len() % 2 == 0 && rest.len() / 2 >= fingerprints => {
                let pairs = rest.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
                Some(Self::Fuse16(BinaryFuse16 { descriptor, fingerprints: pairs.collect() }))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::checksum::key_hash;
    use proptest::prelude::*;

    fn hashes(count: u64) -> Vec<u64> {
        (0..count).map(|number| key_hash(&number.to_le_bytes())).collect()
    }

    #[test]
    fn keys_are_found_others_seldom_and_a_copy_is_the_same() {
        for (kind, false_positives_max, bytes_a_key) in
            [(FilterKind::Fuse8, 600, 1.4), (FilterKind::Fuse16, 10, 2.8)]
        {
            for count in [1, 2, 3, 10, 20_000] {
                let mut all = hashes(count);
                let filter = Filter::build(kind, &mut all);
                let mut bytes = Vec::new();
                filter.encode(&mut bytes);
                assert_eq!(bytes.len(), filter.encoded_bytes());
                let copy = Filter::decode(&bytes).unwrap();
                assert!(all.iter().all(|hash| filter.may_contain(*hash) && copy.may_contain(*hash)));
                let others = (1_u64 << 40..(1 << 40) + 100_000).map(|number| key_hash(&number.to_le_bytes()));
                let wrong = others.filter(|hash| copy.may_contain(*hash)).count();
                assert!(wrong <= false_positives_max, "{kind:?} of {count}: {wrong}");
                assert!(count < 20_000 || (filter.bytes() as f64) < bytes_a_key * count as f64);
            }
        }
        assert!(Filter::build(FilterKind::None, &mut hashes(9)).may_contain(1));
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_a_filter_that_answers(
            kind in prop::sample::select(vec![0_u8, 8, 16, 9]),
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            length in 0_u32..9, count in 0_u32..9, hash: u64,
        ) {
            let mut encoded = vec![kind];
            encoded.extend(7_u64.to_le_bytes());
            encoded.extend((1_u32 << length).to_le_bytes());
            encoded.extend((count << length).to_le_bytes());
            encoded.extend(bytes);
            if let Some(filter) = Filter::decode(&encoded) {
                filter.may_contain(hash);
            }
        }
    }
}
