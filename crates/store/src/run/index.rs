//! Where the pages of a run begin, in memory.

use crate::block::BLOCK_BYTES;
use crate::codec::{Decoder, put_bytes, put_varint};
use crate::key_prefix::key_prefix;

/// Pages of a group. A search looks at the groups first, whose prefixes are close together in memory: to look at
/// separators all over the index takes several times as long.
const GROUP_PAGES: usize = 64;

/// For each page the block where it begins, and the shortest key that separates it from the page before.
#[derive(Debug)]
pub(crate) struct PageIndex {
    separators: Vec<u8>,
    /// Where each page's separator ends.
    ends: Vec<u32>,
    /// The block where each page begins, and the one behind the last page.
    blocks: Vec<u32>,
    /// The prefix of each group's first separator.
    groups: Vec<u64>,
}

impl PageIndex {
    pub(super) fn new() -> Self {
        Self { separators: Vec::new(), ends: Vec::new(), blocks: vec![0], groups: Vec::new() }
    }

    /// Appends a page whose first key is `first`, after a page whose last key is `before`.
    pub(super) fn push(&mut self, before: Option<&[u8]>, first: &[u8], page_bytes: usize) {
        let separator = match before {
            None => &[],
            Some(before) => {
                let shared = before.iter().zip(first).take_while(|(one, other)| one == other).count();
                // `first` is larger, so it is longer or has a larger byte there.
                &first[..(shared + 1).min(first.len())]
            }
        };
        self.push_separator(separator, (page_bytes / BLOCK_BYTES) as u32);
    }

    fn push_separator(&mut self, separator: &[u8], blocks: u32) {
        if self.ends.len().is_multiple_of(GROUP_PAGES) {
            self.groups.push(key_prefix(separator));
        }
        self.separators.extend_from_slice(separator);
        self.ends.push(self.separators.len() as u32);
        let last = self.blocks[self.blocks.len() - 1];
        self.blocks.push(last + blocks);
    }

    pub(super) fn shrink(&mut self) {
        self.separators.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.groups.shrink_to_fit();
    }

    /// Number of pages.
    pub(crate) fn pages(&self) -> usize {
        self.ends.len()
    }

    /// Memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.separators.len() + 4 * (self.ends.len() + self.blocks.len()) + 8 * self.groups.len()
    }

    /// Where a page is: offset and length in bytes.
    pub(crate) fn place(&self, page: usize) -> (u64, usize) {
        let (begin, end) = (self.blocks[page], self.blocks[page + 1]);
        (u64::from(begin) * BLOCK_BYTES as u64, (end - begin) as usize * BLOCK_BYTES)
    }

    /// Bytes of all pages.
    pub(crate) fn data_bytes(&self) -> u64 {
        u64::from(self.blocks[self.blocks.len() - 1]) * BLOCK_BYTES as u64
    }

    pub(crate) fn separator(&self, page: usize) -> &[u8] {
        let begin = page.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.separators[begin..self.ends[page] as usize]
    }

    /// The only page that may have a key.
    #[inline]
    pub(crate) fn page_of(&self, key: &[u8]) -> usize {
        // The separators of the groups before `smaller` are smaller than the key, those behind `same` are larger.
        let prefix = key_prefix(key);
        let smaller = self.groups.partition_point(|first| *first < prefix);
        let same = smaller + self.groups[smaller..].partition_point(|first| *first == prefix);
        let mut low = smaller.saturating_sub(1) * GROUP_PAGES;
        let mut high = self.pages().min(same * GROUP_PAGES);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.separator(middle) <= key {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, self.pages() as u64);
        for page in 0..self.pages() {
            put_varint(out, u64::from(self.blocks[page + 1] - self.blocks[page]));
            put_bytes(out, self.separator(page));
        }
    }

    /// `None` if the bytes are not an index with at least one page, in order.
    pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Self> {
        let pages = decoder.varint()?;
        let mut index = Self::new();
        for page in 0..pages {
            let blocks = u32::try_from(decoder.varint()?).ok()?;
            let separator = decoder.bytes()?;
            let last = *index.blocks.last()?;
            let is_after = page == 0 || index.separator(page as usize - 1) < separator;
            if blocks == 0 || last.checked_add(blocks).is_none() || !is_after {
                return None;
            }
            index.push_separator(separator, blocks);
        }
        index.shrink();
        (pages > 0).then_some(index)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_key_is_looked_for_in_its_page(
            keys in prop::collection::btree_set(prop::collection::vec(0_u8..4, 1..12), 1..400),
            every in 1_usize..4,
        ) {
            let keys: Vec<_> = keys.into_iter().collect();
            let mut index = PageIndex::new();
            let mut before = None;
            for page in keys.chunks(every) {
                index.push(before, &page[0], BLOCK_BYTES * (1 + page[0].len() % 2));
                before = page.last().map(Vec::as_slice);
            }
            let mut bytes = Vec::new();
            index.encode(&mut bytes);
            let copy = PageIndex::decode(&mut Decoder::new(&bytes)).unwrap();
            for (at, key) in keys.iter().enumerate() {
                prop_assert_eq!(index.page_of(key), at / every);
                prop_assert_eq!(copy.page_of(key), at / every);
                prop_assert_eq!(copy.place(at / every), index.place(at / every));
            }
            let places: BTreeSet<_> = (0..copy.pages()).map(|page| copy.place(page).0).collect();
            prop_assert_eq!(places.len(), index.pages());
        }

        #[test]
        fn any_bytes_are_refused_or_an_index(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Some(index) = PageIndex::decode(&mut Decoder::new(&bytes)) {
                prop_assert!(index.page_of(b"key") < index.pages());
            }
        }
    }
}
