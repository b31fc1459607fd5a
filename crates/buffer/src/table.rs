//! Which frame holds a page: an array with an entry for every page of the file.
//!
//! Four bytes for a page of eight kilobytes are half a per mille of the file, and in return a look-up is one load that no
//! other thread can hold up. A server with many files of any size cannot afford that; PostgreSQL has a partitioned hash
//! table there.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Frame + 1 by page; 0 for pages that are in none.
#[derive(Debug)]
pub(crate) struct Table(Box<[AtomicU32]>);

impl Table {
    pub(crate) fn new(pages: u32) -> Self {
        Self((0..pages).map(|_| AtomicU32::new(0)).collect())
    }

    /// Pages that have an entry.
    pub(crate) fn pages(&self) -> u32 {
        self.0.len() as u32
    }

    /// The frame of a page, which may be another page's by the time it is looked at: its state tells.
    #[inline]
    pub(crate) fn get(&self, page: u32) -> Option<u32> {
        self.0.get(page as usize)?.load(Ordering::Relaxed).checked_sub(1)
    }

    pub(crate) fn set(&self, page: u32, frame: u32) {
        self.0[page as usize].store(frame + 1, Ordering::Relaxed);
    }

    pub(crate) fn clear(&self, page: u32) {
        self.0[page as usize].store(0, Ordering::Relaxed);
    }

    /// Pages of the range that are in the pool or on their way into it.
    pub(crate) fn resident(&self, pages: Range<u32>) -> usize {
        pages.filter(|page| self.get(*page).is_some()).count()
    }
}
