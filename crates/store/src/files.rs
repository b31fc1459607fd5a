//! The store's files by name, with errors that name them.

use crate::block::AlignedBuffer;
use crate::error::StoreError;
use crate::storage::{Access, Durable, Reads, Storage, StorageFile};
use crate::transfers::{Direction, Transfer, Transfers};
use disk::kernel::fork::ForkMark;
use model::IoMode;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory of a store.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    storage: Arc<dyn Storage>,
    transfers: Arc<Transfers>,
    removes_in_background: bool,
    /// The process that opened the store.
    mark: Arc<ForkMark>,
}

/// An open file that knows its path.
#[derive(Clone, Debug)]
pub(crate) struct OpenFile {
    file: Arc<dyn StorageFile>,
    path: Arc<Path>,
}

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Log,
    Run,
    /// One large value.
    Value,
    /// Separated values.
    Values,
}

impl FileKind {
    const ALL: [Self; 4] = [Self::Log, Self::Run, Self::Value, Self::Values];

    const fn extension(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Run => "run",
            Self::Value => "value",
            Self::Values => "values",
        }
    }

    /// The name of the file with this number.
    pub(crate) fn name(self, number: u64) -> String {
        format!("{number:012}.{}", self.extension())
    }

    /// The kind and number of a name; `None` for a file that is not numbered.
    pub(crate) fn parse(name: &str) -> Option<(Self, u64)> {
        let (number, extension) = name.split_once('.')?;
        let kind = Self::ALL.into_iter().find(|kind| kind.extension() == extension)?;
        let is_number = number.len() >= 12 && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.parse().ok()).flatten().map(|number| (kind, number))
    }
}

pub(crate) fn failed(operation: &'static str, path: PathBuf) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io { operation, path, source }
}

impl Files {
    /// At most `transfers_max` reads and writes that were started are in flight at once.
    ///
    /// # Errors
    /// The process has no memory left.
    pub(crate) fn new(storage: Arc<dyn Storage>, transfers_max: usize) -> Result<Self, StoreError> {
        let transfers = Arc::new(Transfers::new(transfers_max));
        let mark = Arc::new(ForkMark::new().map_err(failed("map a page for", storage.path("")))?);
        Ok(Self { storage, transfers, removes_in_background: false, mark })
    }

    /// Whether this process is a child of the one that opened the store.
    #[inline]
    pub(crate) fn is_forked(&self) -> bool {
        self.mark.is_forked()
    }

    /// # Errors
    /// This process is a child of the one that opened the store.
    #[inline]
    pub(crate) fn check_process(&self) -> Result<(), StoreError> {
        if self.is_forked() { Err(self.forked()) } else { Ok(()) }
    }

    #[cold]
    fn forked(&self) -> StoreError {
        StoreError::Forked { path: self.path("") }
    }

    /// The same, with removals of files that nobody needs any more in the background.
    pub(crate) fn removing_in_background(self) -> Self {
        Self { removes_in_background: true, ..self }
    }

    pub(crate) fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Starts a read or write of the first `bytes` of `buffer`, and does not wait for it. Others may be before it.
    pub(crate) fn start(
        &self,
        direction: Direction,
        file: &OpenFile,
        buffer: AlignedBuffer,
        bytes: usize,
        offset: u64,
    ) -> InFlight {
        let transfer = self.transfers.start(direction, file.handle(), buffer, bytes, offset);
        InFlight { direction, file: file.clone(), offset, transfer }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.storage.path(name)
    }

    pub(crate) fn create(&self, name: &str, io: IoMode) -> Result<OpenFile, StoreError> {
        let file = self.storage.create(name, io).map_err(failed("create", self.path(name)))?;
        Ok(OpenFile { file, path: self.path(name).into() })
    }

    pub(crate) fn open(&self, name: &str, io: IoMode, access: Access) -> Result<OpenFile, StoreError> {
        let file = self.storage.open(name, io, access).map_err(failed("open", self.path(name)))?;
        Ok(OpenFile { file, path: self.path(name).into() })
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.storage.rename(from, to).map_err(failed("rename", self.path(from)))
    }

