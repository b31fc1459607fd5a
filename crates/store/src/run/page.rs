//! A page: sorted entries, the unit of reads.
//!
//! ```text
//! 0   8  checksum of the bytes from 8 to the end of the used ones, with the run and the offset; 0 without checksums
//! 8   4  bytes used, this header included
//! 12  4  number of restarts
//! 16     entries: shared, unshared, kind, value length (varints; the kind is a byte), unshared key bytes, value
//!        restarts: 4 bytes each, the offset of an entry that shares nothing with the one before it
//!        zeroes up to whole blocks
//! ```

use crate::block::whole_blocks;
use crate::checksum::checksum;
use crate::codec::{Decoder, put_varint};
use crate::entry::{Entry, EntryKind};

const HEADER_BYTES: usize = 16;
/// Entries between two restarts if keys are compressed (as in LevelDB).
const RESTART_ENTRIES: usize = 16;
/// More than an entry's numbers take.
const ENTRY_NUMBERS_BYTES: usize = 24;
const BROKEN: &str = "a page's entries cannot be decoded";

/// Collects the entries of one page.
#[derive(Debug)]
pub(super) struct PageBuilder {
    bytes: Vec<u8>,
    restarts: Vec<u32>,
    entries: usize,
    last_key: Vec<u8>,
    restart_entries: usize,
}

impl PageBuilder {
    pub(super) fn new(prefix_compression: bool) -> Self {
        Self {
            bytes: vec![0; HEADER_BYTES],
            restarts: Vec::new(),
            entries: 0,
            last_key: Vec::new(),
            restart_entries: if prefix_compression { RESTART_ENTRIES } else { 1 },
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries == 0
    }

    pub(super) fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    /// Whether the page stays within `page_bytes` with one more entry.
    pub(super) fn has_room(&self, entry: Entry<'_>, page_bytes: usize) -> bool {
        let more = entry.key.len() + entry.value.len() + ENTRY_NUMBERS_BYTES;
        self.bytes.len() + 4 * (self.restarts.len() + 1) + more <= page_bytes
    }

    pub(super) fn push(&mut self, entry: Entry<'_>) {
        let is_restart = self.entries.is_multiple_of(self.restart_entries);
        let shared = if is_restart {
            self.restarts.push(self.bytes.len() as u32);
            0
        } else {
            shared_prefix(&self.last_key, entry.key)
        };
        let unshared = &entry.key[shared..];
        put_varint(&mut self.bytes, shared as u64);
        put_varint(&mut self.bytes, unshared.len() as u64);
        self.bytes.push(entry.kind.byte());
        put_varint(&mut self.bytes, entry.value.len() as u64);
        self.bytes.extend_from_slice(unshared);
        self.bytes.extend_from_slice(entry.value);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(unshared);
        self.entries += 1;
    }

    /// Completes the page, appends it in whole blocks to `out`, and is empty again. The page's place is part of its
    /// checksum.
    pub(super) fn finish(&mut self, place: Option<u64>, out: &mut Vec<u8>) -> usize {
        for restart in self.restarts.drain(..) {
            self.bytes.extend_from_slice(&restart.to_le_bytes());
        }
        let used = self.bytes.len();
        let restarts = self.entries.div_ceil(self.restart_entries) as u32;
        self.bytes[8..12].copy_from_slice(&(used as u32).to_le_bytes());
        self.bytes[12..16].copy_from_slice(&restarts.to_le_bytes());
        let sum = place.map_or(0, |place| checksum(&self.bytes[8..], place));
        self.bytes[..8].copy_from_slice(&sum.to_le_bytes());
        let begin = out.len();
        out.extend_from_slice(&self.bytes);
        out.resize(begin + whole_blocks(used), 0);
        self.bytes.truncate(HEADER_BYTES);
        self.entries = 0;
        self.last_key.clear();
        whole_blocks(used)
    }
}

fn shared_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// A page that was read. Its numbers are checked as they are used: without checksums they may be anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    /// From the beginning of the page to the end of its entries.
    entries: &'a [u8],
    restarts: &'a [u8],
}

/// What a page says about a key.
pub(crate) enum PageLookup<'a> {
    Nothing,
    Entry(EntryKind, &'a [u8]),
}

