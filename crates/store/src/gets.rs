//! Gets of many keys, with many reads in flight: keys are taken as reads complete, so the device never waits for the
//! end of a batch.

use crate::checksum::{key_hash, partition};
use crate::counters::add;
use crate::entry::ValuePlace;
use crate::error::StoreError;
use crate::files::OpenFile;
use crate::read::{Lookup, Reading};
use crate::run::Run;
use crate::storage::{Read, Reads};
use crate::values::ValueFile;
use crate::version::candidates;
use std::io;
use std::iter::Enumerate;

impl Reading<'_> {
    /// Reads the values of many keys, and hands each to `found` with its key's place, in no order.
    pub(crate) fn get_each<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        found: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.shared.files.check_process()?;
        self.read_each(keys, Vec::new(), found)
    }

    /// Reads separated values, and hands each to `found` with the number before it, in no order.
    pub(crate) fn separated_each(
        &self,
        separated: Vec<(usize, ValuePlace)>,
        mut found: impl FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        let found = |place, value: Option<&[u8]>| value.into_iter().for_each(|value| found(place, value));
        self.read_each(std::iter::empty::<&[u8]>(), separated, found)
    }

    fn read_each<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        separated: Vec<(usize, ValuePlace)>,
        found: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        let mut gets = Gets {
            reading: self,
            keys: keys.into_iter().enumerate(),
            found,
            waiting: Vec::new(),
            free: Vec::new(),
            resumed: Vec::new(),
            separated,
            value: Vec::new(),
            error: None,
        };
        self.shared.files.read_many(&mut gets)?;
        gets.error.map_or(Ok(()), Err)
    }

    /// The values of many keys, in the order of the keys.
    pub(crate) fn multi_get<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut values = vec![None; keys.len()];
        self.get_each(keys, |place, value| values[place] = value.map(<[u8]>::to_vec))?;
        Ok(values)
    }
}

/// The search for one key.
struct Search<K> {
    key: K,
    /// Where it is among the keys.
    place: usize,
    hash: u64,
    /// Candidates that were looked into.
    done: usize,
}

/// What waits for a read.
enum Waiting<'a, K> {
    /// A search, for a page of a run.
    Page { search: Search<K>, run: &'a Run, page: usize },
    /// A key that was found, for its value.
    Value(Separated<'a>),
}

/// A separated value of a key that was found.
struct Separated<'a> {
    /// Where the key is among the keys.
    place: usize,
    file: &'a ValueFile,
    value: ValuePlace,
    /// Where the blocks of the value begin.
    begin: u64,
}

/// Many gets as a state machine over reads of pages.
struct Gets<'a, K, I, F> {
    reading: &'a Reading<'a>,
    keys: Enumerate<I>,
    found: F,
    /// By the tokens of the reads.
    waiting: Vec<Option<Waiting<'a, K>>>,
    /// Tokens that no read has.
    free: Vec<u32>,
    /// Searches whose page did not have the key.
    resumed: Vec<Search<K>>,
    /// Places of keys that were found, and of their separated values, which no read was begun for.
    separated: Vec<(usize, ValuePlace)>,
    /// What was found last.
    value: Vec<u8>,
    error: Option<StoreError>,
}

