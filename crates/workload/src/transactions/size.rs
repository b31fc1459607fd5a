//! How large pgbench's tables are.

use super::cycle::of_unit;
use model::table_scan::ROWS_OF_PAGE;

/// Rows of `pgbench_accounts` for each unit of the scale (pgbench's `naccounts`).
pub(super) const ACCOUNTS_OF_SCALE: u32 = 100_000;
/// Rows of `pgbench_tellers` for each unit of the scale (pgbench's `ntellers`).
pub(super) const TELLERS_OF_SCALE: u32 = 10;
/// Bytes of a page.
const PAGE_BYTES: u64 = 8192;
/// Bytes of pgbench's tables and their primary keys for each unit of the scale, about, as its manual says.
const BYTES_OF_TABLES: u64 = 15 << 20;
/// Bytes of all tables and indexes for each unit of the scale, about: an index by hash takes 4 MiB.
pub(super) const BYTES_OF_SCALE: u64 = BYTES_OF_TABLES + (4 << 20);
/// The largest scale: an account's number is an `int`.
pub(super) const SCALE_MAX: u64 = 20_000;

/// Accounts that the first of the script `queries` looks for, about.
pub(super) const QUERIED_ACCOUNTS: u32 = 320;
/// `shared_buffers` of every arm of a cold script, so that the server's own buffers hold little of the data. A backend
/// may read ahead into its share of them: some 90 pages, as with PostgreSQL's default of 128 MB and 100 connections.
/// With 16 MB it read 26 pages ahead, and `io_method = worker` a third as fast as `sync`.
pub const SHARED_BUFFERS_OF_COLD_SCRIPTS: &str = "64MB";
const COLD_SHARED_BUFFERS_BYTES: u64 = 64 << 20;
/// PostgreSQL's default `shared_buffers`.
const SHARED_BUFFERS_BYTES: u64 = 128 << 20;
/// Ratio of a cold script's data to those buffers, at least.
const COLD_DATA_TIMES_MIN: u64 = 4;

/// Bytes of `shared_buffers` of a server with these settings: PostgreSQL's default if none of them sets a size.
pub fn shared_buffers_bytes<'a>(settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> u64 {
    let mut settings = settings.into_iter();
    settings.find_map(|(name, value)| shared_buffers(name, value)).unwrap_or(SHARED_BUFFERS_BYTES)
}

/// Bytes that a setting asks for; `None` if it is another setting, or if its value is not a size. Its unit is a page.
fn shared_buffers(name: &str, value: &str) -> Option<u64> {
    const MIB: f64 = 1_048_576.0;
    let mib = of_unit(value, PAGE_BYTES as f64 / MIB).filter(|_| name == "shared_buffers")?;
    Some((mib * MIB) as u64)
}

/// The smallest scale whose tables are an eighth larger than buffers of this size, so that transactions read and write
/// files; the largest scale if none is.
pub fn scale_beyond(buffers_bytes: u64) -> u32 {
    let bytes = buffers_bytes.saturating_add(buffers_bytes / 8);
    bytes.div_ceil(BYTES_OF_TABLES).clamp(1, SCALE_MAX) as u32
}

/// Pages of `pgbench_accounts` at a scale.
pub fn pages_of_accounts(scale: u32) -> u32 {
    (scale * ACCOUNTS_OF_SCALE).div_ceil(ROWS_OF_PAGE)
}

/// The smallest scale at which the accounts are cold.
pub(super) fn scale_of_cold_scripts_min() -> u32 {
    let bytes = COLD_DATA_TIMES_MIN * COLD_SHARED_BUFFERS_BYTES;
    let of_scale = u64::from(pages_of_accounts(1)) * PAGE_BYTES;
    bytes.div_ceil(of_scale) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_buffers_are_pages_unless_the_value_has_a_unit() {
        assert_eq!(shared_buffers("shared_buffers", "1GB"), Some(1 << 30));
        assert_eq!(shared_buffers("shared_buffers", "16384"), Some(128 << 20));
        assert_eq!(shared_buffers("shared_buffers", "much"), None);
        assert_eq!(shared_buffers("temp_buffers", "1GB"), None);
        let other = ("work_mem", "1GB");
        assert_eq!(shared_buffers_bytes([other]), 128 << 20, "the default");
        assert_eq!(shared_buffers_bytes([other, ("shared_buffers", "2GB")]), 2 << 30);
    }

    /// With `shared_buffers = 8GB` tables of 150 MB lay in memory, and a proof of page writes measured none.
    #[test]
    fn tables_pass_beyond_the_buffers_and_grow_with_them() {
        assert_eq!(scale_beyond(SHARED_BUFFERS_BYTES), 10);
        let mut before = 0;
        for buffers_mib in (0..20_000).step_by(37).chain([1 << 18, 1 << 30]) {
            let buffers_bytes = buffers_mib << 20;
            let scale = u64::from(scale_beyond(buffers_bytes));
            let bytes = scale * BYTES_OF_TABLES;
            assert!(bytes > buffers_bytes || scale == SCALE_MAX, "{buffers_mib} MiB");
            assert!(bytes <= buffers_bytes / 8 * 9 + BYTES_OF_TABLES, "no larger than that needs");
            assert!((before.max(1)..=SCALE_MAX).contains(&scale), "{buffers_mib} MiB");
            before = scale;
        }
    }
}
