//! Hashes: xxh3 with 64 bits, for checksums, filters and partitions.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The checksum of bytes that belong to `place`. The place is part of it, so that bytes that are intact but are found
/// elsewhere do not match: a page of another run, a record of a log segment's earlier use.
pub(crate) fn checksum(bytes: &[u8], place: u64) -> u64 {
    xxh3_64_with_seed(bytes, place)
}

/// The place of an offset in a numbered file.
pub(crate) fn place(number: u64, offset: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ offset
}

/// What filters and partitions know a key by.
pub(crate) fn key_hash(key: &[u8]) -> u64 {
    xxh3_64(key)
}

/// The partition of a key, out of `partitions`.
pub(crate) fn partition(hash: u64, partitions: usize) -> usize {
    // The high half of a product is uniform for any count (Lemire, "Fast random integer generation in an interval",
    // 2019).
    ((u128::from(hash) * partitions as u128) >> 64) as usize
}
