//! The page cache before a trial: cold, warm or as it is, and verified in each case.

use crate::refusal::Refusal;
use crate::site::Site;
use disk::page_cache;
use model::Cache;
use model::mechanism::{Measured, PageCache};
use model::trial::TrialSpec;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The pages of a trial's files in the page cache when the trial starts, as its workload asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Those that are there.
    AsIs,
    /// None.
    Cold,
    /// All.
    Warm,
    /// Blocks of this size, scattered over each file.
    Scattered {
        /// Percent of the blocks.
        percent: u64,
        /// Bytes of a block.
        block_bytes: u64,
    },
}

impl Start {
    /// The state that a parameter `cache` asks for, of which a warm one has `percent` of the blocks.
    pub(crate) const fn new(asked: Cache, percent: u64, block_bytes: u64) -> Self {
        match (asked, percent) {
            (Cache::AsIs, _) => Self::AsIs,
            (Cache::Cold, _) | (Cache::Warm, 0) => Self::Cold,
            (Cache::Warm, 1..100) => Self::Scattered { percent, block_bytes },
            (Cache::Warm, 100..) => Self::Warm,
        }
    }
}

/// Evicts every file, enters the memory group if the trial is capped, then warms the files that must be warm, and
/// enters the group with limits of I/O. The order matters: pages that were charged to another group are not charged to
/// this one. Returns the verified cached share of each file.
pub(crate) fn prove(site: &Site, spec: &TrialSpec, start: Start) -> Result<Vec<Measured<f64>>, Refusal> {
    let mut shares = Vec::new();
    for file in site.files() {
        let path = site.path(file);
        shares.push(match start {
            Start::AsIs => share(&path),
            Start::Cold | Start::Warm | Start::Scattered { .. } => {
                page_cache::evict(&path).map_err(Refusal::failed)?
            }
        });
    }
    if let Some(group) = &spec.memory_group {
        disk::cgroup::enter(group).map_err(Refusal::failed)?;
    }
    // Direct I/O bypasses the cache: there is nothing to warm.
    if site.description().uses_page_cache() {
        let reusable = site.files().iter().zip(&mut shares).filter(|(file, _)| file.layout.is_reusable());
        for (file, share) in reusable {
            let path = site.path(file);
            let warmed = match start {
                Start::AsIs | Start::Cold => continue,
                Start::Scattered { percent, block_bytes } => {
                    page_cache::warm_scattered(&path, percent, block_bytes)
                }
                // Under a cap smaller than the files not every page can stay; the share that did is recorded.
                Start::Warm if spec.memory_group.is_some() => page_cache::read_through(&path),
                Start::Warm => page_cache::warm(&path),
            };
            *share = warmed.map_err(Refusal::failed)?;
        }
    }
    // Last: loading a file into the cache under a limit would take its time of it.
    if let Some(group) = &spec.io_group {
        disk::cgroup::enter(group).map_err(Refusal::failed)?;
    }
    Ok(shares)
}

/// Cached share of a file, 0…1.
pub(crate) fn share(path: &Path) -> Measured<f64> {
    page_cache::cached_share(path).unwrap_or_else(|error| Measured::unsupported(error.to_string()))
}

/// The page cache of all the trial's files.
pub(crate) fn pages(site: &Site) -> Measured<PageCache> {
    sum(site.files().iter().map(|file| page_cache::residency(&site.path(file))))
}

/// The page cache of every file below a directory. A file that an engine removes meanwhile may or may not count.
pub(crate) fn pages_below(directory: &Path) -> Measured<PageCache> {
    pages_of_files_below(directory, |_| true)
}

fn pages_of_files_below(directory: &Path, counts: impl Fn(&PathBuf) -> bool) -> Measured<PageCache> {
    match files_below(directory) {
        Ok(files) => {
            let found =
                files.iter().filter(|file| counts(file)).map(|file| (file, page_cache::residency(file)));
            sum(found
                .filter(|(file, pages)| pages.value().is_some() || file.exists())
                .map(|(_, pages)| pages))
        }
        Err(error) => Measured::unsupported(format!("{}: cannot read: {error}", directory.display())),
    }
}

/// The pages of a store's data: of every file but those that are memory shared between processes, LMDB's table of
/// readers and SQLite's index of its log. An engine never syncs them and makes new ones after a crash, so what is dirty
/// there is no data.
pub(crate) fn pages_of_store(directory: &Path) -> Measured<PageCache> {
    const SHARED_MEMORY: [&str; 3] = ["lock.mdb", "-lock", "-shm"];
    let is_data = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        !SHARED_MEMORY.iter().any(|end| name.ends_with(end))
    };
    pages_of_files_below(directory, is_data)
}

fn files_below(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&entry.path())?),
            Ok(_) => files.push(entry.path()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

pub(crate) fn sum(files: impl Iterator<Item = Measured<PageCache>>) -> Measured<PageCache> {
    let mut sum = PageCache::default();
    for pages in files {
        match pages {
            Measured::Value(pages) => {
                sum.cached_bytes += pages.cached_bytes;
                sum.dirty_bytes += pages.dirty_bytes;
                sum.writeback_bytes += pages.writeback_bytes;
            }
            unsupported @ Measured::Unsupported { .. } => return unsupported,
        }
    }
    Measured::Value(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_cache_has_the_share_that_is_asked_for() {
        let start = |asked, percent| Start::new(asked, percent, 8192);
        assert_eq!(start(Cache::Warm, 100), Start::Warm);
        assert_eq!(start(Cache::Warm, 40), Start::Scattered { percent: 40, block_bytes: 8192 });
        assert_eq!(start(Cache::Warm, 0), Start::Cold);
        assert_eq!((start(Cache::Cold, 40), start(Cache::AsIs, 40)), (Start::Cold, Start::AsIs));
    }
}
