//! A record: one batch.
//!
//! ```text
//! 0   8  checksum of what follows, bound to the segment and the offset
//! 8   8  sequence number
//! 16  4  bytes of the payload; the highest bit is set in the first record of a group
//! 20  4  how far the last sequence number that was durable is behind this one; 2³² − 1 if further or unknown
//! 24     payload, zeroes up to a multiple of 8 bytes
//! ```
//!
//! The claim about durability distinguishes a torn end from damage: if a record says that number 17 was durable and 17
//! is not there, the log is damaged; without such a record the log ends before 17. A group is written at once, so a
//! process that dies may leave any part of the last one; where a further group begins, all groups before it were
//! written.

use super::header;
use crate::block::BLOCK_BYTES;
use crate::checksum::{checksum, place};
use crate::codec::Decoder;
use std::ops::RangeInclusive;

pub(crate) const HEADER_BYTES: usize = 24;
/// Records begin at multiples of this many bytes.
pub(crate) const ALIGNMENT_BYTES: usize = 8;
/// Set in the length of the first record of a group.
const BEGINS_GROUP: u32 = 1 << 31;

/// Appends a record that is not sealed yet.
pub(crate) fn push(records: &mut Vec<u8>, sequence: u64, payload: &[u8]) {
    records.extend_from_slice(&[0; 8]);
    records.extend_from_slice(&sequence.to_le_bytes());
    records.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    records.extend_from_slice(&u32::MAX.to_le_bytes());
    records.extend_from_slice(payload);
    records.resize(records.len().next_multiple_of(ALIGNMENT_BYTES), 0);
}

/// Completes the records of a group that is written to `offset` of a segment, after every record up to `durable` was
/// made durable.
pub(crate) fn seal(records: &mut [u8], segment: u64, mut offset: u64, durable: u64) {
    if let Some(highest) = records.get_mut(19) {
        *highest |= (BEGINS_GROUP >> 24) as u8;
    }
    let mut rest = records;
    while let Some((sequence, bytes)) = frame(rest) {
        let (record, after) = rest.split_at_mut(bytes);
        let behind = u32::try_from(sequence.saturating_sub(durable)).unwrap_or(u32::MAX);
        record[20..24].copy_from_slice(&behind.to_le_bytes());
        let sum = checksum(&record[8..], place(segment, offset));
        record[..8].copy_from_slice(&sum.to_le_bytes());
        offset += bytes as u64;
        rest = after;
    }
}

/// Makes the header and the checksums of all records of a segment match.
pub(crate) fn repair(segment: &mut [u8], number: u64) {
    let begin = BLOCK_BYTES.min(segment.len());
    let (first_block, mut rest) = segment.split_at_mut(begin);
    if let Ok(first_block) = first_block.try_into() {
        header::repair(first_block, number);
    }
    let mut offset = begin as u64;
    while let Some((_, bytes)) = frame(rest) {
        let (record, after) = rest.split_at_mut(bytes);
        let sum = checksum(&record[8..], place(number, offset));
        record[..8].copy_from_slice(&sum.to_le_bytes());
        offset += bytes as u64;
        rest = after;
    }
}

/// Sequence number and whole length of a record; `None` if the bytes end before it does.
fn frame(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut decoder = Decoder::new(bytes.get(8..)?);
    let (sequence, payload) = (decoder.u64()?, (decoder.u32()? & !BEGINS_GROUP) as usize);
    let length = (HEADER_BYTES + payload).next_multiple_of(ALIGNMENT_BYTES);
    (length <= bytes.len()).then_some((sequence, length))
}

/// A record that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub(crate) sequence: u64,
    pub(crate) payload: &'a [u8],
    /// Every record up to this sequence number was durable when this one was written, if known.
    pub(crate) durable: Option<u64>,
    /// Whether it is the first of its group.
    pub(crate) begins_group: bool,
    /// Bytes in the log.
    pub(crate) bytes: usize,
}

/// The record at the beginning of these bytes, which begin at `offset` of a segment. `None` if there is not one, or if
/// its sequence number is not one of `among`: that is checked first, so that looking for a record in any bytes is
/// cheap.
pub(crate) fn decode(
    bytes: &[u8],
    segment: u64,
    offset: u64,
    among: RangeInclusive<u64>,
) -> Option<Record<'_>> {
    let (sequence, length) = frame(bytes)?;
    if !among.contains(&sequence) {
        return None;
    }
    let record = &bytes[..length];
    let mut decoder = Decoder::new(record);
    if decoder.u64()? != checksum(&record[8..], place(segment, offset)) {
        return None;
    }
    decoder.u64()?;
    let (payload, behind) = (decoder.u32()?, decoder.u32()?);
    let durable = (behind != u32::MAX).then(|| sequence.saturating_sub(u64::from(behind)));
    let begins_group = payload & BEGINS_GROUP != 0;
    let payload = decoder.take((payload & !BEGINS_GROUP) as usize)?;
    Some(Record { sequence, payload, durable, begins_group, bytes: length })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_are_read_back_and_a_flipped_bit_is_found(
            payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 1..5),
            segment: u64, flipped in any::<prop::sample::Index>(), bit in 0_u8..8,
        ) {
            let mut bytes = Vec::new();
            for (sequence, payload) in (7..).zip(&payloads) {
                push(&mut bytes, sequence, payload);
            }
            seal(&mut bytes, segment, 64, 5);
            let read = |bytes: &[u8]| {
                let (mut at, mut found) = (0, Vec::new());
                while let Some(record) = decode(&bytes[at..], segment, 64 + at as u64, 1..=99) {
                    assert_eq!((record.durable, record.begins_group), (Some(5), found.is_empty()));
                    found.push((record.sequence, record.payload.to_vec()));
                    at += record.bytes;
                }
                found
            };
            let expected: Vec<_> = (7..).zip(payloads).collect();
            prop_assert_eq!(read(&bytes), &expected[..]);
            prop_assert!(decode(&bytes, segment, 72, 1..=99).is_none(), "it is bound to its offset");
            prop_assert!(decode(&bytes, segment, 64, 8..=99).is_none(), "it is not after itself");
            let at = flipped.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let found = read(&bytes);
            prop_assert!(found.len() < expected.len() && expected.starts_with(&found));
        }

        #[test]
        fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(decode(&bytes, 1, 0, 1..=u64::MAX).is_none());
        }
    }
}
