//! Writes a value file.

use crate::checksum::{checksum, place};
use crate::entry::ValuePlace;
use crate::error::StoreError;
use crate::file_writer::FileWriter;
use crate::files::{FileKind, Files};
use crate::options::DataOptions;

/// A value file that is being written. It is removed if it is not [kept](Self::keep).
pub(crate) struct ValueWriter {
    pub(crate) number: u64,
    writer: FileWriter,
    /// Bytes of the values so far.
    pub(crate) bytes: u64,
}

impl ValueWriter {
    pub(crate) fn create(files: &Files, number: u64, data: &DataOptions) -> Result<Self, StoreError> {
        let writer = FileWriter::create(files, FileKind::Values, number, data)?;
        Ok(Self { number, writer, bytes: 0 })
    }

    /// Appends a value; returns where it is.
    pub(crate) fn push(&mut self, value: &[u8]) -> Result<ValuePlace, StoreError> {
        let (number, offset, bytes) = (self.number, self.bytes, value.len() as u64);
        self.writer.append(value)?;
        self.bytes += bytes;
        Ok(ValuePlace { number, offset, bytes, checksum: checksum(value, place(number, offset)) })
    }

    /// Completes the file: on return it survives power loss, except for its name. Returns its bytes, padding included.
    pub(crate) fn finish(&mut self) -> Result<u64, StoreError> {
        self.writer.finish()
    }

    /// Leaves the complete file where it is.
    pub(crate) fn keep(self) {
        self.writer.keep();
    }
}
