//! What a pool did. Every session has its own counters, so that no two threads write to one cache line.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pins that found their page in the pool.
    pub hit: u64,
    /// Pages read into the pool, including read-ahead, counted when their read started.
    pub read: u64,
    /// Pages given a frame without a read.
    pub created: u64,
    /// Pages written out, for an eviction or on request.
    pub written: u64,
    /// Pages that were replaced.
    pub evicted: u64,
}

impl Sub for Counters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            hit: self.hit - earlier.hit,
            read: self.read - earlier.read,
            created: self.created - earlier.created,
            written: self.written - earlier.written,
            evicted: self.evicted - earlier.evicted,
        }
    }
}

/// One session's counters: only its thread writes them, any thread reads them. Two cache lines, because the CPU fetches
/// them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct SessionCounters {
    hit: AtomicU64,
    read: AtomicU64,
    created: AtomicU64,
    written: AtomicU64,
    evicted: AtomicU64,
}

/// Adds to a counter that only one thread writes, so no locked instruction is needed.
#[inline]
fn add(count: &AtomicU64, more: u64) {
    count.store(count.load(Ordering::Relaxed) + more, Ordering::Relaxed);
}

impl SessionCounters {
    #[inline]
    pub(crate) fn hit(&self) {
        add(&self.hit, 1);
    }

    pub(crate) fn read(&self) {
        add(&self.read, 1);
    }

    pub(crate) fn created(&self) {
        add(&self.created, 1);
    }

    pub(crate) fn written(&self, pages: u64) {
        add(&self.written, pages);
    }

    pub(crate) fn evicted(&self) {
        add(&self.evicted, 1);
    }

    /// Adds these to a sum.
    pub(crate) fn add_to(&self, sum: &mut Counters) {
        sum.hit += self.hit.load(Ordering::Relaxed);
        sum.read += self.read.load(Ordering::Relaxed);
        sum.created += self.created.load(Ordering::Relaxed);
        sum.written += self.written.load(Ordering::Relaxed);
        sum.evicted += self.evicted.load(Ordering::Relaxed);
    }
}
