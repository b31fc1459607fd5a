//! Reads of single keys: memtables, then the runs that may have the key, the newest first.

use crate::block::with_page_buffer;
use crate::checksum::{key_hash, partition};
use crate::counters::add;
use crate::entry::{Entry, EntryKind, LargeValue};
use crate::error::StoreError;
use crate::large_value;
use crate::run::{Page, PageLookup, Run};
use crate::shared::Shared;
use crate::storage::{Read, Reads};
use crate::version::{View, candidates};
use std::io;
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
enum Lookup {
    Absent,
    /// The value is in the caller's buffer.
    Value,
    Large(LargeValue),
}

impl Reading<'_> {
    /// Reads the value of a key into `value`, whose content it replaces; whether there is one.
    pub(crate) fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.shared.files.check_process()?;
        match self.find(key, value)? {
            Lookup::Absent => Ok(false),
            Lookup::Value => Ok(true),
            Lookup::Large(large) => {
                large_value::read(&self.shared.files, large, self.shared.options.data.io, value)?;
                Ok(true)
            }
        }
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

    fn find_in_memtables(&self, partition: usize, key: &[u8], value: &mut Vec<u8>) -> Option<Lookup> {
        self.view.memtables.iter().find_map(|memtable| {
            memtable.get(partition, key, self.sequence, |Entry { kind, value: found, .. }| {
                taken(kind, found, value)
            })
        })
    }

    /// Looks for a key in a page that was read from the run, and keeps the page in the cache.
    fn search_read(
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
    fn search(
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
            PageLookup::Entry(kind, found) => Ok(Some(taken(kind, found, value))),
            PageLookup::Nothing => {
                add(&self.shared.counters.false_positives, 1);
                Ok(None)
            }
        }
    }

    /// Reads the values of many keys, with many reads in flight.
    pub(crate) fn multi_get<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.shared.files.check_process()?;
        let mut reads = ManyReads {
            reading: self,
            keys,
            searches: Vec::with_capacity(keys.len()),
            resumed: Vec::new(),
            values: vec![None; keys.len()],
            large: Vec::new(),
            error: None,
        };
        self.shared.files.read_many(&mut reads)?;
        let ManyReads { mut values, large, error, .. } = reads;
        if let Some(error) = error {
            return Err(error);
        }
        for (at, pointer) in large {
            let mut value = Vec::new();
            large_value::read(&self.shared.files, pointer, self.shared.options.data.io, &mut value)?;
            values[at] = Some(value);
        }
        Ok(values)
    }
}

/// Takes a value that was found into `value`.
fn taken(kind: EntryKind, found: &[u8], value: &mut Vec<u8>) -> Lookup {
    match kind {
        EntryKind::Delete => Lookup::Absent,
        EntryKind::Put => {
            value.clear();
            value.extend_from_slice(found);
            Lookup::Value
        }
        // The log and the page were checked: it decodes.
        EntryKind::PutLarge => LargeValue::decode(found).map_or(Lookup::Absent, Lookup::Large),
    }
}

/// Where the search for one key is.
struct Search {
    hash: u64,
    /// Candidates that were looked into.
    done: usize,
    run: Option<Arc<Run>>,
}

/// Many gets as a state machine over reads of pages.
struct ManyReads<'a, K> {
    reading: &'a Reading<'a>,
    keys: &'a [K],
    /// One for each key that was begun.
    searches: Vec<Search>,
    /// Keys whose page did not have them.
    resumed: Vec<usize>,
    values: Vec<Option<Vec<u8>>>,
    large: Vec<(usize, LargeValue)>,
    error: Option<StoreError>,
}

impl<K: AsRef<[u8]>> ManyReads<'_, K> {
    /// Searches on for a key until it needs a page that is not in memory.
    fn search_on(&mut self, at: usize) -> Option<Read> {
        let key = self.keys[at].as_ref();
        let reading = self.reading;
        loop {
            let search = &mut self.searches[at];
            let partitions = &reading.view.version.partitions;
            let levels = &partitions[partition(search.hash, partitions.len())];
            let run = candidates(levels, key, search.hash).nth(search.done)?;
            search.done += 1;
            let page = run.index().page_of(key);
            let (offset, bytes) = run.index().place(page);
            let cached = reading.shared.cache.as_ref().and_then(|cache| cache.get(run.number, page));
            let Some(page) = cached else {
                let token = at as u32;
                search.run = Some(Arc::clone(run));
                return Some(Read { token, number: run.number, file: run.file.handle(), offset, bytes });
            };
            add(&reading.shared.counters.cache_hits, 1);
            let mut value = Vec::new();
            let found = reading.search(run, offset, None, &page, key, &mut value);
            if self.is_over(at, found, value) {
                return None;
            }
        }
    }

    /// Takes what a page said about a key; whether the search is over.
    fn is_over(&mut self, at: usize, found: Result<Option<Lookup>, StoreError>, value: Vec<u8>) -> bool {
        match found {
            Ok(Some(outcome)) => {
                self.settle(at, outcome, value);
                true
            }
            Ok(None) => false,
            Err(error) => {
                self.error.get_or_insert(error);
                true
            }
        }
    }

    fn settle(&mut self, at: usize, outcome: Lookup, value: Vec<u8>) {
        match outcome {
            Lookup::Absent => {}
            Lookup::Value => self.values[at] = Some(value),
            Lookup::Large(large) => self.large.push((at, large)),
        }
    }
}

impl<K: AsRef<[u8]>> Reads for ManyReads<'_, K> {
    fn next(&mut self) -> Option<Read> {
        while let Some(at) = self.resumed.pop() {
            if let Some(read) = self.search_on(at) {
                return Some(read);
            }
        }
        while self.error.is_none() && self.searches.len() < self.keys.len() {
            let at = self.searches.len();
            let key = self.keys[at].as_ref();
            let hash = key_hash(key);
            self.searches.push(Search { hash, done: 0, run: None });
            let mut value = Vec::new();
            let partition = partition(hash, self.reading.view.version.partitions.len());
            if let Some(outcome) = self.reading.find_in_memtables(partition, key, &mut value) {
                self.settle(at, outcome, value);
            } else if let Some(read) = self.search_on(at) {
                return Some(read);
            }
        }
        None
    }

    fn complete(&mut self, token: u32, read: io::Result<&[u8]>) {
        let at = token as usize;
        let Some(run) = self.searches[at].run.take() else { return };
        let key = self.keys[at].as_ref();
        let page = run.index().page_of(key);
        match read {
            Ok(bytes) => {
                let mut value = Vec::new();
                let found = self.reading.search_read(&run, page, bytes, key, &mut value);
                if !self.is_over(at, found, value) {
                    self.resumed.push(at);
                }
            }
            Err(source) => {
                let offset = run.index().place(page).0;
                self.error.get_or_insert(run.file.read_failed(source, offset));
            }
        }
    }

    fn files(&self) -> Vec<(u64, String)> {
        self.reading.view.version.run_files()
    }
}
