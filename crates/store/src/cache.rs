//! Pages in memory, by run and page: the crate `quick_cache` (S3-FIFO).

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// A run's number and a page of it.
type Key = (u64, u32);

#[derive(Clone, Debug)]
struct PageBytes;

impl Weighter<Key, Arc<[u8]>> for PageBytes {
    fn weight(&self, _key: &Key, page: &Arc<[u8]>) -> u64 {
        page.len() as u64
    }
}

/// The cache of one store.
#[derive(Debug)]
pub(crate) struct PageCache(Cache<Key, Arc<[u8]>, PageBytes>);

impl PageCache {
    /// A cache of this size; `None` for 0.
    pub(crate) fn new(bytes: u64, page_bytes: usize) -> Option<Self> {
        let items = (bytes / page_bytes as u64).max(1) as usize;
        (bytes > 0).then(|| Self(Cache::with_weighter(items, bytes, PageBytes)))
    }

    pub(crate) fn get(&self, run: u64, page: usize) -> Option<Arc<[u8]>> {
        self.0.get(&(run, page as u32))
    }

    /// Whether a page is there. Unlike a get this says nothing about its use.
    pub(crate) fn contains(&self, run: u64, page: usize) -> bool {
        self.0.contains_key(&(run, page as u32))
    }

    pub(crate) fn insert(&self, run: u64, page: usize, bytes: &[u8]) {
        self.0.insert((run, page as u32), bytes.into());
    }

    /// Bytes of pages that are in the cache.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.weight()
    }
}
