//! The last block of a run, and the sections between the pages and it.

use super::index::PageIndex;
use crate::block::{AlignedBuffer, BLOCK_BYTES};
use crate::checksum::{checksum, place};
use crate::codec::{Decoder, put_bytes, put_varint};
use crate::error::StoreError;
use crate::files::OpenFile;
use crate::values::ValueUse;

const MAGIC: &[u8; 8] = b"SYNC-RUN";
/// Version of the format of a run whose entries name no value file.
const FORMAT_1: u32 = 1;
/// Version of a run's format.
const FORMAT: u32 = 2;

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
    pub(super) format: u32,
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
        out.extend_from_slice(&self.format.to_le_bytes());
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
        let format = decoder.u32().unwrap_or_default();
        if ![FORMAT_1, FORMAT].contains(&format) {
            return Err(Wrong::Format(format));
        }
        Self::fields(&mut decoder, format, number).ok_or(Wrong::Bytes("the footer cannot be decoded"))
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

    fn fields(decoder: &mut Decoder<'_>, format: u32, number: u64) -> Option<Self> {
        let has_checksums = decoder.u32()? != 0;
        if decoder.u64()? != number {
            return None;
        }
        let (entries, deletes) = (decoder.u64()?, decoder.u64()?);
        let mut section =
            || Some(Section { offset: decoder.u64()?, bytes: decoder.u64()?, checksum: decoder.u64()? });
        Some(Self { format, has_checksums, entries, deletes, sections: [section()?, section()?] })
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
    pub(super) values: Vec<ListedValues>,
    pub(super) index: PageIndex,
}

/// A value file that entries of the run name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListedValues {
    pub(super) number: u64,
    /// Bytes of all its values.
    pub(super) bytes: u64,
    /// Bytes of the values that entries name.
    pub(super) live_bytes: u64,
}

impl From<&ValueUse> for ListedValues {
    fn from(value_use: &ValueUse) -> Self {
        let ValueUse { file, live_bytes } = value_use;
        Self { number: file.number, bytes: file.bytes, live_bytes: *live_bytes }
    }
}

impl Meta {
    /// The format of a run that has this: the first one if that is enough, so that earlier versions read it.
    pub(super) fn format(&self) -> u32 {
        if self.values.is_empty() { FORMAT_1 } else { FORMAT }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, &self.smallest);
        put_bytes(&mut out, &self.largest);
        put_varint(&mut out, self.large_values.len() as u64);
        for number in &self.large_values {
            put_varint(&mut out, *number);
        }
        if self.format() != FORMAT_1 {
            put_varint(&mut out, self.values.len() as u64);
            for ListedValues { number, bytes, live_bytes } in &self.values {
                for field in [number, bytes, live_bytes] {
                    put_varint(&mut out, *field);
                }
            }
        }
        self.index.encode(&mut out);
        out
    }

    pub(super) fn decode(bytes: &[u8], format: u32) -> Option<Self> {
        let mut decoder = Decoder::new(bytes);
        let (smallest, largest) = (decoder.bytes()?.into(), decoder.bytes()?.into());
        let large = decoder.varint()?;
        let large_values = (0..large).map(|_| decoder.varint()).collect::<Option<Vec<_>>>()?;
        let listed = if format == FORMAT_1 { 0 } else { decoder.varint()? };
        let values = (0..listed).map(|_| ListedValues::decode(&mut decoder)).collect::<Option<Vec<_>>>()?;
        let is_in_order = values.is_sorted_by(|one, other| one.number < other.number);
        let index = PageIndex::decode(&mut decoder).filter(|_| is_in_order)?;
        let meta = Self { smallest, largest, large_values, values, index };
        (decoder.is_empty() && meta.smallest <= meta.largest).then_some(meta)
    }
}

impl ListedValues {
    fn decode(decoder: &mut Decoder<'_>) -> Option<Self> {
        let listed =
            Self { number: decoder.varint()?, bytes: decoder.varint()?, live_bytes: decoder.varint()? };
        (listed.live_bytes <= listed.bytes).then_some(listed)
    }
}

/// Decodes the first section of a run of any format.
pub(super) fn any_meta(bytes: &[u8]) -> Option<Meta> {
    [FORMAT_1, FORMAT].into_iter().find_map(|format| Meta::decode(bytes, format))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_footer_is_read_back_and_every_flipped_bit_is_found() {
        let section = Section::of(b"abc", 4096, 7);
        let footer =
            Footer { format: FORMAT, has_checksums: true, entries: 3, deletes: 1, sections: [section; 2] };
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
            if let Some(meta) = any_meta(&bytes) {
                prop_assert!(meta.index.pages() > 0);
            }
        }

        #[test]
        fn value_files_are_listed_and_read_back(
            sizes in prop::collection::vec((1_u64..9, any::<u64>(), any::<u64>()), 0..5),
        ) {
            let mut number = 0;
            let values = sizes.iter().map(|(more, one, other)| {
                number += more;
                ListedValues { number, bytes: *one.max(other), live_bytes: *one.min(other) }
            });
            let mut index = PageIndex::new();
            index.push(None, b"a", BLOCK_BYTES);
            let (smallest, largest) = (Box::from(*b"a"), Box::from(*b"b"));
            let meta = Meta { smallest, largest, large_values: vec![9], values: values.collect(), index };
            let found = Meta::decode(&meta.encode(), meta.format()).unwrap();
            prop_assert_eq!(meta.format() == FORMAT_1, sizes.is_empty());
            prop_assert_eq!((found.large_values, found.values), (meta.large_values, meta.values));
        }
    }
}
