//! Writes a run: entries in order of their keys, each key once. Values that are large enough go to a value file beside
//! it.

use super::filters::{FiltersBuilder, SPAN_KEYS};
use super::footer::{Footer, Meta, Section};
use super::index::PageIndex;
use super::page::PageBuilder;
use super::sorted::Run;
use crate::checksum::{key_hash, place};
use crate::entry::{Entry, EntryKind};
use crate::error::StoreError;
use crate::file_writer::FileWriter;
use crate::files::{FileKind, Files};
use crate::options::{DataOptions, FilterKind, Options};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::values::{ValueFile, ValueUses, ValueWriter};
use std::sync::Arc;

/// A run that is being written.
pub(crate) struct RunWriter {
    number: u64,
    next_number: Arc<AtomicU64>,
    files: Files,
    writer: FileWriter,
    data: DataOptions,
    page: PageBuilder,
    /// The last key of the page before the one that is being built.
    before: Option<Vec<u8>>,
    /// The first key of the page that is being built.
    first: Vec<u8>,
    index: PageIndex,
    filters: FiltersBuilder,
    smallest: Vec<u8>,
    large_values: Vec<u64>,
    entries: u64,
    deletes: u64,
    /// Values of at least this number of bytes are separated.
    separate_bytes: usize,
    /// The values that were separated.
    separated: Option<ValueWriter>,
    /// Where the last one is, encoded.
    value_place: Vec<u8>,
    /// What the entries so far refer to of the value files that were there before.
    values: ValueUses,
}

/// What was written.
pub(crate) struct Written {
    pub(crate) run: Run,
    /// Bytes of the value file beside it.
    pub(crate) value_bytes: u64,
}

impl RunWriter {
    /// Begins a run with the next number. Entries refer to no other value files than `values`.
    pub(crate) fn create(
        files: &Files,
        next_number: &Arc<AtomicU64>,
        options: &Options,
        values: &ValueUses,
    ) -> Result<Self, StoreError> {
        let number = next_number.fetch_add(1, Ordering::Relaxed);
        let mut unused = ValueUses::default();
        values.iter().for_each(|value_use| unused.add(&value_use.file, 0));
        Ok(Self {
            number,
            next_number: Arc::clone(next_number),
            files: files.clone(),
            writer: FileWriter::create(files, FileKind::Run, number, &options.data)?,
            data: options.data.clone(),
            page: PageBuilder::new(options.data.prefix_compression),
            before: None,
            first: Vec::new(),
            index: PageIndex::new(),
            filters: FiltersBuilder::new(options.data.filter, SPAN_KEYS),
            smallest: Vec::new(),
            large_values: Vec::new(),
            entries: 0,
            deletes: 0,
            separate_bytes: options.values.least_bytes(),
            separated: None,
            value_place: Vec::new(),
            values: unused,
        })
    }

    /// Bytes of pages so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.writer.bytes()
    }

    /// Appends an entry. Its key is larger than every key before it.
    pub(crate) fn push(&mut self, entry: Entry<'_>) -> Result<(), StoreError> {
        if entry.kind != EntryKind::Put || entry.value.len() < self.separate_bytes {
            return self.push_entry(entry);
        }
        let separated = match &mut self.separated {
            Some(separated) => separated,
            none => {
                let number = self.next_number.fetch_add(1, Ordering::Relaxed);
                none.insert(ValueWriter::create(&self.files, number, &self.data)?)
            }
        };
        let place = separated.push(entry.value)?;
        let mut value = std::mem::take(&mut self.value_place);
        value.clear();
        place.encode(&mut value);
        let pushed = self.push_entry(Entry { kind: EntryKind::PutSeparated, value: &value, ..entry });
        self.value_place = value;
        pushed
    }

    fn push_entry(&mut self, entry: Entry<'_>) -> Result<(), StoreError> {
        if !self.page.is_empty() && !self.page.has_room(entry, self.data.page_bytes) {
            self.finish_page()?;
        }
        if self.entries == 0 {
            self.smallest = entry.key.to_vec();
        }
        if self.page.is_empty() {
            self.first.clear();
            self.first.extend_from_slice(entry.key);
        }
        match entry.kind {
            EntryKind::Delete => self.deletes += 1,
            EntryKind::Put => {}
            EntryKind::PutLarge => self.large_values.extend(entry.large_value()),
            EntryKind::PutSeparated => {
                // One that is not there is in the file that is being written.
                if let Some(place) = entry.value_place()
                    && let Some(value_use) = self.values.get_mut(place.number)
                {
                    value_use.live_bytes = value_use.live_bytes.saturating_add(place.bytes);
                }
            }
        }
        self.entries += 1;
        self.filters.push(entry.key, key_hash(entry.key));
        self.page.push(entry);
        Ok(())
    }

    fn finish_page(&mut self) -> Result<(), StoreError> {
        let last = self.page.last_key().to_vec();
        let place = self.data.checksums.then(|| place(self.number, self.bytes()));
        let bytes = self.writer.append_with(|out| self.page.finish(place, out))?;
        self.index.push(self.before.as_deref(), &self.first, bytes);
        self.before = Some(last);
        Ok(())
    }

    /// Completes the run: on return it and its value file survive power loss, except for their names.
    pub(crate) fn finish(mut self) -> Result<Written, StoreError> {
        if !self.page.is_empty() {
            self.finish_page()?;
        }
        let value_bytes = self.finish_values()?;
        self.index.shrink();
        let meta = Meta {
            smallest: std::mem::take(&mut self.smallest).into(),
            largest: self.before.take().unwrap_or_default().into(),
            large_values: std::mem::take(&mut self.large_values),
            values: self.values.iter().map(Into::into).collect(),
            index: std::mem::replace(&mut self.index, PageIndex::new()),
        };
        let index = self.push_section(&meta.encode())?;
        let none = FiltersBuilder::new(FilterKind::None, SPAN_KEYS);
        let filters = std::mem::replace(&mut self.filters, none).finish();
        let sections = [index, self.push_section(&filters.encode())?];
        let footer = Footer {
            format: meta.format(),
            has_checksums: self.data.checksums,
            entries: self.entries,
            deletes: self.deletes,
            sections,
        };
        self.writer.append(&footer.encode(self.number))?;
        let bytes = self.writer.finish()?;
        let parts = (footer, meta, filters);
        let run = Run::written(&self.files, self.number, self.data.io, bytes, parts, self.values)?;
        self.separated.into_iter().for_each(ValueWriter::keep);
        self.writer.keep();
        Ok(Written { run, value_bytes })
    }

    /// Completes the value file, if there is one. Returns its bytes.
    fn finish_values(&mut self) -> Result<u64, StoreError> {
        self.values.remove_unused();
        let Some(separated) = &mut self.separated else { return Ok(0) };
        let bytes = separated.finish()?;
        let file = ValueFile::new(&self.files, separated.number, separated.bytes, self.data.io);
        self.values.add(&Arc::new(file), separated.bytes);
        Ok(bytes)
    }

    fn push_section(&mut self, bytes: &[u8]) -> Result<Section, StoreError> {
        let section = Section::of(bytes, self.bytes(), self.number);
        self.writer.append(bytes)?;
        self.writer.fill_block();
        Ok(section)
    }
}
