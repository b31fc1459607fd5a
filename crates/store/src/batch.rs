//! Writes that take effect together.

use crate::codec::{Decoder, put_bytes};
use crate::entry::{Entry, EntryKind};
use crate::error::StoreError;
use crate::limits::{BATCH_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX};

/// Writes that become visible at once and survive a crash all or none. If a key is written twice, the later write
/// counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// As in a log record.
    payload: Vec<u8>,
    operations: usize,
    value_bytes_max: usize,
}

impl Batch {
    /// No writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of `key`.
    ///
    /// # Errors
    /// A key or value that is too long, or a batch that becomes so; the batch is then as it was.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<&mut Self, StoreError> {
        if value.len() > VALUE_BYTES_MAX {
            return Err(StoreError::ValueBytes { bytes: value.len() });
        }
        self.push(Entry { key, kind: EntryKind::Put, value })
    }

    /// Deletes `key`, whether or not it exists.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn delete(&mut self, key: &[u8]) -> Result<&mut Self, StoreError> {
        self.push(Entry { key, kind: EntryKind::Delete, value: &[] })
    }

    pub(crate) fn push(&mut self, entry: Entry<'_>) -> Result<&mut Self, StoreError> {
        let Entry { key, kind, value } = entry;
        if !(1..=KEY_BYTES_MAX).contains(&key.len()) {
            return Err(StoreError::KeyBytes { bytes: key.len() });
        }
        let bytes = self.payload.len() + key.len() + value.len() + 16;
        if bytes > BATCH_BYTES_MAX {
            return Err(StoreError::BatchBytes { bytes });
        }
        self.payload.push(kind.byte());
        put_bytes(&mut self.payload, key);
        match kind {
            EntryKind::Delete => {}
            EntryKind::Put | EntryKind::PutLarge | EntryKind::PutSeparated => {
                put_bytes(&mut self.payload, value);
            }
        }
        self.operations += 1;
        self.value_bytes_max = self.value_bytes_max.max(value.len());
        Ok(self)
    }

    pub fn len(&self) -> usize {
        self.operations
    }

    /// Whether there is no write.
    pub fn is_empty(&self) -> bool {
        self.operations == 0
    }

    /// Removes all writes and keeps the memory for the next ones.
    pub fn clear(&mut self) {
        self.payload.clear();
        self.operations = 0;
        self.value_bytes_max = 0;
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Bytes of the largest value.
    pub(crate) fn value_bytes_max(&self) -> usize {
        self.value_bytes_max
    }
}

/// The writes of a payload, in order. `None` in place of one that cannot be decoded, and nothing after it.
pub(crate) fn entries(payload: &[u8]) -> impl Iterator<Item = Option<Entry<'_>>> {
    placed_entries(payload).map(|placed| placed.map(|(_, entry)| entry))
}

/// The same, each with its offset in the payload.
pub(crate) fn placed_entries(payload: &[u8]) -> impl Iterator<Item = Option<(usize, Entry<'_>)>> {
    let mut decoder = Decoder::new(payload);
    let mut is_broken = false;
    std::iter::from_fn(move || {
        if is_broken || decoder.is_empty() {
            return None;
        }
        let at = payload.len() - decoder.left();
        let entry = entry(&mut decoder);
        is_broken = entry.is_none();
        Some(entry.map(|entry| (at, entry)))
    })
}

/// The write at an offset of a payload, or of several payloads in a row.
pub(crate) fn entry_at(payload: &[u8], at: usize) -> Option<Entry<'_>> {
    entry(&mut Decoder::new(payload.get(at..)?))
}

fn entry<'a>(decoder: &mut Decoder<'a>) -> Option<Entry<'a>> {
    let kind = EntryKind::from_byte(decoder.u8()?)?;
    let key = decoder.bytes()?;
    let value = match kind {
        EntryKind::Delete => &[],
        EntryKind::Put | EntryKind::PutLarge => decoder.bytes()?,
        // A log has no such write.
        EntryKind::PutSeparated => return None,
    };
    Some(Entry { key, kind, value })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn writes_come_back_in_order() {
        let mut batch = Batch::new();
        batch.put(b"a", b"1").unwrap().delete(b"b").unwrap().put(b"c", b"").unwrap();
        let found: Vec<_> = entries(batch.payload()).map(Option::unwrap).collect();
        assert_eq!(found[0], Entry { key: b"a", kind: EntryKind::Put, value: b"1" });
        assert_eq!(found[1], Entry { key: b"b", kind: EntryKind::Delete, value: b"" });
        assert_eq!((found[2].key, found.len(), batch.len()), (&b"c"[..], 3, 3));
        let torn = &batch.payload()[..batch.payload().len() - 2];
        assert_eq!(entries(torn).filter(Option::is_none).count(), 1);
    }

    #[test]
    fn limits_are_errors_and_change_nothing() {
        let mut batch = Batch::new();
        assert!(matches!(batch.put(b"", b"x"), Err(StoreError::KeyBytes { bytes: 0 })));
        assert!(batch.put(&vec![0; KEY_BYTES_MAX], b"x").is_ok());
        assert!(matches!(batch.delete(&vec![0; KEY_BYTES_MAX + 1]), Err(StoreError::KeyBytes { .. })));
        let before = batch.clone();
        assert!(matches!(batch.put(b"k", &vec![0; VALUE_BYTES_MAX + 1]), Err(StoreError::ValueBytes { .. })));
        assert_eq!(batch, before);
    }
}