    pub(crate) fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.storage.remove(name).map_err(failed("remove", self.path(name)))
    }

    /// Removes a file that nobody needs any more, if possible: the next open removes what is left. A thread that reads
    /// may come here, and to free the blocks of a large file takes milliseconds.
    pub(crate) fn remove_unneeded(&self, name: String) {
        if self.is_forked() {
            // The parent needs it.
        } else if self.removes_in_background {
            self.transfers.start_removal(Arc::clone(&self.storage), name);
        } else {
            let _ = self.storage.remove(&name);
        }
    }

    /// Waits until the files that nobody needs any more are removed.
    pub(crate) fn await_removals(&self) {
        self.transfers.await_removals();
    }

    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        self.storage.names().map_err(failed("list the files of", self.path("")))
    }

    pub(crate) fn sync_names(&self) -> Result<(), StoreError> {
        self.storage.sync_names().map_err(failed("sync the directory", self.path("")))
    }

    pub(crate) fn read_many(&self, reads: &mut dyn Reads) -> Result<(), StoreError> {
        self.storage.read_many(reads).map_err(failed("read files of", self.path("")))
    }
}

/// A read or write that was started.
#[derive(Debug)]
pub(crate) struct InFlight {
    direction: Direction,
    file: OpenFile,
    offset: u64,
    transfer: Transfer,
}

impl InFlight {
    /// Waits until it is complete; returns its memory.
    pub(crate) fn wait(self) -> Result<AlignedBuffer, StoreError> {
        let Self { direction, file, offset, transfer } = self;
        transfer.wait().map_err(|source| match direction {
            Direction::Read => file.read_failed(source, offset),
            Direction::Write => StoreError::Io { operation: "write", path: file.path(), source },
        })
    }
}

impl OpenFile {
    pub(crate) fn handle(&self) -> Arc<dyn StorageFile> {
        Arc::clone(&self.file)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.path.to_path_buf()
    }

    pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<(), StoreError> {
        self.file.read_at(into, offset).map_err(|source| self.read_failed(source, offset))
    }

    /// The error of a read: a file that ends too early is damaged.
    pub(crate) fn read_failed(&self, source: io::Error, offset: u64) -> StoreError {
        if source.kind() == io::ErrorKind::UnexpectedEof {
            return self.damaged(offset, "the file ends too early");
        }
        StoreError::Io { operation: "read", path: self.path(), source }
    }

    pub(crate) fn damaged(&self, offset: u64, what: &'static str) -> StoreError {
        StoreError::Damaged { path: self.path(), offset, what }
    }

    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64, durable: Durable) -> Result<(), StoreError> {
        self.file.write_at(bytes, offset, durable).map_err(|source| StoreError::Io {
            operation: "write",
            path: self.path(),
            source,
        })
    }

    pub(crate) fn write_block(&self, block: &[u8], offset: u64) -> Result<(), StoreError> {
        self.file.write_block(block, offset).map_err(|source| StoreError::Io {
            operation: "write",
            path: self.path(),
            source,
        })
    }

    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.file.sync().map_err(|source| StoreError::Io { operation: "sync", path: self.path(), source })
    }

    pub(crate) fn end_writes(&self) {
        self.file.end_writes();
    }

    pub(crate) fn bytes(&self) -> Result<u64, StoreError> {
        self.file.bytes().map_err(|source| StoreError::Io {
            operation: "read the size of",
            path: self.path(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back() {
        for kind in FileKind::ALL {
            assert_eq!(FileKind::parse(&kind.name(77)), Some((kind, 77)));
            assert_eq!(FileKind::parse(&kind.name(u64::MAX)), Some((kind, u64::MAX)));
        }
        for other in ["LOCK", "MANIFEST", "1.run", "000000000001.txt", "00000000000x.log", ""] {
            assert_eq!(FileKind::parse(other), None, "{other}");
        }
    }
}
