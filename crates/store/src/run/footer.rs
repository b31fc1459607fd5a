//! The last block of a run, and the sections between the pages and it.

use super::index::PageIndex;
use crate::block::{AlignedBuffer, BLOCK_BYTES};
use crate::checksum::{checksum, place};
use crate::codec::{Decoder, put_bytes, put_varint};
use crate::error::StoreError;
use crate::files::OpenFile;

const MAGIC: &[u8; 8] = b"SYNC-RUN";
/// Version of a run's format.
pub(crate) const FORMAT: u32 = 1;

/// Bytes of the file that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) offset: u64,
    pub(super) bytes: u64,
    checksum: u64,
}

impl Section {
    pub(super) fn of(bytes: &[u8], offset: u64, number: u64) -> Self {
        Self { offset, bytes: bytes.len() as u64, checksum: checksum(bytes, place(number, offset)) }
    }

    pub(super) fn check(&self, bytes: &[u8], number: u64) -> Result<(), &'static str> {
        let used = bytes.get(..self.bytes as usize).ok_or("a section is cut off")?;
        let is_same = checksum(used, place(number, self.offset)) == self.checksum;
        if is_same { Ok(()) } else { Err("the checksum of the page index or the filter does not match") }
    }
}

/// The last block of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Footer {
    pub(super) has_checksums: bool,
    pub(super) entries: u64,
    pub(super) deletes: u64,
    /// Page index, filter.
    pub(super) sections: [Section; 2],
}

impl Footer {
    pub(super) fn encode(&self, number: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(BLOCK_BYTES);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&u32::from(self.has_checksums).to_le_bytes());
        for field in [number, self.entries, self.deletes] {
            out.extend_from_slice(&field.to_le_bytes());
        }
        for section in self.sections {
            for field in [section.offset, section.bytes, section.checksum] {
                out.extend_from_slice(&field.to_le_bytes());
            }
        }
        out.resize(BLOCK_BYTES - 8, 0);
        let sum = checksum(&out, number);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads the footer of a file of this size.
    pub(super) fn read(file: &OpenFile, number: u64, bytes: u64) -> Result<Self, StoreError> {
        let offset = bytes.saturating_sub(BLOCK_BYTES as u64);
        if bytes < BLOCK_BYTES as u64 || !bytes.is_multiple_of(BLOCK_BYTES as u64) {
            return Err(file.damaged(offset, "the run has no footer"));
        }
        let mut block = AlignedBuffer::zeroed(BLOCK_BYTES);
        file.read_at(&mut block, offset)?;
        match Self::decode(&block, number) {
            Ok(footer) if footer.sections.iter().all(|section| section.is_before(offset)) => Ok(footer),
            Ok(_) => Err(file.damaged(offset, "a section is outside the run")),
            Err(Wrong::Format(found)) => {
                Err(StoreError::Format { path: file.path(), found, supported: FORMAT })
            }
            Err(Wrong::Bytes(what)) => Err(file.damaged(offset, what)),
        }
    }

    fn decode(block: &[u8], number: u64) -> Result<Self, Wrong> {
        let (content, sum) = block.split_at(BLOCK_BYTES - 8);
        if Decoder::new(sum).u64() != Some(checksum(content, number)) {
            return Err(Wrong::Bytes("the footer's checksum does not match"));
        }
        let mut decoder = Decoder::new(content);
        if decoder.take(MAGIC.len()) != Some(MAGIC) {
            return Err(Wrong::Bytes("the footer does not begin as that of a run"));
        }
        match decoder.u32() {
            Some(FORMAT) => {}
            found => return Err(Wrong::Format(found.unwrap_or_default())),
        }
        Self::fields(&mut decoder, number).ok_or(Wrong::Bytes("the footer cannot be decoded"))
    }

