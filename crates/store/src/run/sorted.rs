//! A run that is open for reading, and what keeps its files.

use super::filters::Filters;
use super::footer::{Footer, Meta};
use super::index::PageIndex;
use crate::block::AlignedBuffer;
use crate::checksum::place;
use crate::error::StoreError;
use crate::files::{FileKind, Files, InFlight, OpenFile};
use crate::storage::Access;
use crate::transfers::Direction;
use crate::values::{ValueFile, ValueUses};
use model::IoMode;
use std::sync::{Arc, OnceLock};

/// A run that is open for reading.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) number: u64,
    files: Files,
    pub(crate) file: OpenFile,
    footer: Footer,
    meta: Meta,
    pub(crate) filters: Filters,
    /// The value files that entries refer to.
    pub(crate) values: ValueUses,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// Set when no version of the store needs the run any more: its file is removed when the last reader is done.
    retired: OnceLock<Arc<Kept>>,
}

/// What must stay as long as a reader may have a memtable or run that has been replaced: the files of large values that
/// only it refers to, and what took over the others.
#[derive(Debug)]
pub(crate) struct Kept {
    files: Files,
    /// Large values that only the replaced one refers to. They are removed with this.
    dead: Vec<u64>,
    /// Runs that refer to large values of the replaced one: while these are there, nobody removes the values.
    _successors: Vec<Arc<Run>>,
}

impl Kept {
    pub(crate) fn new(files: &Files, dead: Vec<u64>, successors: &[Arc<Run>]) -> Self {
        let successors = successors.iter().filter(|run| !run.large_values().is_empty());
        Self { files: files.clone(), dead, _successors: successors.cloned().collect() }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for number in &self.dead {
            self.files.remove_unneeded(FileKind::Value.name(*number));
        }
    }
}

impl Run {
    /// Opens a complete run. What other runs refer to is in `known`: runs share value files.
    pub(crate) fn open(
        files: &Files,
        number: u64,
        io: IoMode,
        known: &ValueUses,
    ) -> Result<Self, StoreError> {
        let file = files.open(&FileKind::Run.name(number), io, Access::Read)?;
        let bytes = file.bytes()?;
        let footer = Footer::read(&file, number, bytes)?;
        let section = |at: usize| {
            let section = footer.sections[at];
            let mut buffer = AlignedBuffer::zeroed(crate::block::whole_blocks(section.bytes as usize));
            file.read_at(&mut buffer, section.offset)?;
            section.check(&buffer, number).map_err(|what| file.damaged(section.offset, what))?;
            Ok::<_, StoreError>(buffer)
        };
        let used = |at: usize| footer.sections[at].bytes as usize;
        let meta = Meta::decode(&section(0)?[..used(0)], footer.format)
            .ok_or_else(|| file.damaged(footer.sections[0].offset, "the page index cannot be decoded"))?;
        let filters = Filters::decode(&section(1)?[..used(1)])
            .ok_or_else(|| file.damaged(footer.sections[1].offset, "the filter cannot be decoded"))?;
        if meta.index.data_bytes() != footer.sections[0].offset {
            return Err(file.damaged(footer.sections[0].offset, "the page index does not cover the pages"));
        }
        let mut values = ValueUses::default();
        for listed in &meta.values {
            let new = || Arc::new(ValueFile::new(files, listed.number, listed.bytes, io));
            let values_file = known.get(listed.number).map_or_else(new, |found| Arc::clone(&found.file));
            if values_file.bytes != listed.bytes {
                let what = "the run contradicts another one about a value file";
                return Err(file.damaged(footer.sections[0].offset, what));
            }
            values.add(&values_file, listed.live_bytes);
        }
        let files = files.clone();
        Ok(Self { number, files, file, footer, meta, filters, values, bytes, retired: OnceLock::new() })
    }

    /// A run that was just written.
    pub(super) fn written(
        files: &Files,
        number: u64,
        io: IoMode,
        bytes: u64,
        (footer, meta, filters): (Footer, Meta, Filters),
        values: ValueUses,
    ) -> Result<Self, StoreError> {
        let file = files.open(&FileKind::Run.name(number), io, Access::Read)?;
        let files = files.clone();
        Ok(Self { number, files, file, footer, meta, filters, values, bytes, retired: OnceLock::new() })
    }

    /// The run's file in another I/O mode.
    pub(super) fn open_again(&self, io: IoMode) -> Result<OpenFile, StoreError> {
        self.files.open(&FileKind::Run.name(self.number), io, Access::Read)
    }

    /// Starts a read of the run's file, and does not wait for it.
    pub(super) fn start_read(
        &self,
        file: &OpenFile,
        memory: AlignedBuffer,
        bytes: usize,
        offset: u64,
    ) -> InFlight {
        self.files.start(Direction::Read, file, memory, bytes, offset)
    }

    pub(crate) fn index(&self) -> &PageIndex {
        &self.meta.index
    }

    pub(crate) fn smallest(&self) -> &[u8] {
        &self.meta.smallest
    }

    pub(crate) fn largest(&self) -> &[u8] {
        &self.meta.largest
    }

    pub(crate) fn entries(&self) -> u64 {
        self.footer.entries
    }

    pub(crate) fn deletes(&self) -> u64 {
        self.footer.deletes
    }

    /// The files of large values that entries refer to.
    pub(crate) fn large_values(&self) -> &[u64] {
        &self.meta.large_values
    }

    /// Memory of the page index and the two outer keys.
    pub(crate) fn index_bytes(&self) -> usize {
        self.meta.index.bytes() + self.meta.smallest.len() + self.meta.largest.len()
    }

    /// Whether the run may have a key, as far as memory shows.
    #[inline]
    pub(crate) fn may_contain(&self, key: &[u8], hash: u64) -> bool {
        self.smallest() <= key && key <= self.largest() && self.filters.may_contain(key, hash)
    }

    /// What the checksum of the page at this offset is bound to; `None` if pages have no checksums.
    pub(crate) fn page_place(&self, offset: u64) -> Option<u64> {
        self.footer.has_checksums.then(|| place(self.number, offset))
    }

    /// Bytes of the file, and of the values elsewhere that entries refer to.
    pub(crate) fn bytes_with_values(&self) -> u64 {
        self.bytes.saturating_add(self.values.live_bytes())
    }

    /// Marks a run that never was in the store as not needed, with the value file that was written beside it.
    pub(crate) fn discard(&self) {
        // Numbers increase, and the run had its number first.
        let own = self.values.iter().filter(|value_use| value_use.file.number > self.number);
        own.for_each(|value_use| value_use.file.retire());
        self.retire(&Arc::new(Kept::new(&self.files, Vec::new(), &[])));
    }

    /// Marks the run as no longer needed.
    pub(crate) fn retire(&self, kept: &Arc<Kept>) {
        // A run is retired once: only one compaction at a time has it.
        let _ = self.retired.set(Arc::clone(kept));
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.retired.get().is_some() {
            self.files.remove_unneeded(FileKind::Run.name(self.number));
        }
    }
}
