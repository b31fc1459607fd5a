//! The pool's geometry, and the state that every session accesses without the lock.

use crate::frame::Frames;
use crate::table::Table;
use disk::arena::Arena;
use disk::kernel::barrier::AsymmetricBarrier;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A pool's geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The maximum number of pages that it holds.
    pub frames: u32,
    /// Bytes of a page: a power of two from 4 KiB to 64 KiB.
    pub page_size: u32,
    /// Number of pages that can be addressed. Pages that are created and never written may lie beyond the file's end.
    pub pages: u32,
    /// Index of the file in the backend's table.
    pub file: u16,
}

impl Geometry {
    /// Bytes of all frames: the size of the arena.
    pub fn bytes(&self) -> usize {
        self.frames as usize * self.page_size as usize
    }
}

/// The state that is accessed without the lock.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) geometry: Geometry,
    pub(crate) frames: Frames,
    pub(crate) table: Table,
    pub(crate) arena: Arc<Arena>,
    /// Between a pin and a look for pins.
    pub(crate) barrier: AsymmetricBarrier,
    /// Time of the last admission, on the readers' clock.
    pub(crate) now: Apart<AtomicU64>,
}

/// A value that is written now and then, on its own cache lines, because its neighbours are read at every hit. Two
/// lines, because the CPU fetches them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Apart<T>(T);

impl<T> Apart<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
