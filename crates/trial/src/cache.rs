//! The page cache before a trial: cold, warm or as it is, and verified in each case.

use crate::refusal::Refusal;
use crate::site::Site;
use disk::page_cache;
use model::mechanism::{Measured, PageCache};
use model::trial::TrialSpec;
use model::units::KIB;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Evicts every file, enters the memory group if the trial is capped, then warms the files that must be warm. The order
/// matters: pages that were charged to another group are not charged to this one. Returns the verified cached share of each
/// file.
pub(crate) fn prove(site: &Site, spec: &TrialSpec) -> Result<Vec<Measured<f64>>, Refusal> {
    let as_is = spec.configuration.is("cache", "as_is");
    let mut shares = Vec::new();
    for file in site.files() {
        let path = site.path(file);
        shares.push(if as_is { share(&path) } else { page_cache::evict(&path).map_err(Refusal::failed)? });
    }
    if let Some(group) = &spec.memory_group {
        disk::cgroup::enter(group).map_err(Refusal::failed)?;
    }
    // Direct I/O bypasses the cache: there is nothing to warm.
    if spec.configuration.is("cache", "warm") && site.description().uses_page_cache() {
        for (file, share) in
            site.files().iter().zip(&mut shares).filter(|(file, _)| file.layout.is_reusable())
        {
            let path = site.path(file);
            let capped = spec.memory_group.is_some();
            let percent = spec.configuration.count("cached_percentage").unwrap_or(100);
            let warmed = if percent < 100 {
                page_cache::warm_scattered(&path, percent, spec.configuration.bytes("bs").unwrap_or(4 * KIB))
            } else if capped {
                // Under a cap smaller than the files not every page can stay; the share that did is recorded.
                page_cache::read_through(&path)
            } else {
                page_cache::warm(&path)
            };
            *share = warmed.map_err(Refusal::failed)?;
        }
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
    match files_below(directory) {
        Ok(files) => {
            let found = files.iter().map(|file| (file, page_cache::residency(file)));
            sum(found
                .filter(|(file, pages)| pages.value().is_some() || file.exists())
                .map(|(_, pages)| pages))
        }
        Err(error) => Measured::unsupported(format!("{}: cannot read: {error}", directory.display())),
    }
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
