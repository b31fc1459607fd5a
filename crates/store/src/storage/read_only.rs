//! A storage that cannot be changed: what would write does nothing, so a store opens on it as on any other.

use super::{Access, Durable, Reads, Storage, StorageFile};
use model::IoMode;
use std::any::Any;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A storage whose files are read. New files have no place; names stay as they are.
#[derive(Debug)]
pub(crate) struct ReadOnly {
    storage: Arc<dyn Storage>,
    /// A file that is there in every store.
    example: &'static str,
}

impl ReadOnly {
    pub(crate) fn new(storage: Arc<dyn Storage>, example: &'static str) -> Self {
        Self { storage, example }
    }
}

impl Storage for ReadOnly {
    fn create(&self, _name: &str, _io: IoMode) -> io::Result<Arc<dyn StorageFile>> {
        Ok(Arc::new(File(None)))
    }

    fn open(&self, name: &str, io: IoMode, _access: Access) -> io::Result<Arc<dyn StorageFile>> {
        Ok(Arc::new(File(Some(self.storage.open(name, io, Access::Read)?))))
    }

    fn rename(&self, _from: &str, _to: &str) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _name: &str) -> io::Result<()> {
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.storage.names()
    }

    fn sync_names(&self) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        self.storage.lock_shared(name)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.storage.path(name)
    }

    fn check(&self, _name: &str, io: IoMode) -> Result<(), String> {
        // A copy of a store may lack the file of the lock.
        self.storage.check(self.example, io)
    }

    fn session(&self) -> Option<u128> {
        self.storage.session()
    }

    fn read_many(&self, reads: &mut dyn Reads) -> io::Result<()> {
        self.storage.read_many(reads)
    }
}

/// A file that is there, or nothing.
#[derive(Debug)]
struct File(Option<Arc<dyn StorageFile>>);

impl StorageFile for File {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        match &self.0 {
            Some(file) => file.read_at(into, offset),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn write_at(&self, _bytes: &[u8], _offset: u64, _durable: Durable) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn bytes(&self) -> io::Result<u64> {
        self.0.as_ref().map_or(Ok(0), |file| file.bytes())
    }
}