impl<'a, K, I, F> Gets<'a, K, I, F>
where
    K: AsRef<[u8]>,
    I: Iterator<Item = K>,
    F: FnMut(usize, Option<&[u8]>),
{
    /// Begins to search for a key, up to the first page that is not in memory.
    fn begin(&mut self, place: usize, key: K) -> Option<Read> {
        let hash = key_hash(key.as_ref());
        let partition = partition(hash, self.reading.view.version.partitions.len());
        match self.reading.find_in_memtables(partition, key.as_ref(), &mut self.value) {
            Some(outcome) => {
                self.settle(place, outcome);
                None
            }
            None => self.search_on(Search { key, place, hash, done: 0 }),
        }
    }

    /// Searches on for a key until it needs a page that is not in memory.
    fn search_on(&mut self, mut search: Search<K>) -> Option<Read> {
        let reading = self.reading;
        let partitions = &reading.view.version.partitions;
        let levels = &partitions[partition(search.hash, partitions.len())];
        loop {
            let key = search.key.as_ref();
            let Some(run) = candidates(levels, key, search.hash).nth(search.done) else {
                self.settle(search.place, Lookup::Absent);
                return None;
            };
            search.done += 1;
            let page = run.index().page_of(key);
            let (offset, bytes) = run.index().place(page);
            let cached = reading.shared.cache.as_ref().and_then(|cache| cache.get(run.number, page));
            let Some(page) = cached else {
                let token = self.wait(Waiting::Page { search, run, page });
                return Some(Read { token, number: run.number, file: run.file.handle(), offset, bytes });
            };
            add(&reading.shared.counters.cache_hits, 1);
            let found = reading.search(run, offset, None, &page, key, &mut self.value);
            if self.is_over(search.place, found) {
                return None;
            }
        }
    }

    /// Begins to read a separated value.
    fn read_value(&mut self, place: usize, value: ValuePlace) -> Result<Read, StoreError> {
        let reading = self.reading;
        let file = reading.value_file(value)?;
        let (begin, bytes) = file.blocks(value)?;
        let handle = file.open()?.handle();
        let token = self.wait(Waiting::Value(Separated { place, file, value, begin }));
        Ok(Read { token, number: value.number, file: handle, offset: begin, bytes })
    }

    /// Takes the blocks that have a separated value.
    fn take_value(&mut self, separated: &Separated<'a>, blocks: &[u8]) {
        let Separated { place, file, value, begin } = *separated;
        match self.reading.separated_in(blocks, begin, file, value) {
            Ok(value) => (self.found)(place, Some(value)),
            Err(error) => self.fail(error),
        }
    }

    /// Keeps what waits for a read; returns the token of its read.
    fn wait(&mut self, waiting: Waiting<'a, K>) -> u32 {
        let token = self.free.pop().unwrap_or_else(|| {
            self.waiting.push(None);
            self.waiting.len() as u32 - 1
        });
        self.waiting[token as usize] = Some(waiting);
        token
    }

    /// Takes what a page said about a key; whether the search is over.
    fn is_over(&mut self, place: usize, found: Result<Option<Lookup>, StoreError>) -> bool {
        match found {
            Ok(Some(outcome)) => self.settle(place, outcome),
            Ok(None) => return false,
            Err(error) => self.fail(error),
        }
        true
    }

    /// Ends a search. A separated value is to be read then.
    fn settle(&mut self, place: usize, outcome: Lookup) {
        if let Lookup::Separated(value) = outcome {
            self.separated.push((place, value));
            return;
        }
        match self.reading.value(outcome, &mut self.value) {
            Ok(is_there) => (self.found)(place, is_there.then_some(&self.value)),
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: StoreError) {
        self.error.get_or_insert(error);
    }
}

impl<K, I, F> Reads for Gets<'_, K, I, F>
where
    K: AsRef<[u8]>,
    I: Iterator<Item = K>,
    F: FnMut(usize, Option<&[u8]>),
{
    fn next(&mut self) -> Option<Read> {
        loop {
            let read = if let Some((place, value)) = self.separated.pop() {
                self.read_value(place, value).map_err(|error| self.fail(error)).ok()
            } else if let Some(search) = self.resumed.pop() {
                self.search_on(search)
            } else if self.error.is_none() {
                let (place, key) = self.keys.next()?;
                self.begin(place, key)
            } else {
                return None;
            };
            if read.is_some() {
                return read;
            }
        }
    }

    fn complete(&mut self, token: u32, read: io::Result<&[u8]>) {
        let Some(waiting) = self.waiting[token as usize].take() else { return };
        self.free.push(token);
        match (waiting, read) {
            (Waiting::Page { search, run, page }, Ok(bytes)) => {
                let key = search.key.as_ref();
                let found = self.reading.search_read(run, page, bytes, key, &mut self.value);
                if !self.is_over(search.place, found) {
                    self.resumed.push(search);
                }
            }
            (Waiting::Page { run, page, .. }, Err(source)) => {
                self.fail(run.file.read_failed(source, run.index().place(page).0));
            }
            (Waiting::Value(separated), Ok(blocks)) => self.take_value(&separated, blocks),
            (Waiting::Value(separated), Err(source)) => {
                // It was opened for this read.
                let failed = |file: &OpenFile| file.read_failed(source, separated.begin);
                let error = separated.file.open().map_or_else(|error| error, failed);
                self.fail(error);
            }
        }
    }

    fn files(&self) -> Vec<(u64, String)> {
        self.reading.view.version.files()
    }
}
