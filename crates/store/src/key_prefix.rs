//! What the order of keys is decided by first.

/// The first eight bytes of a key, zeroes if it has fewer: if the prefixes of two keys differ, the keys differ the same
/// way.
#[inline]
pub(crate) fn key_prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    let bytes = key.len().min(8);
    first[..bytes].copy_from_slice(&key[..bytes]);
    u64::from_be_bytes(first)
}
