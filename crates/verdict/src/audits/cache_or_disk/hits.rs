//! What reads measured, by the share of their bytes that came from the page cache.

/// At most this share of hits: the disk was measured.
pub(super) const DISK_AT_MOST: f64 = 0.10;
/// At least this share: the page cache.
pub(super) const CACHE_AT_LEAST: f64 = 0.90;
/// A cold configuration with more hits than this measured mostly the cache.
pub(super) const COLD_AT_MOST: f64 = 0.50;

pub(super) const DISK: &str = "the disk";
pub(super) const CACHE: &str = "the page cache";
pub(super) const MIXTURE: &str = "a mixture";

/// What reads with this share of hits measured.
pub(super) fn measured(hit: f64) -> &'static str {
    if hit <= DISK_AT_MOST {
        DISK
    } else if hit >= CACHE_AT_LEAST {
        CACHE
    } else {
        MIXTURE
    }
}
