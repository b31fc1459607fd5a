//! Writes a file from its beginning to its end, in large pieces, several of them in flight.

use crate::block::{AlignedBuffer, whole_blocks};
use crate::error::StoreError;
use crate::files::{FileKind, Files, InFlight, OpenFile};
use crate::options::DataOptions;
use crate::storage::Durable;
use crate::transfers::Direction;
use model::IoMode;
use std::collections::VecDeque;

/// A file that is being written. It is removed if it is not [kept](Self::keep).
pub(crate) struct FileWriter {
    files: Files,
    name: String,
    file: OpenFile,
    write_bytes: usize,
    write_depth: usize,
    /// What is not written yet, and where in the file it belongs.
    pending: Vec<u8>,
    pending_offset: u64,
    /// Writes in flight, the first one first.
    in_flight: VecDeque<InFlight>,
    /// Memory that was written from.
    spare: Option<AlignedBuffer>,
    is_kept: bool,
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        if !self.is_kept {
            for write in self.in_flight.drain(..) {
                // It failed, or it is of no use.
                let _ = write.wait();
            }
            self.files.remove_unneeded(std::mem::take(&mut self.name));
        }
    }
}

impl FileWriter {
    pub(crate) fn create(
        files: &Files,
        kind: FileKind,
        number: u64,
        data: &DataOptions,
    ) -> Result<Self, StoreError> {
        let io = if data.io == IoMode::Mmap { IoMode::Buffered } else { data.io };
        let name = kind.name(number);
        Ok(Self {
            files: files.clone(),
            file: files.create(&name, io)?,
            name,
            write_bytes: data.write_bytes,
            write_depth: data.write_depth,
            pending: Vec::with_capacity(data.write_bytes + data.page_bytes),
            pending_offset: 0,
            in_flight: VecDeque::new(),
            spare: None,
            is_kept: false,
        })
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.pending_offset + self.pending.len() as u64
    }

    /// Appends bytes. Piece by piece: many of them are not copied as a whole.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let mut pieces = bytes.chunks(self.write_bytes);
        pieces.try_for_each(|piece| self.append_with(|pending| pending.extend_from_slice(piece)))
    }

    /// Appends what `append` does.
    pub(crate) fn append_with<R>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> R) -> Result<R, StoreError> {
        let appended = append(&mut self.pending);
        self.write_pending(self.write_bytes)?;
        Ok(appended)
    }

    /// Appends zeroes up to whole blocks.
    pub(crate) fn fill_block(&mut self) {
        // Pieces are whole blocks, so what is pending begins at one.
        self.pending.resize(whole_blocks(self.pending.len()), 0);
    }

    /// Writes what is pending in pieces, as long as it has at least this number of bytes.
    fn write_pending(&mut self, least: usize) -> Result<(), StoreError> {
        while self.pending.len() >= least && !self.pending.is_empty() {
            let bytes = self.pending.len().min(self.write_bytes);
            let mut piece = self.free_memory()?;
            piece[..bytes].copy_from_slice(&self.pending[..bytes]);
            if self.write_depth == 0 {
                self.file.write_at(&piece[..bytes], self.pending_offset, Durable::Later)?;
                self.spare = Some(piece);
            } else {
                let offset = self.pending_offset;
                let write = self.files.start(Direction::Write, &self.file, piece, bytes, offset);
                self.in_flight.push_back(write);
            }
            self.pending.drain(..bytes);
            self.pending_offset += bytes as u64;
        }
        Ok(())
    }

    /// Memory for one write. Waits for the first write if as many are in flight as may be.
    fn free_memory(&mut self) -> Result<AlignedBuffer, StoreError> {
        let is_full = self.in_flight.len() >= self.write_depth;
        match self.spare.take() {
            Some(spare) => Ok(spare),
            None => match self.in_flight.pop_front_if(|_| is_full) {
                Some(first) => first.wait(),
                None => Ok(AlignedBuffer::zeroed(self.write_bytes)),
            },
        }
    }

    /// Writes what is left, in whole blocks. On return the file survives power loss, except for its name. Returns its
    /// bytes.
    pub(crate) fn finish(&mut self) -> Result<u64, StoreError> {
        self.fill_block();
        self.write_pending(0)?;
        for write in self.in_flight.drain(..) {
            write.wait()?;
        }
        self.file.sync()?;
        Ok(self.pending_offset)
    }

    /// Leaves the complete file where it is.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}
