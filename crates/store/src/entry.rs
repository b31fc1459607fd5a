//! What a store holds about a key.

use crate::codec::{Decoder, put_varint};

/// What the newest write to a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// Took the key away.
    Delete,
    /// Gave it this value.
    Put,
    /// Gave it the value in a file of its own; the bytes are a [`ValuePlace`].
    PutLarge,
    /// Gave it a value that a flush or compaction wrote to a value file; the bytes are a [`ValuePlace`]. Only runs have
    /// such entries.
    PutSeparated,
}

impl EntryKind {
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Delete => 0,
            Self::Put => 1,
            Self::PutLarge => 2,
            Self::PutSeparated => 3,
        }
    }

    pub(crate) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Delete),
            1 => Some(Self::Put),
            2 => Some(Self::PutLarge),
            3 => Some(Self::PutSeparated),
            _ => None,
        }
    }
}

/// A key with what was written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) kind: EntryKind,
    /// Empty for a delete.
    pub(crate) value: &'a [u8],
}

impl Entry<'_> {
    /// Where the value is, if it is not here, and if that can be decoded.
    pub(crate) fn value_place(&self) -> Option<ValuePlace> {
        match self.kind {
            EntryKind::Delete | EntryKind::Put => None,
            EntryKind::PutLarge => ValuePlace::decode_large(self.value),
            EntryKind::PutSeparated => ValuePlace::decode(self.value),
        }
    }

    /// The number of the file that has nothing but the value, if there is one.
    pub(crate) fn large_value(&self) -> Option<u64> {
        let is_large = self.kind == EntryKind::PutLarge;
        is_large.then(|| self.value_place()).flatten().map(|place| place.number)
    }
}

/// Where a value is that is not beside its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    /// The number of the file.
    pub(crate) number: u64,
    /// Where in the file it begins; 0 for a large value.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) checksum: u64,
}

impl ValuePlace {
    /// The place of a large value, as logs and runs have it.
    pub(crate) fn encode_large(self) -> [u8; 24] {
        let mut out = [0; 24];
        out[..8].copy_from_slice(&self.number.to_le_bytes());
        out[8..16].copy_from_slice(&self.bytes.to_le_bytes());
        out[16..].copy_from_slice(&self.checksum.to_le_bytes());
        out
    }

    fn decode_large(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(bytes);
        let (number, bytes, checksum) = (decoder.u64()?, decoder.u64()?, decoder.u64()?);
        decoder.is_empty().then_some(Self { number, offset: 0, bytes, checksum })
    }

    /// Appends the place of a separated value, as runs have it.
    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        for number in [self.number, self.offset, self.bytes] {
            put_varint(out, number);
        }
        out.extend_from_slice(&self.checksum.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(bytes);
        let (number, offset, bytes) = (decoder.varint()?, decoder.varint()?, decoder.varint()?);
        let place = Self { number, offset, bytes, checksum: decoder.u64()? };
        decoder.is_empty().then_some(place)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_place_is_read_back_and_a_longer_or_shorter_one_is_not(number: u64, offset: u64, bytes: u64, checksum: u64) {
            let place = ValuePlace { number, offset, bytes, checksum };
            let mut value = Vec::new();
            place.encode(&mut value);
            let found = |kind, value: &[u8]| Entry { key: b"key", kind, value }.value_place();
            prop_assert_eq!(found(EntryKind::PutSeparated, &value), Some(place));
            prop_assert_eq!(found(EntryKind::PutSeparated, &value[..value.len() - 1]), None);
            value.push(0);
            prop_assert_eq!(found(EntryKind::PutSeparated, &value), None);
            let large = ValuePlace { offset: 0, ..place };
            prop_assert_eq!(found(EntryKind::PutLarge, &large.encode_large()), Some(large));
            prop_assert_eq!(found(EntryKind::Put, &large.encode_large()), None);
        }
    }
}
