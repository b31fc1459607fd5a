//! Which frame holds a page: an array with an entry for every page of the file.
//!
//! Four bytes for a page of 8 KiB are half a per mille of the file. In return a look-up is one load that no other
//! thread can delay. A server with many files of any size cannot afford that; PostgreSQL uses a partitioned hash table.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Frame + 1 by page; 0 for a page that is in no frame.
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

    /// The frame of a page. By the time of the look it may hold another page, which its state shows.
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

    /// Number of pages of the range that are in the pool or being read into it.
    pub(crate) fn resident(&self, pages: Range<u32>) -> usize {
        pages.filter(|page| self.get(*page).is_some()).count()
    }
}