impl<'a> Page<'a> {
    /// Checks the checksum, if pages have one, and the header.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn new(bytes: &'a [u8], place: Option<u64>) -> Result<Self, &'static str> {
        let mut header = Decoder::new(bytes);
        let (sum, used, restarts) = match (header.u64(), header.u32(), header.u32()) {
            (Some(sum), Some(used), Some(restarts)) => (sum, used as usize, restarts as usize),
            (_, _, _) => return Err("a page is shorter than its header"),
        };
        let used = bytes.get(..used).filter(|used| used.len() >= HEADER_BYTES);
        let used = used.ok_or("a page's length is outside the page")?;
        if place.is_some_and(|place| checksum(&used[8..], place) != sum) {
            return Err("a page's checksum does not match");
        }
        let entries = restarts.checked_mul(4).and_then(|bytes| used.len().checked_sub(bytes));
        let entries = entries.filter(|entries| *entries >= HEADER_BYTES);
        let (entries, restarts) = used.split_at(entries.ok_or("a page's restarts are outside the page")?);
        Ok(Self { entries, restarts })
    }

    /// Where the last entry begins that shares nothing with the one before it and is not behind a key, or the first
    /// entry; `None` without entries.
    fn restart_before(&self, key: &[u8]) -> Result<Option<usize>, &'static str> {
        let offset = |index: usize| Some(Decoder::new(self.restarts.get(4 * index..)?).u32()? as usize);
        let (mut low, mut high) = (0, self.restarts.len() / 4);
        while high - low > 1 {
            let middle = low.midpoint(high);
            let entry = offset(middle).and_then(|offset| self.entries.get(offset..));
            let first = entry.and_then(|bytes| RawEntry::take(&mut Decoder::new(bytes)));
            if first.filter(|entry| entry.shared == 0).ok_or(BROKEN)?.unshared <= key {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(offset(low))
    }

    /// Looks for a key.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn find(&self, key: &[u8]) -> Result<PageLookup<'a>, &'static str> {
        let restart = self.restart_before(key)?.and_then(|offset| self.entries.get(offset..));
        let Some(mut at) = restart.map(Decoder::new) else { return Ok(PageLookup::Nothing) };
        // How many bytes the entry before shares with the key that is searched, and whether it is smaller.
        let mut same = 0;
        while !at.is_empty() {
            let entry = RawEntry::take(&mut at).ok_or(BROKEN)?;
            if entry.shared > same {
                // It shares more with the entry before than that one does with the key: it is as small.
                continue;
            }
            if entry.shared < same {
                return Ok(PageLookup::Nothing);
            }
            let rest = &key[same..];
            let more = shared_prefix(entry.unshared, rest);
            same += more;
            match (entry.unshared.get(more), rest.get(more)) {
                (None, None) => return Ok(PageLookup::Entry(entry.kind, entry.value)),
                (Some(byte), Some(wanted)) if byte < wanted => {}
                (None, Some(_)) => {}
                (Some(_), _) => return Ok(PageLookup::Nothing),
            }
        }
        Ok(PageLookup::Nothing)
    }
}

/// An entry as the page has it.
struct RawEntry<'a> {
    shared: usize,
    unshared: &'a [u8],
    kind: EntryKind,
    value: &'a [u8],
}

impl<'a> RawEntry<'a> {
    #[inline]
    fn take(decoder: &mut Decoder<'a>) -> Option<Self> {
        let shared = usize::try_from(decoder.varint()?).ok()?;
        let unshared = usize::try_from(decoder.varint()?).ok()?;
        let kind = EntryKind::from_byte(decoder.u8()?)?;
        let value = usize::try_from(decoder.varint()?).ok()?;
        Some(Self { shared, unshared: decoder.take(unshared)?, kind, value: decoder.take(value)? })
    }
}

/// A position in a page. The page is its owner's, who hands the same one to each method.
#[derive(Debug, Default)]
pub(super) struct PageCursor {
    /// Where the next entry of the page begins, and where its entries end.
    next: usize,
    end: usize,
    key: Vec<u8>,
    kind: Option<EntryKind>,
    value: (usize, usize),
}

