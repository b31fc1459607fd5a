//! What a store holds about a key.

use crate::codec::Decoder;

/// What the newest write to a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// Took the key away.
    Delete,
    /// Gave it this value.
    Put,
    /// Gave it the value in a file of its own; the bytes are a [`LargeValue`].
    PutLarge,
}

impl EntryKind {
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Delete => 0,
            Self::Put => 1,
            Self::PutLarge => 2,
        }
    }

    pub(crate) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Delete),
            1 => Some(Self::Put),
            2 => Some(Self::PutLarge),
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

/// A value in a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LargeValue {
    /// The number of the file.
    pub(crate) number: u64,
    pub(crate) bytes: u64,
    pub(crate) checksum: u64,
}

impl LargeValue {
    pub(crate) fn encode(self) -> [u8; 24] {
        let mut out = [0; 24];
        out[..8].copy_from_slice(&self.number.to_le_bytes());
        out[8..16].copy_from_slice(&self.bytes.to_le_bytes());
        out[16..].copy_from_slice(&self.checksum.to_le_bytes());
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(bytes);
        let value = Self { number: decoder.u64()?, bytes: decoder.u64()?, checksum: decoder.u64()? };
        decoder.is_empty().then_some(value)
    }
}
