//! What the order of keys is decided by first.

/// The first eight bytes of a key, zeroes if it has fewer: if the prefixes of two keys differ, the keys differ the same
/// way.
#[inline]
pub(crate) fn key_prefix(key: &[u8]) -> u64 {
    if let Some(first) = key.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    let mut first = [0; 8];
    first[..key.len()].copy_from_slice(key);
    u64::from_be_bytes(first)
}
