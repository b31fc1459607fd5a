//! What every dataset does.

use crate::{Buffers, Clients, ObjectError, Working};
use driver::{Backend, MonotonicClock};
use model::mechanism::Measured;
use model::scan::READ_BYTES_MAX;
use model::units::format_bytes;
use model::{BufferMemory, BufferPages, IoMode, ScanOp};
use std::io;

/// A file of a directory, or an object of a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name within the dataset: a relative path, or a key without the prefix.
    pub name: String,
    /// Its size, bytes.
    pub bytes: u64,
}

/// How a dataset is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// How the page cache takes part; no effect in an object store.
    pub mode: IoMode,
    /// Where the memory for reads comes from.
    pub buffers: Buffers,
    /// What pages it consists of; no effect in an object store.
    pub buffer_pages: BufferPages,
    /// Readers, a thread each.
    pub readers: u32,
    /// Reads that one reader has in flight at most; 1 in a directory.
    pub in_flight_max: u32,
    /// Bytes of the largest read.
    pub read_bytes_max: u64,
}

impl Reading {
    /// Files of a target that are read whole may be of any size, and one operation has a limit.
    pub(crate) fn require_possible(&self, place: String) -> Result<(), ObjectError> {
        if self.read_bytes_max <= READ_BYTES_MAX {
            return Ok(());
        }
        let why = format!(
            "the largest has {}, but one read moves at most {}: set a block_size",
            format_bytes(self.read_bytes_max),
            format_bytes(READ_BYTES_MAX)
        );
        Err(ObjectError::Refused { place, operation: "cannot read files whole", why })
    }
}

/// Files or objects.
pub trait Dataset {
    /// What makes the backends that read it.
    type Readers: Readers;
    /// What makes the backends that work on its objects.
    type Clients: Clients;

    /// Everything in it, in the order of the names.
    ///
    /// # Errors
    /// It is not there, it may not be looked at, or it is empty.
    fn list(&self) -> Result<Vec<Object>, ObjectError>;

    /// The whole of an object.
    ///
    /// # Errors
    /// It is gone, or shorter than the list said.
    fn read(&self, object: &Object) -> Result<Vec<u8>, ObjectError> {
        self.read_range(object, 0, object.bytes)
    }

    /// `length` bytes of an object from `offset` on.
    ///
    /// # Errors
    /// It is gone, or it ends before.
    fn read_range(&self, object: &Object, offset: u64, length: u64) -> Result<Vec<u8>, ObjectError>;

    /// Writes an object of random bytes, the same for the same seed. Only below Syncline's marker.
    ///
    /// # Errors
    /// There is no marker, no room, or no permission.
    fn write(&self, object: &Object, seed: u64) -> Result<(), ObjectError>;

    /// Removes what was written; returns how many objects that were. What carries no marker stays.
    ///
    /// # Errors
    /// There is no marker, or something could not be removed.
    fn remove_written(&self) -> Result<u64, ObjectError>;

    /// Makes ready what all readers of a trial share. An operation's `file` is an index of `objects`.
    ///
    /// # Errors
    /// Memory or connections are refused, or one operation cannot move the largest read.
    fn readers(&self, objects: &[Object], reading: Reading) -> Result<Self::Readers, ObjectError>;

    /// Makes ready what all clients of a trial share. Syncline has to be allowed to write there.
    ///
    /// # Errors
    /// There is no marker, or folders or connections are refused.
    fn clients(&self, working: Working) -> Result<Self::Clients, ObjectError>;

    /// Removes every object of a folder, at any depth; returns how many that were. Syncline has to be allowed to write
    /// there.
    ///
    /// # Errors
    /// There is no marker, or something could not be removed.
    fn empty(&self, folder: &str) -> Result<u64, ObjectError>;
}

/// What the readers of a trial share: they are built again for each pass, buffers and connections stay.
pub trait Readers: Sync {
    /// What one reader performs operations with.
    type Backend: Backend<Op = ScanOp>;

    /// A backend, on the thread that will drive it.
    ///
    /// # Errors
    /// More than [`Reading::readers`] at a time, or the kernel's error.
    fn backend(&self, clock: MonotonicClock) -> io::Result<Self::Backend>;

    /// Requests beyond one for each read, so far: each took the place of one that failed and was safe to repeat.
    fn retries(&self) -> u64;

    /// Why those were needed, each cause with its number.
    fn retry_causes(&self) -> Vec<String>;

    /// What pages the buffers have: pooled ones themselves, otherwise one that is made as those of the reads were.
    /// Between passes, when no backend has a pooled one. `None` if a client allocates them by itself.
    fn buffer_memory(&self) -> Option<Measured<BufferMemory>>;
}