impl PageCursor {
    /// Begins at the first entry of a page.
    pub(super) fn load(&mut self, page: &[u8], place: Option<u64>) -> Result<(), &'static str> {
        self.end = Page::new(page, place)?.entries.len();
        self.begin_at(HEADER_BYTES, page)
    }

    /// Moves to an entry that is not behind the first one whose key is `start` or larger, and near it.
    pub(super) fn seek_before(&mut self, start: &[u8], page: &[u8]) -> Result<(), &'static str> {
        match Page::new(page, None)?.restart_before(start)? {
            Some(offset) => self.begin_at(offset, page),
            None => Ok(()),
        }
    }

    /// Moves to an entry that shares nothing with the one before it.
    fn begin_at(&mut self, offset: usize, page: &[u8]) -> Result<(), &'static str> {
        (self.next, self.kind) = (offset, None);
        self.key.clear();
        self.step(page)
    }

    /// Moves to the next entry of the page, or behind its last one.
    pub(super) fn step(&mut self, page: &[u8]) -> Result<(), &'static str> {
        if self.next >= self.end {
            self.kind = None;
            return Ok(());
        }
        let mut decoder = Decoder::new(&page[self.next..self.end]);
        let entry = RawEntry::take(&mut decoder).filter(|entry| entry.shared <= self.key.len());
        let entry = entry.ok_or(BROKEN)?;
        self.key.truncate(entry.shared);
        self.key.extend_from_slice(entry.unshared);
        self.kind = Some(entry.kind);
        self.next = self.end - decoder.left();
        self.value = (self.next - entry.value.len(), self.next);
        Ok(())
    }

    /// The entry; `None` behind the last one.
    #[inline]
    pub(super) fn entry<'a>(&'a self, page: &'a [u8]) -> Option<Entry<'a>> {
        let kind = self.kind?;
        Some(Entry { key: &self.key, kind, value: &page[self.value.0..self.value.1] })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn key() -> impl Strategy<Value = Vec<u8>> {
        // Few letters, so that prefixes are shared.
        prop::collection::vec(0_u8..3, 1..12)
    }

    proptest! {
        #[test]
        fn a_page_has_what_was_pushed_and_nothing_else(
            entries in prop::collection::btree_map(key(), prop::collection::vec(any::<u8>(), 0..40), 1..60),
            others in prop::collection::vec(key(), 40),
            compressed: bool,
        ) {
            let mut builder = PageBuilder::new(compressed);
            for (key, value) in &entries {
                builder.push(Entry { key, kind: EntryKind::Put, value });
            }
            let mut bytes = Vec::new();
            builder.finish(Some(7), &mut bytes);
            prop_assert!(builder.is_empty() && bytes.len().is_multiple_of(4096));
            let page = Page::new(&bytes, Some(7)).unwrap();
            for key in entries.keys().chain(&others) {
                let found = match page.find(key).unwrap() {
                    PageLookup::Nothing => None,
                    PageLookup::Entry(kind, value) => {
                        prop_assert_eq!(kind, EntryKind::Put);
                        Some(value.to_vec())
                    }
                };
                prop_assert_eq!(found.as_ref(), entries.get(key), "{:?}", key);
            }
            let mut cursor = PageCursor::default();
            cursor.load(&bytes, Some(7)).unwrap();
            let mut walked = BTreeMap::new();
            while let Some(entry) = cursor.entry(&bytes) {
                walked.insert(entry.key.to_vec(), entry.value.to_vec());
                cursor.step(&bytes).unwrap();
            }
            prop_assert_eq!(&walked, &entries);
            for start in entries.keys().chain(&others) {
                cursor.seek_before(start, &bytes).unwrap();
                let place = cursor.entry(&bytes).unwrap().key.to_vec();
                prop_assert!(&place <= start || Some(&place) == entries.keys().next(), "{:?} {:?}", place, start);
                let between = entries.range(place..).take_while(|(key, _)| *key < start).count();
                prop_assert!(between <= RESTART_ENTRIES);
            }
        }

        #[test]
        fn a_flipped_bit_is_found_and_a_page_of_elsewhere_too(
            byte in 0_usize..200, bit in 0_u8..8,
        ) {
            let mut builder = PageBuilder::new(true);
            for number in 0_u8..20 {
                builder.push(Entry { key: &[1, 2, number], kind: EntryKind::Put, value: &[number; 8] });
            }
            let mut bytes = Vec::new();
            builder.finish(Some(7), &mut bytes);
            prop_assert!(Page::new(&bytes, Some(8)).is_err());
            bytes[byte] ^= 1 << bit;
            prop_assert!(Page::new(&bytes, Some(7)).is_err());
        }

        #[test]
        fn any_bytes_are_refused_or_read_without_a_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..300), key in key()) {
            if bytes.len() > 16 {
                let used = bytes.len() as u32;
                bytes[8..12].copy_from_slice(&used.to_le_bytes());
                let restarts = u32::from(bytes[12] % 8);
                bytes[12..16].copy_from_slice(&restarts.to_le_bytes());
            }
            if let Ok(page) = Page::new(&bytes, None) {
                let _ = page.find(&key);
            }
            let mut cursor = PageCursor::default();
            if cursor.load(&bytes, None).is_ok() {
                let _ = cursor.seek_before(&key, &bytes);
                while cursor.entry(&bytes).is_some() && cursor.step(&bytes).is_ok() {}
            }
        }
    }

    #[test]
    fn room_counts_restarts_and_numbers() {
        let mut builder = PageBuilder::new(false);
        let value = [0_u8; 100];
        let mut number = 0_u32;
        loop {
            let key = number.to_be_bytes();
            let entry = Entry { key: &key, kind: EntryKind::Put, value: &value };
            if !builder.has_room(entry, 4096) {
                break;
            }
            builder.push(entry);
            number += 1;
        }
        assert_eq!(builder.finish(Some(0), &mut Vec::new()), 4096);
    }
}
