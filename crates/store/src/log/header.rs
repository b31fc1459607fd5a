//! The first block of a segment: a header, written when the segment is made, and a note, written when more is known.
//!
//! ```text
//! 0    8  "SYNC-LOG"
//! 8    4  format
//! 12   8  number of the segment
//! 20  16  session in which it was made, 0 if unknown
//! 36   8  life: the least number of a segment that this life of the store made
//! 44   8  base: the last sequence number when the life began; all up to it survive power loss
//! 52   8  bytes that the file has at least
//! 60   4  1 if each group of records is written only after the one before it
//! 504  8  checksum of this sector
//! 512  8  synced: all records up to this sequence number survive power loss
//! 520  8  number of the segment in which the log continues, 0 if unknown
//! 528  8  checksum of the note; zeroes: there is no note
//! ```
//!
//! A sector is written whole or not at all, so a note leaves the header as it was. When power is lost while a segment
//! is made, its new header may stand before an old note; nothing names such a segment, and it has no records.

use crate::block::BLOCK_BYTES;
use crate::checksum::{checksum, place};
use crate::codec::Decoder;

const MAGIC: &[u8; 8] = b"SYNC-LOG";
/// Version of a segment's format.
pub(crate) const FORMAT: u32 = 2;
const SECTOR_BYTES: usize = 512;
/// Where the checksum of the header is.
const SUM_AT: usize = SECTOR_BYTES - 8;
const NOTE_BYTES: usize = 24;

/// What is known about a segment when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// The [session](crate::storage::Storage::session) in which it was made.
    pub(crate) session: Option<u128>,
    /// Segments with smaller numbers are of earlier lives of the store.
    pub(crate) life: u64,
    /// The last sequence number when the life began. All records up to it survive power loss; those of earlier lives
    /// beyond it do not count.
    pub(crate) base: u64,
    /// The file has at least this many bytes.
    pub(crate) bytes: u64,
    /// Whether each group of records is written only after the one before it.
    pub(crate) is_ordered: bool,
}

/// What is known about a segment later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Note {
    /// All records of the log up to this sequence number survive power loss.
    pub(crate) synced: u64,
    /// The number of the segment in which the log continues.
    pub(crate) next: Option<u64>,
}

/// The first block of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FirstBlock {
    pub(crate) header: Header,
    /// `None` if what is behind the header is not sound.
    pub(crate) note: Option<Note>,
}

/// What a note is that is not sound.
pub(crate) const NOTE_DAMAGED: &str = "the note behind a segment's header does not match its checksum";
/// Where it is.
pub(crate) const NOTE_AT: u64 = SECTOR_BYTES as u64;

impl FirstBlock {
    /// Writes the block of the segment with this number.
    pub(crate) fn encode(&self, number: u64, block: &mut [u8]) {
        let Header { session, life, base, bytes, is_ordered } = &self.header;
        let mut header = Vec::with_capacity(SECTOR_BYTES);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&FORMAT.to_le_bytes());
        header.extend_from_slice(&number.to_le_bytes());
        header.extend_from_slice(&session.unwrap_or(0).to_le_bytes());
        for field in [life, base, bytes] {
            header.extend_from_slice(&field.to_le_bytes());
        }
        header.extend_from_slice(&u32::from(*is_ordered).to_le_bytes());
        block.fill(0);
        block[..header.len()].copy_from_slice(&header);
        let sum = checksum(&block[..SUM_AT], number);
        block[SUM_AT..SECTOR_BYTES].copy_from_slice(&sum.to_le_bytes());
        if let Some(Note { synced, next }) = self.note.filter(|note| *note != Note::default()) {
            let note = &mut block[SECTOR_BYTES..SECTOR_BYTES + NOTE_BYTES];
            note[..8].copy_from_slice(&synced.to_le_bytes());
            note[8..16].copy_from_slice(&next.unwrap_or(0).to_le_bytes());
            let sum = note_sum(&note[..16], number);
            note[16..].copy_from_slice(&sum.to_le_bytes());
        }
    }

    /// Reads the block of the segment with this number; `None` if it has no sound header of it.
    ///
    /// # Errors
    /// The version, if it is of another format.
    pub(crate) fn decode(bytes: &[u8], number: u64) -> Result<Option<Self>, u32> {
        let Some(block) = bytes.get(..BLOCK_BYTES) else { return Ok(None) };
        let mut decoder = Decoder::new(block);
        let (magic, format) = (decoder.take(MAGIC.len()), decoder.u32());
        // The checksum of format 1 is that of the whole block.
        let is_sound =
            |end: usize| Decoder::new(&block[end - 8..]).u64() == Some(checksum(&block[..end - 8], number));
        if magic != Some(MAGIC) || !is_sound(SECTOR_BYTES) && !is_sound(BLOCK_BYTES) {
            return Ok(None);
        }
        match format {
            Some(FORMAT) => Ok(Self::fields(decoder, &block[SECTOR_BYTES..], number)),
            Some(other) => Err(other),
            None => Ok(None),
        }
    }

    fn fields(mut decoder: Decoder<'_>, behind: &[u8], number: u64) -> Option<Self> {
        if decoder.u64()? != number {
            return None;
        }
        let session = u128::from(decoder.u64()?) | u128::from(decoder.u64()?) << 64;
        let header = Header {
            session: (session != 0).then_some(session),
            life: decoder.u64()?,
            base: decoder.u64()?,
            bytes: decoder.u64()?,
            is_ordered: decoder.u32()? == 1,
        };
        Some(Self { header, note: note(behind, number) })
    }
}

