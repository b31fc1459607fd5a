//! One operation on a key-value engine.

use crate::Operation;
use std::fmt;

/// Longest key, in bytes: every study's fits, and it travels inside the operation.
pub const KEY_BYTES_MAX: usize = 32;

/// The result of a [`KvKind::Get`] that found nothing: `-ENOENT`. A hit is the length of its value, which may be 0.
pub const NOT_FOUND: i32 = -2;

/// A [`KvOp`] whose `value.length` is this expects a value of any length.
pub const ANY_LENGTH: u32 = u32::MAX;

/// A key of 1 to [`KEY_BYTES_MAX`] bytes (LMDB and others have no empty key). Keys are ordered as their bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Zeros follow the key, so that equal keys are equal fields.
    bytes: [u8; KEY_BYTES_MAX],
    length: u8,
}

impl Key {
    /// The key with these bytes; `None` if there are none, or too many.
    #[inline]
    pub fn new(key: &[u8]) -> Option<Self> {
        if key.is_empty() || key.len() > KEY_BYTES_MAX {
            return None;
        }
        let mut bytes = [0; KEY_BYTES_MAX];
        bytes[..key.len()].copy_from_slice(key);
        Some(Self { bytes, length: key.len() as u8 })
    }

    /// The smallest key, one zero byte: where a scan of everything begins.
    pub const fn first() -> Self {
        Self { bytes: [0; KEY_BYTES_MAX], length: 1 }
    }

    /// The key's bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl AsRef<[u8]> for Key {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A range of the trial's pre-generated payload, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueRange {
    pub offset: u32,
    /// How long it is.
    pub length: u32,
}

/// What a [`KvOp`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KvKind {
    /// Gives `key` the value `value`, whether or not it had one.
    Put,
    /// Reads the value of `key`. Only the length of `value` counts: what a hit has to return, or [`ANY_LENGTH`].
    Get,
    /// Takes `key` away, whether or not it was there.
    Delete,
    /// Reads up to `limit` entries in the order of their keys, from `key` on, itself included.
    Scan,
    /// Makes durable what was acknowledged so far.
    Sync,
}

/// One operation on a key-value engine, as a workload emits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvOp {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
    pub kind: KvKind,
    /// The key, or where a scan starts; unused by syncs.
    pub key: Key,
    /// What a put writes, and how long a value a get expects; unused by the others.
    pub value: ValueRange,
    /// Most entries that a scan reads; unused by the others.
    pub limit: u32,
}

impl KvOp {
    /// Gives `key` a value.
    pub const fn put(id: u32, key: Key, value: ValueRange) -> Self {
        Self { id, kind: KvKind::Put, key, value, limit: 0 }
    }

    /// Reads the value of `key`; a hit has to be `length` bytes long ([`ANY_LENGTH`]: any).
    pub const fn get(id: u32, key: Key, length: u32) -> Self {
        Self { id, kind: KvKind::Get, key, value: ValueRange { offset: 0, length }, limit: 0 }
    }

    /// Takes `key` away.
    pub const fn delete(id: u32, key: Key) -> Self {
        Self { id, kind: KvKind::Delete, key, value: ValueRange { offset: 0, length: 0 }, limit: 0 }
    }

    /// Reads up to `limit` entries from `start` on.
    pub const fn scan(id: u32, start: Key, limit: u32) -> Self {
        Self { id, kind: KvKind::Scan, key: start, value: ValueRange { offset: 0, length: 0 }, limit }
    }

    pub const fn sync(id: u32) -> Self {
        let value = ValueRange { offset: 0, length: 0 };
        Self { id, kind: KvKind::Sync, key: Key::first(), value, limit: 0 }
    }
}

impl Operation for KvOp {
    fn id(&self) -> u32 {
        self.id
    }

    /// Bytes of the value (put, get), entries (scan: at most), or 0.
    fn expected_result(&self) -> i32 {
        match self.kind {
            KvKind::Put | KvKind::Get => self.value.length as i32,
            KvKind::Delete | KvKind::Sync => 0,
            KvKind::Scan => self.limit as i32,
        }
    }

    /// A get that finds nothing and a scan that comes to the end succeed too: whether they should have found more, the
    /// workload knows.
    #[inline]
    fn is_success(&self, result: i32) -> bool {
        match self.kind {
            KvKind::Put | KvKind::Delete | KvKind::Sync => result == self.expected_result(),
            KvKind::Get if self.value.length == ANY_LENGTH => result >= 0 || result == NOT_FOUND,
            KvKind::Get => result == self.expected_result() || result == NOT_FOUND,
            KvKind::Scan => (0..=self.expected_result()).contains(&result),
        }
    }
}

impl fmt::Display for KvOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            KvKind::Put => write!(f, "put of {} bytes at key {}", self.value.length, self.key),
            KvKind::Get => write!(f, "get of key {}", self.key),
            KvKind::Delete => write!(f, "delete of key {}", self.key),
            KvKind::Scan => write!(f, "scan of up to {} entries from key {}", self.limit, self.key),
            KvKind::Sync => f.write_str("sync"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_between_one_byte_and_the_most() {
        assert_eq!(Key::new(&[]), None);
        assert_eq!(Key::new(&[1; KEY_BYTES_MAX + 1]), None);
        assert_eq!(Key::new(&[1; KEY_BYTES_MAX]).unwrap().as_bytes(), &[1; KEY_BYTES_MAX]);
        assert_eq!(Key::new(&[0]), Some(Key::first()));
    }

    #[test]
    fn keys_are_ordered_as_their_bytes() {
        let key = |bytes: &[u8]| Key::new(bytes).unwrap();
        assert!(key(b"a") < key(b"a\0") && key(b"a\0") < key(b"b") && key(b"ab") < key(b"b"));
        assert_ne!(key(b"a"), key(b"a\0"), "trailing zeros are part of a key");
    }

    #[test]
    fn hits_misses_and_failures_of_a_get_are_three_things() {
        let exact = KvOp::get(0, Key::first(), 100);
        assert!(exact.is_success(100) && exact.is_success(NOT_FOUND));
        assert!(!exact.is_success(99) && !exact.is_success(0) && !exact.is_success(-5));
        let any = KvOp::get(0, Key::first(), ANY_LENGTH);
        assert!(any.is_success(0) && any.is_success(1 << 20) && any.is_success(NOT_FOUND));
        assert!(!any.is_success(-5));
    }

    #[test]
    fn a_scan_may_end_early_but_not_late() {
        let scan = KvOp::scan(0, Key::first(), 10);
        assert!(scan.is_success(0) && scan.is_success(10));
        assert!(!scan.is_success(11) && !scan.is_success(-2));
    }
}
