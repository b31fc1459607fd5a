//! What reads measured, by the share of their bytes that came from the page cache.

pub(super) use laws::list::working_set::DISK_HITS_MAX;

/// At least this share: the page cache.
pub(super) const CACHE_AT_LEAST: f64 = 0.90;
/// A cold configuration with more hits than this measured mostly the cache.
pub(super) const COLD_AT_MOST: f64 = 0.50;

pub(super) const DISK: &str = "the disk";
pub(super) const CACHE: &str = "the page cache";
pub(super) const MIXTURE: &str = "a mixture";

/// What reads with this share of hits measured.
pub(super) fn measured(hit: f64) -> &'static str {
    if hit <= DISK_HITS_MAX {
        DISK
    } else if hit >= CACHE_AT_LEAST {
        CACHE
    } else {
        MIXTURE
    }
}
