//! Files that are read or written through mappings.

use super::{Durable, StorageFile};
use disk::buffer::{Buffer, MappedFile, WritableMappedFile};
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A log segment, written through a mapping once its blocks are there.
#[derive(Debug)]
pub(super) struct MappedLog {
    file: File,
    /// Made by the first write that does not extend the file.
    mapping: Mutex<Option<WritableMappedFile>>,
}

impl MappedLog {
    pub(super) fn new(file: File) -> Self {
        Self { file, mapping: Mutex::default() }
    }
}

impl StorageFile for MappedLog {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(into, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64, durable: Durable) -> io::Result<()> {
        let end = offset.checked_add(bytes.len() as u64).ok_or(io::ErrorKind::InvalidInput)?;
        let mut mapping = self.mapping.lock().unwrap_or_else(PoisonError::into_inner);
        let mapped = match &mut *mapping {
            Some(mapped) => mapped,
            none => {
                let file_bytes = self.bytes()?;
                if file_bytes < end {
                    return self.file.write_all_at(bytes, offset);
                }
                none.insert(WritableMappedFile::new(&self.file, file_bytes)?)
            }
        };
        mapped.write(bytes, offset)?;
        drop(mapping);
        match durable {
            Durable::Later => Ok(()),
            Durable::Now => self.sync(),
        }
    }

    fn write_block(&self, block: &[u8], offset: u64) -> io::Result<()> {
        // A process may die in the middle of a copy to the mapping; the kernel copies a page whole (`mm/filemap.c`).
        self.file.write_all_at(block, offset)
    }

    fn sync(&self) -> io::Result<()> {
        // As msync(MS_SYNC) does: the kernel finds what was written through the mapping (`mm/msync.c`).
        self.file.sync_data()
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn end_writes(&self) {
        // The kernel keeps what was written: the pages are as dirty without the mapping.
        self.mapping.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// A complete run, read through mappings: one for each thread that reads it.
#[derive(Debug)]
pub(super) struct Mapped {
    file: File,
    bytes: u64,
    /// A thread drops its mapping if this is gone.
    alive: Arc<()>,
}

/// What a thread needs to read mapped files.
#[derive(Default)]
struct Mappings {
    files: Vec<(Weak<()>, MappedFile)>,
    copy: Option<Buffer>,
}

thread_local! {
    static MAPPINGS: RefCell<Mappings> = RefCell::default();
}

impl Mapped {
    pub(super) fn new(file: File, bytes: u64) -> Self {
        Self { file, bytes, alive: Arc::new(()) }
    }

    /// This thread's mapping of the file: where in the list it is.
    fn mapping(&self, files: &mut Vec<(Weak<()>, MappedFile)>) -> io::Result<usize> {
        let mine = Arc::downgrade(&self.alive);
        if let Some(found) = files.iter().position(|(owner, _)| owner.ptr_eq(&mine)) {
            return Ok(found);
        }
        files.retain(|(owner, _)| owner.strong_count() > 0);
        files.push((mine, MappedFile::new(&self.file, self.bytes)?));
        Ok(files.len() - 1)
    }
}

impl StorageFile for Mapped {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        if offset.checked_add(into.len() as u64).is_none_or(|end| end > self.bytes) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let length = u32::try_from(into.len()).map_err(io::Error::other)?;
        MAPPINGS.with_borrow_mut(|Mappings { files, copy }| {
            let at = self.mapping(files)?;
            let buffer = match copy.take() {
                Some(buffer) if buffer.capacity() >= into.len() => buffer,
                Some(_) | None => Buffer::allocated(into.len())?,
            };
            let buffer = copy.insert(buffer);
            buffer.copy(&files[at].1, offset, length)?;
            into.copy_from_slice(buffer.filled());
            Ok(())
        })
    }

    fn write_at(&self, _bytes: &[u8], _offset: u64, _durable: Durable) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.bytes)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_writes_unmaps_a_log_and_loses_nothing() {
        let log = MappedLog::new(tempfile::tempfile().unwrap());
        let is_mapped = || log.mapping.lock().unwrap().is_some();
        log.write_at(&[0; 8192], 0, Durable::Later).unwrap();
        assert!(!is_mapped(), "it had no blocks yet");
        log.write_at(b"one", 4096, Durable::Later).unwrap();
        assert!(is_mapped());
        log.end_writes();
        assert!(!is_mapped());
        log.write_at(b"two", 4099, Durable::Now).unwrap();
        let mut found = [0; 6];
        log.read_at(&mut found, 4096).unwrap();
        assert_eq!(&found, b"onetwo");
    }
}
