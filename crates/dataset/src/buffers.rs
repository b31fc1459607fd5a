//! Where the memory comes from that files are read into: the parameter `buffers`.

use disk::buffer::Buffer;
use model::{BufferPages, IoMode};
use std::io;
use std::sync::{Mutex, PoisonError};

/// How long a buffer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// As long as the trial: one for each reader, resident before the first read.
    Pooled,
    /// One read, from the program's allocator, which may give out memory that it kept.
    Malloc,
    /// One read, mapped again: every page of it faults.
    Fresh,
}

impl Buffers {
    /// A buffer for one read; pooled ones are made here too, once.
    pub(crate) fn make(self, bytes: usize, pages: BufferPages, mode: IoMode) -> io::Result<Buffer> {
        match self {
            Self::Pooled => Buffer::resident(bytes, pages),
            Self::Malloc if mode == IoMode::Direct => Buffer::allocated_aligned(bytes),
            Self::Malloc => Buffer::allocated(bytes),
            Self::Fresh => Buffer::mapped(bytes, pages),
        }
    }
}

/// Things that are used by one thread at a time and kept between passes.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    /// A pool of these.
    pub(crate) fn new(things: Vec<T>) -> Self {
        Self(Mutex::new(things))
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.lock().pop()
    }

    pub(crate) fn give(&self, thing: T) {
        self.lock().push(thing);
    }

    /// Does this with each that is not taken out.
    pub(crate) fn each<U>(&self, work: impl FnMut(&mut T) -> U) -> Vec<U> {
        self.lock().iter_mut().map(work).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<T>> {
        // A list stays a list even if a thread that held it panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