    /// Makes the checksums of the footer, and of the sections that it names, match.
    pub(super) fn repair(run: &mut [u8], number: u64) {
        // Where the fields of the first section begin: behind magic, format, whether there are checksums, number and
        // two counts.
        const SECTIONS_BEGIN: usize = 40;
        const SECTION_BYTES: usize = 24;
        let Some(begin) = run.len().checked_sub(BLOCK_BYTES) else { return };
        let (before, block) = run.split_at_mut(begin);
        for at in [SECTIONS_BEGIN, SECTIONS_BEGIN + SECTION_BYTES] {
            let mut decoder = Decoder::new(&block[at..]);
            let (Some(offset), Some(bytes)) = (decoder.u64(), decoder.u64()) else { return };
            let section = usize::try_from(offset).ok().and_then(|offset| before.get(offset..));
            let used = usize::try_from(bytes).ok().and_then(|bytes| section?.get(..bytes));
            if let Some(used) = used {
                let sum = checksum(used, place(number, offset));
                block[at + 16..at + 24].copy_from_slice(&sum.to_le_bytes());
            }
        }
        let (content, sum) = block.split_at_mut(BLOCK_BYTES - 8);
        sum.copy_from_slice(&checksum(content, number).to_le_bytes());
    }

    fn fields(decoder: &mut Decoder<'_>, number: u64) -> Option<Self> {
        let has_checksums = decoder.u32()? != 0;
        if decoder.u64()? != number {
            return None;
        }
        let (entries, deletes) = (decoder.u64()?, decoder.u64()?);
        let mut section =
            || Some(Section { offset: decoder.u64()?, bytes: decoder.u64()?, checksum: decoder.u64()? });
        Some(Self { has_checksums, entries, deletes, sections: [section()?, section()?] })
    }
}

impl Section {
    fn is_before(&self, end: u64) -> bool {
        self.offset.is_multiple_of(BLOCK_BYTES as u64)
            && self.offset.checked_add(self.bytes).is_some_and(|last| last <= end)
    }
}

enum Wrong {
    Format(u32),
    Bytes(&'static str),
}

/// The first section: what a run holds besides its pages and its filter.
#[derive(Debug)]
pub(super) struct Meta {
    pub(super) smallest: Box<[u8]>,
    pub(super) largest: Box<[u8]>,
    pub(super) large_values: Vec<u64>,
    pub(super) index: PageIndex,
}

impl Meta {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, &self.smallest);
        put_bytes(&mut out, &self.largest);
        put_varint(&mut out, self.large_values.len() as u64);
        for number in &self.large_values {
            put_varint(&mut out, *number);
        }
        self.index.encode(&mut out);
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new(bytes);
        let (smallest, largest) = (decoder.bytes()?.into(), decoder.bytes()?.into());
        let values = decoder.varint()?;
        let large_values = (0..values).map(|_| decoder.varint()).collect::<Option<Vec<_>>>()?;
        let index = PageIndex::decode(&mut decoder)?;
        let meta = Self { smallest, largest, large_values, index };
        (decoder.is_empty() && meta.smallest <= meta.largest).then_some(meta)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_footer_is_read_back_and_every_flipped_bit_is_found() {
        let section = Section::of(b"abc", 4096, 7);
        let footer = Footer { has_checksums: true, entries: 3, deletes: 1, sections: [section; 2] };
        let block = footer.encode(7);
        assert!(Footer::decode(&block, 7).is_ok_and(|found| found == footer));
        assert!(Footer::decode(&block, 8).is_err(), "the run of another number");
        for bit in 0..8 * BLOCK_BYTES {
            let mut flipped = block.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Footer::decode(&flipped, 7).is_err(), "bit {bit}");
        }
        assert!(section.check(b"abc", 7).is_ok());
        assert!(section.check(b"abd", 7).is_err() && section.check(b"ab", 7).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_what_a_run_holds(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Some(meta) = Meta::decode(&bytes) {
                prop_assert!(meta.index.pages() > 0);
            }
        }
    }
}
