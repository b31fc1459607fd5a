//! What was written to a memtable, one record after another, in memory from the kernel.

use crate::codec::{Decoder, put_varint};
use crate::entry::{Entry, EntryKind};
use disk::region::Region;
use std::alloc::{Layout, handle_alloc_error};
use std::mem;

/// Memory that is mapped at once. It takes room as it is written to.
pub(super) const CHUNK_BYTES: usize = 1 << 20;

/// Bytes of a record besides its key and value, about: a sequence number, and two lengths, one of them with the kind.
pub(super) const RECORD_BYTES: usize = 8 + 2 + 2;

/// Where a record is: the chunk in the upper half, the offset in the lower.
pub(super) type Place = u64;

/// A write with its sequence number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) sequence: u64,
}

/// Records. They stay where they are.
#[derive(Debug, Default)]
pub(super) struct Records {
    chunks: Vec<Region>,
    /// Bytes of the last chunk that have records.
    used: usize,
    /// The record that is being encoded, up to its key.
    head: Vec<u8>,
}

/// Memory for a memtable. Without memory the process ends, as it does if a vector finds none.
pub(super) fn region(bytes: usize) -> Region {
    let failed = || handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()));
    Region::new(bytes).unwrap_or_else(|_| failed())
}

impl Records {
    pub(super) fn push(&mut self, record: Record<'_>) -> Place {
        let Entry { key, kind, value } = record.entry;
        let mut head = mem::take(&mut self.head);
        head.clear();
        head.extend_from_slice(&record.sequence.to_le_bytes());
        put_varint(&mut head, (key.len() as u64) << 2 | u64::from(kind.byte()));
        put_varint(&mut head, value.len() as u64);
        let bytes = head.len() + key.len() + value.len();
        let room = self.chunks.last().map_or(0, |chunk| chunk.bytes().len() - self.used);
        if room < bytes {
            self.chunks.push(region(bytes.max(CHUNK_BYTES)));
            self.used = 0;
        }
        let place = (self.chunks.len() as u64 - 1) << 32 | self.used as u64;
        if let Some(chunk) = self.chunks.last_mut() {
            for part in [&head[..], key, value] {
                chunk.bytes_mut()[self.used..][..part.len()].copy_from_slice(part);
                self.used += part.len();
            }
        }
        self.head = head;
        place
    }

    #[inline]
    pub(super) fn at(&self, place: Place) -> Record<'_> {
        // `push` encoded it.
        const NOTHING: Record<'static> =
            Record { entry: Entry { key: &[], kind: EntryKind::Delete, value: &[] }, sequence: 0 };
        let (chunk, offset) = ((place >> 32) as usize, place as u32 as usize);
        decode(&self.chunks[chunk].bytes()[offset..]).unwrap_or(NOTHING)
    }
}

#[inline]
fn decode(bytes: &[u8]) -> Option<Record<'_>> {
    let mut decoder = Decoder::new(bytes);
    let sequence = decoder.u64()?;
    let (key, value_bytes) = (decoder.varint()?, decoder.varint()? as usize);
    let kind = EntryKind::from_byte((key & 3) as u8)?;
    let entry = Entry { kind, key: decoder.take((key >> 2) as usize)?, value: decoder.take(value_bytes)? };
    Some(Record { entry, sequence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back_whatever_their_length() {
        let value = vec![7; 3 * CHUNK_BYTES];
        let lengths = [0, 1, 127, 128, 100_000, CHUNK_BYTES, 3 * CHUNK_BYTES, 5];
        let entry = |length: usize| Entry {
            key: &value[..length.clamp(1, 60_000)],
            kind: EntryKind::Put,
            value: &value[..length],
        };
        let mut records = Records::default();
        let places =
            lengths.map(|length| records.push(Record { entry: entry(length), sequence: length as u64 }));
        for (place, length) in places.into_iter().zip(lengths) {
            let found = records.at(place);
            assert_eq!((found.entry, found.sequence), (entry(length), length as u64));
        }
    }
}
