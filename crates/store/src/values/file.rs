//! A file of separated values, for reading.

use crate::block::{BLOCK_BYTES, whole_blocks};
use crate::checksum::{checksum, place};
use crate::entry::ValuePlace;
use crate::error::StoreError;
use crate::files::{FileKind, Files, OpenFile};
use crate::limits::VALUE_BYTES_MAX;
use crate::storage::Access;
use model::IoMode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A complete value file. It is opened when the first value is read.
#[derive(Debug)]
pub(crate) struct ValueFile {
    pub(crate) number: u64,
    /// Bytes of all values that were written to it.
    pub(crate) bytes: u64,
    files: Files,
    io: IoMode,
    opened: OnceLock<OpenFile>,
    /// Set when no run of the store refers to it any more: it is removed when the last reader is done.
    is_retired: AtomicBool,
}

impl ValueFile {
    pub(crate) fn new(files: &Files, number: u64, bytes: u64, io: IoMode) -> Self {
        let (files, is_retired) = (files.clone(), AtomicBool::new(false));
        Self { number, bytes, files, io, opened: OnceLock::new(), is_retired }
    }

    pub(crate) fn name(&self) -> String {
        FileKind::Values.name(self.number)
    }

    /// The open file.
    pub(crate) fn open(&self) -> Result<&OpenFile, StoreError> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = self.open_again(self.io)?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// The file in another I/O mode.
    pub(super) fn open_again(&self, io: IoMode) -> Result<OpenFile, StoreError> {
        self.files.open(&self.name(), io, Access::Read)
    }

    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// The blocks that have a value: where they begin, and their bytes.
    pub(crate) fn blocks(&self, of: ValuePlace) -> Result<(u64, usize), StoreError> {
        let end = of.offset.checked_add(of.bytes).filter(|end| *end <= self.bytes);
        let is_possible = end.is_some() && of.bytes <= VALUE_BYTES_MAX as u64;
        if !is_possible {
            return Err(self.damaged(of.offset, "a value is outside its file"));
        }
        let before = of.offset % BLOCK_BYTES as u64;
        Ok((of.offset - before, whole_blocks((before + of.bytes) as usize)))
    }

    /// A value in bytes of the file that begin at `begin` and have its blocks.
    pub(crate) fn value_in<'a>(
        &self,
        bytes: &'a [u8],
        begin: u64,
        of: ValuePlace,
        verifies_checksum: bool,
    ) -> Result<&'a [u8], StoreError> {
        let at = (of.offset - begin) as usize;
        let value = bytes.get(at..).and_then(|bytes| bytes.get(..of.bytes as usize));
        let value = value.ok_or_else(|| self.damaged(of.offset, "the file ends too early"))?;
        if verifies_checksum && checksum(value, place(self.number, of.offset)) != of.checksum {
            return Err(self.damaged(of.offset, "a value's checksum does not match"));
        }
        Ok(value)
    }

    pub(crate) fn damaged(&self, offset: u64, what: &'static str) -> StoreError {
        StoreError::Damaged { path: self.files.path(&self.name()), offset, what }
    }

    /// Marks the file as no longer needed.
    pub(crate) fn retire(&self) {
        // The caller has the file, so the last reference to it is dropped later.
        self.is_retired.store(true, Ordering::Relaxed);
    }
}

impl Drop for ValueFile {
    fn drop(&mut self) {
        if *self.is_retired.get_mut() {
            self.files.remove_unneeded(self.name());
        }
    }
}
