//! Reads of single keys: memtables, then the runs that may have the key, the newest first.

use crate::block::with_page_buffer;
use crate::checksum::{key_hash, partition};
use crate::counters::add;
use crate::entry::{Entry, EntryKind, ValuePlace};
use crate::error::StoreError;
use crate::files::FileKind;
use crate::large_value;
use crate::run::{Page, PageLookup, Run};
use crate::shared::Shared;
use crate::values::ValueFile;
use crate::version::{View, candidates};
use std::sync::Arc;

/// What a store was at a moment, for reading.
#[derive(Clone)]
pub(crate) struct Reading<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) view: Arc<View>,
    /// Writes after this sequence number are not seen.
    pub(crate) sequence: u64,
}

/// What was found about a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    Absent,
    /// The value is here: in the caller's buffer, or in the entry.
    Value,
    Large(ValuePlace),
    Separated(ValuePlace),
}

impl Lookup {
    /// What an entry says about its key. [`Value`](Self::Value): its value is the key's.
    pub(crate) fn of(entry: Entry<'_>) -> Self {
        // The log and the page were checked: a place decodes.
        match entry.kind {
            EntryKind::Delete => Self::Absent,
            EntryKind::Put => Self::Value,
            EntryKind::PutLarge => entry.value_place().map_or(Self::Absent, Self::Large),
            EntryKind::PutSeparated => entry.value_place().map_or(Self::Absent, Self::Separated),
        }
    }
}

impl Reading<'_> {
    /// Reads the value of a key into `value`, whose content it replaces; whether there is one.
    pub(crate) fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.shared.files.check_process()?;
        let outcome = self.find(key, value)?;
        self.value(outcome, value)
    }

    /// Completes what was found about a key: whether it has a value, which then is in `value`.
    pub(crate) fn value(&self, outcome: Lookup, value: &mut Vec<u8>) -> Result<bool, StoreError> {
        match outcome {
            Lookup::Absent => Ok(false),
            Lookup::Value => Ok(true),
            Lookup::Large(large) => {
                large_value::read(&self.shared.files, large, self.shared.options.data.io, value)?;
                Ok(true)
            }
            Lookup::Separated(place) => {
                self.read_separated(place, value)?;
                Ok(true)
            }
        }
    }

    /// Reads a separated value into `value`, whose content it replaces.
    fn read_separated(&self, place: ValuePlace, value: &mut Vec<u8>) -> Result<(), StoreError> {
        let file = self.value_file(place)?;
        let (begin, bytes) = file.blocks(place)?;
        with_page_buffer(bytes, |buffer| {
            file.open()?.read_at(buffer, begin)?;
            value.clear();
            value.extend_from_slice(self.separated_in(buffer, begin, file, place)?);
            Ok(())
        })
    }

    /// The file of a separated value.
    pub(crate) fn value_file(&self, place: ValuePlace) -> Result<&ValueFile, StoreError> {
        let found = self.view.version.values.get(place.number).map(|value_use| &*value_use.file);
        found.ok_or_else(|| StoreError::Damaged {
            path: self.shared.files.path(&FileKind::Values.name(place.number)),
            offset: place.offset,
            what: "no run lists the file of a value",
        })
    }

    /// A separated value in the blocks that were read for it.
    pub(crate) fn separated_in<'b>(
        &self,
        blocks: &'b [u8],
        begin: u64,
        file: &ValueFile,
        place: ValuePlace,
    ) -> Result<&'b [u8], StoreError> {
        add(&self.shared.counters.value_reads, 1);
        file.value_in(blocks, begin, place, self.shared.options.reads.verify_checksums)
    }

    fn find(&self, key: &[u8], value: &mut Vec<u8>) -> Result<Lookup, StoreError> {
        let hash = key_hash(key);
        let partition = partition(hash, self.view.version.partitions.len());
        if let Some(outcome) = self.find_in_memtables(partition, key, value) {
            return Ok(outcome);
        }
        for run in candidates(&self.view.version.partitions[partition], key, hash) {
            let page = run.index().page_of(key);
            let (offset, bytes) = run.index().place(page);
            let cached = self.shared.cache.as_ref().and_then(|cache| cache.get(run.number, page));
            let found = if let Some(page) = cached {
                add(&self.shared.counters.cache_hits, 1);
                // It was verified when it was read.
                self.search(run, offset, None, &page, key, value)?
            } else {
                with_page_buffer(bytes, |buffer| {
                    run.file.read_at(buffer, offset)?;
                    self.search_read(run, page, buffer, key, value)
                })?
            };
            if let Some(outcome) = found {
                return Ok(outcome);
            }
        }
        Ok(Lookup::Absent)
    }

    pub(crate) fn find_in_memtables(
        &self,
        partition: usize,
        key: &[u8],
        value: &mut Vec<u8>,
    ) -> Option<Lookup> {
        self.view
            .memtables
            .iter()
            .find_map(|memtable| memtable.get(partition, key, self.sequence, |entry| taken(entry, value)))
    }

    /// Looks for a key in a page that was read from the run, and keeps the page in the cache.
    pub(crate) fn search_read(
        &self,
        run: &Run,
        page: usize,
        bytes: &[u8],
        key: &[u8],
        value: &mut Vec<u8>,
    ) -> Result<Option<Lookup>, StoreError> {
        add(&self.shared.counters.page_reads, 1);
        let offset = run.index().place(page).0;
        let place = run.page_place(offset).filter(|_| self.shared.options.reads.verify_checksums);
        let found = self.search(run, offset, place, bytes, key, value)?;
        if let Some(cache) = &self.shared.cache {
            cache.insert(run.number, page, bytes);
        }
        Ok(found)
    }

    /// Looks for a key in a page; `None` if it is not there. The page's checksum is verified if a place is given.
    pub(crate) fn search(
        &self,
        run: &Run,
        offset: u64,
        place: Option<u64>,
        page: &[u8],
        key: &[u8],
        value: &mut Vec<u8>,
    ) -> Result<Option<Lookup>, StoreError> {
        let found = Page::new(page, place).and_then(|page| page.find(key));
        match found.map_err(|what| run.file.damaged(offset, what))? {
            PageLookup::Entry(kind, found) => Ok(Some(taken(Entry { key, kind, value: found }, value))),
            PageLookup::Nothing => {
                add(&self.shared.counters.false_positives, 1);
                Ok(None)
            }
        }
    }
}

/// Takes a value that was found into `value`.
fn taken(entry: Entry<'_>, value: &mut Vec<u8>) -> Lookup {
    let found = Lookup::of(entry);
    if matches!(found, Lookup::Value) {
        value.clear();
        value.extend_from_slice(entry.value);
    }
    found
}
