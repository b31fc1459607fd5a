//! Walks over sorted entries, and the merge of several.

use crate::entry::Entry;
use crate::error::StoreError;
use crate::key_prefix::key_prefix;

/// A position in a sorted source that has each key at most once.
pub(crate) trait Cursor {
    /// The entry; `None` behind the last one.
    fn entry(&self) -> Option<Entry<'_>>;

    /// Moves to the next entry.
    fn advance(&mut self) -> Result<(), StoreError>;
}

/// Several sources as one: each key once, as the first source that has it.
pub(crate) struct Merge<'a> {
    sources: Vec<Source<'a>>,
    /// Indexes of the sources that have an entry: a binary heap by key, then by index.
    heap: Vec<usize>,
    /// The key of the entry before.
    key: Vec<u8>,
}

struct Source<'a> {
    cursor: Box<dyn Cursor + 'a>,
    /// The current key's: two that differ decide without a look at the keys.
    prefix: u64,
}

impl<'a> Source<'a> {
    fn new(cursor: Box<dyn Cursor + 'a>) -> Self {
        let prefix = cursor.entry().map_or(0, |entry| key_prefix(entry.key));
        Self { cursor, prefix }
    }

    fn key(&self) -> Option<&[u8]> {
        self.cursor.entry().map(|entry| entry.key)
    }

    /// Moves to the next entry; whether there is one.
    fn advance(&mut self) -> Result<bool, StoreError> {
        self.cursor.advance()?;
        let prefix = self.key().map(key_prefix);
        self.prefix = prefix.unwrap_or(0);
        Ok(prefix.is_some())
    }
}

impl<'a> Merge<'a> {
    /// Merges sources, the newest first.
    pub(crate) fn new(sources: Vec<Box<dyn Cursor + 'a>>) -> Self {
        let sources: Vec<Source<'a>> = sources.into_iter().map(Source::new).collect();
        let heap = (0..sources.len()).filter(|index| sources[*index].key().is_some()).collect();
        let mut merge = Self { sources, heap, key: Vec::new() };
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(at);
        }
        merge
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        let source = |index: usize| &self.sources[self.heap[index]];
        let (this, that) = (source(one), source(other));
        let order = this.prefix.cmp(&that.prefix).then_with(|| this.key().cmp(&that.key()));
        order.then_with(|| self.heap[one].cmp(&self.heap[other])).is_lt()
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut first = at;
            if left < self.heap.len() && self.is_before(left, first) {
                first = left;
            }
            if right < self.heap.len() && self.is_before(right, first) {
                first = right;
            }
            if first == at {
                return;
            }
            self.heap.swap(at, first);
            at = first;
        }
    }

    /// Moves to the next key. `replaced` gets each entry of an older source that has the current key.
    pub(crate) fn advance_with(&mut self, mut replaced: impl FnMut(Entry<'_>)) -> Result<(), StoreError> {
        let Some(&top) = self.heap.first() else { return Ok(()) };
        if !self.may_be_replaced() {
            return self.advance_first();
        }
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.extend_from_slice(self.sources[top].key().unwrap_or_default());
        self.advance_first()?;
        while let Some(entry) = self.entry().filter(|entry| entry.key == key) {
            replaced(entry);
            self.advance_first()?;
        }
        self.key = key;
        Ok(())
    }

    /// Whether another source may have the current key. In a heap one of the first two behind the top has it then.
    fn may_be_replaced(&self) -> bool {
        let prefix = |at: usize| self.heap.get(at).map(|source| self.sources[*source].prefix);
        prefix(1) == prefix(0) || prefix(2) == prefix(0)
    }

    /// Moves the source that has the current entry.
    fn advance_first(&mut self) -> Result<(), StoreError> {
        if !self.sources[self.heap[0]].advance()? {
            self.heap.swap_remove(0);
        }
        self.sift_down(0);
        Ok(())
    }
}

impl Cursor for Merge<'_> {
    fn entry(&self) -> Option<Entry<'_>> {
        self.heap.first().and_then(|top| self.sources[*top].cursor.entry())
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        self.advance_with(|_| {})
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use crate::entry::EntryKind;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    struct List(Vec<(Vec<u8>, Vec<u8>)>, usize);

    impl Cursor for List {
        fn entry(&self) -> Option<Entry<'_>> {
            self.0.get(self.1).map(|(key, value)| Entry { key, kind: EntryKind::Put, value })
        }

        fn advance(&mut self) -> Result<(), StoreError> {
            self.1 += 1;
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn a_merge_is_the_newest_of_each_key(
            sources in prop::collection::vec(prop::collection::btree_map(0_u8..20, any::<u8>(), 0..12), 0..6),
        ) {
            let mut expected = BTreeMap::new();
            for source in sources.iter().rev() {
                expected.extend(source.clone());
            }
            let total: usize = sources.iter().map(BTreeMap::len).sum();
            let lists = sources.into_iter().map(|source| {
                let entries = source.into_iter().map(|(key, value)| (vec![key], vec![value])).collect();
                Box::new(List(entries, 0)) as Box<dyn Cursor>
            });
            let mut merge = Merge::new(lists.collect());
            let (mut found, mut replaced) = (BTreeMap::new(), 0);
            while let Some(entry) = merge.entry() {
                prop_assert!(found.insert(entry.key[0], entry.value[0]).is_none());
                merge.advance_with(|_| replaced += 1).unwrap();
            }
            prop_assert_eq!(replaced + found.len(), total);
            prop_assert_eq!(found, expected);
        }
    }
}
