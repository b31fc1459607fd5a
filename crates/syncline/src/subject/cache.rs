//! Page cache before a trial: cold, warm or as it is, and proven whichever it is.

use super::Refusal;
use super::site::Site;
use disk::page_cache;
use model::IoMode;
use model::mechanism::{Measured, PageCache};
use model::trial::TrialSpec;
use std::path::Path;

/// Evicts every file, enters the memory group if the trial is capped, warms what is to be warm. The order matters:
/// pages that another group paid for are not charged to this one. Returns the proven cached share of each file.
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
    if spec.configuration.is("cache", "warm") && uses_page_cache(spec)? {
        for (file, share) in
            site.files().iter().zip(&mut shares).filter(|(file, _)| file.layout.is_reusable())
        {
            let path = site.path(file);
            let capped = spec.memory_group.is_some();
            // Under a cap smaller than the files not all of it can stay: what did is recorded.
            let warmed = if capped { page_cache::read_through(&path) } else { page_cache::warm(&path) };
            *share = warmed.map_err(Refusal::failed)?;
        }
    }
    Ok(shares)
}

/// Direct I/O goes around the cache: there is nothing to warm.
fn uses_page_cache(spec: &TrialSpec) -> Result<bool, Refusal> {
    let schema = workload::schema(&spec.workload).map_err(Refusal::Failed)?;
    Ok((schema.transfers)(&spec.configuration).iter().any(|transfer| transfer.mode != IoMode::Direct))
}

/// Cached share of a file, 0…1.
pub(crate) fn share(path: &Path) -> Measured<f64> {
    page_cache::cached_share(path).unwrap_or_else(|error| Measured::unsupported(error.to_string()))
}

/// Pages of all the trial's files.
pub(crate) fn pages(site: &Site) -> Measured<PageCache> {
    let mut sum = PageCache::default();
    for file in site.files() {
        match page_cache::residency(&site.path(file)) {
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