/// Reads what is behind the header; `None` if it is not sound.
fn note(behind: &[u8], number: u64) -> Option<Note> {
    if behind.iter().all(|byte| *byte == 0) {
        return Some(Note::default());
    }
    let mut decoder = Decoder::new(behind);
    let (synced, next) = (decoder.u64()?, decoder.u64()?);
    let is_sound = decoder.u64()? == note_sum(&behind[..16], number);
    let is_alone = behind[NOTE_BYTES..].iter().all(|byte| *byte == 0);
    (is_sound && is_alone).then_some(Note { synced, next: (next != 0).then_some(next) })
}

fn note_sum(note: &[u8], number: u64) -> u64 {
    checksum(note, place(number, SECTOR_BYTES as u64))
}

/// Makes the checksums of a first block match.
pub(super) fn repair(block: &mut [u8; BLOCK_BYTES], number: u64) {
    let sum = checksum(&block[..SUM_AT], number);
    block[SUM_AT..SECTOR_BYTES].copy_from_slice(&sum.to_le_bytes());
    let rest = &mut block[SECTOR_BYTES..];
    if rest.iter().any(|byte| *byte != 0) {
        let sum = note_sum(&rest[..16], number);
        rest[16..NOTE_BYTES].copy_from_slice(&sum.to_le_bytes());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_block_is_read_back_and_a_flipped_bit_is_found() {
        let header = Header { session: Some(9 << 100), life: 3, base: 17, bytes: 8192, is_ordered: true };
        for note in [Note::default(), Note { synced: 20, next: None }, Note { synced: 0, next: Some(8) }] {
            let block = FirstBlock { header: header.clone(), note: Some(note) };
            let mut bytes = vec![0; BLOCK_BYTES];
            block.encode(7, &mut bytes);
            assert_eq!(FirstBlock::decode(&bytes, 7), Ok(Some(block.clone())));
            assert_eq!(FirstBlock::decode(&bytes, 8), Ok(None), "it is bound to its number");
            for byte in 0..BLOCK_BYTES {
                let mut flipped = bytes.clone();
                flipped[byte] ^= 1 << (byte % 8);
                let found = FirstBlock::decode(&flipped, 7);
                if byte < SECTOR_BYTES {
                    assert_eq!(found, Ok(None), "{byte}");
                } else {
                    let expected = FirstBlock { note: None, ..block.clone() };
                    assert_eq!(found, Ok(Some(expected)), "{byte}");
                }
            }
        }
    }

    #[test]
    fn another_format_is_named() {
        let mut block = [0; BLOCK_BYTES];
        block[..8].copy_from_slice(MAGIC);
        block[8..12].copy_from_slice(&1_u32.to_le_bytes());
        let sum = checksum(&block[..BLOCK_BYTES - 8], 7);
        block[BLOCK_BYTES - 8..].copy_from_slice(&sum.to_le_bytes());
        assert_eq!(FirstBlock::decode(&block, 7), Err(1));
        let mut block = [0; BLOCK_BYTES];
        FirstBlock { header: Header::default(), note: None }.encode(7, &mut block);
        block[8..12].copy_from_slice(&9_u32.to_le_bytes());
        repair(&mut block, 7);
        assert_eq!(FirstBlock::decode(&block, 7), Err(9));
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..5000)) {
            prop_assert_eq!(FirstBlock::decode(&bytes, 1), Ok(None));
        }
    }
}
