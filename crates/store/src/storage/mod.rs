//! The seam between a store and the disk below it: a directory of files, and nothing else that a store does touches a
//! disk.
//!
//! [`Directory`] is the real one, [`simulated::Disk`] one that loses power, tears writes and runs full on request.

mod directory;
mod mapped;
mod read_only;
mod ring;
pub mod simulated;

pub use directory::Directory;
pub(crate) use read_only::ReadOnly;

use model::IoMode;
use std::any::Any;
use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Whether a file is opened for writing too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading only.
    Read,
    /// Both.
    ReadWrite,
}

/// Whether a write returns only when it survives power loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// A later sync makes it survive.
    Later,
    /// As with `RWF_DSYNC`.
    Now,
}

/// A directory.
///
/// A name that was created, renamed or removed survives power loss once [`sync_names`](Self::sync_names) has returned.
pub trait Storage: Debug + Send + Sync {
    /// Makes a new, empty file for reading and writing; replaces one of that name.
    fn create(&self, name: &str, io: IoMode) -> io::Result<Arc<dyn StorageFile>>;

    /// Opens a file that is there.
    fn open(&self, name: &str, io: IoMode, access: Access) -> io::Result<Arc<dyn StorageFile>>;

    /// Gives a file another name, atomically; replaces a file that has it.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file that nobody reads any more.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// The names of all files, in no order.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Makes all names so far survive power loss.
    fn sync_names(&self) -> io::Result<()>;

    /// Locks the directory against every other handle, in this process or another, until the lock is dropped; `None` if
    /// it is locked.
    fn lock(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>>;

    /// Locks the directory against handles that write, and leaves it to others that read; `None` if one that writes has
    /// it. Writes nothing: if the file is not there, nothing is locked.
    fn lock_shared(&self, name: &str) -> io::Result<Option<Box<dyn Any + Send + Sync>>> {
        self.lock(name)
    }

    /// Makes a file of this size whose blocks nothing else can take. One that is there is completed, or cut.
    ///
    /// # Errors
    /// `Unsupported` if the storage cannot do that.
    fn reserve(&self, _name: &str, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The path of a name, for error texts.
    fn path(&self, name: &str) -> PathBuf;

    /// Checks that files can be opened in this mode here, by a file that is there. Writes nothing.
    ///
    /// # Errors
    /// The reason why not, with what to do.
    fn check(&self, name: &str, io: IoMode) -> Result<(), String>;

    /// The session of the storage: as long as it is the same, nothing that was written has been lost. It ends when the
    /// machine or the file system starts again. `None` if that cannot be known.
    fn session(&self) -> Option<u128> {
        None
    }

    /// Performs many reads, several in flight if the storage can.
    ///
    /// # Errors
    /// What kept the storage from performing reads at all. The error of a single read goes to [`Reads::complete`].
    fn read_many(&self, reads: &mut dyn Reads) -> io::Result<()> {
        one_after_another(reads);
        Ok(())
    }
}

/// An open file.
pub trait StorageFile: Debug + Send + Sync {
    /// Fills `into` with the bytes from `offset` on; `UnexpectedEof` if the file ends before.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all of `bytes`.
    fn write_at(&self, bytes: &[u8], offset: u64, durable: Durable) -> io::Result<()>;

    /// Writes one block, which is the old or the new one if the process dies meanwhile.
    fn write_block(&self, block: &[u8], offset: u64) -> io::Result<()> {
        self.write_at(block, offset, Durable::Later)
    }

    /// Makes every write so far survive power loss.
    fn sync(&self) -> io::Result<()>;

    fn bytes(&self) -> io::Result<u64>;

    /// Frees the memory that only writes need: no further one is likely.
    fn end_writes(&self) {}
}

/// One read of many.
#[derive(Debug)]
pub struct Read {
    /// Returned with the bytes. Unique among the reads in flight.
    pub token: u32,
    /// The number that the file has in [`Reads::files`].
    pub number: u64,
    pub file: Arc<dyn StorageFile>,
    /// Where it begins, a multiple of a block.
    pub offset: u64,
    /// Bytes, whole blocks.
    pub bytes: usize,
}

/// What wants to read, as a state machine: completed reads lead to further ones.
pub trait Reads {
    /// The next read that can begin now; `None` if there is none until another completes.
    fn next(&mut self) -> Option<Read>;

    /// Takes what a read brought.
    fn complete(&mut self, token: u32, read: io::Result<&[u8]>);

    /// All files that a read may name: number and name.
    fn files(&self) -> Vec<(u64, String)>;
}

/// Performs reads one after another.
pub(crate) fn one_after_another(reads: &mut dyn Reads) {
    while let Some(read) = reads.next() {
        crate::block::with_page_buffer(read.bytes, |page| {
            let outcome = read.file.read_at(page, read.offset);
            reads.complete(read.token, outcome.map(|()| &*page));
        });
    }
}
