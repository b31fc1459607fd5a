//! How large pgbench's tables are.

use super::cycle::of_unit;
use model::table_scan::ROWS_OF_PAGE;

/// Rows of `pgbench_accounts` for each unit of the scale (pgbench's `naccounts`).
pub(super) const ACCOUNTS_OF_SCALE: u32 = 100_000;
/// Rows of `pgbench_tellers` for each unit of the scale (pgbench's `ntellers`).
pub(super) const TELLERS_OF_SCALE: u32 = 10;
/// Bytes of a page.
const PAGE_BYTES: u64 = 8192;
/// Bytes of all tables and indexes for each unit of the scale, about: pgbench's manual says 15 MB, and an index by hash
/// takes 4.
pub(super) const BYTES_OF_SCALE: u64 = 19 << 20;

/// Accounts that the first of the script `queries` looks for, about.
pub(super) const QUERIED_ACCOUNTS: u32 = 320;
/// `shared_buffers` of every arm of a cold script, so that the server's own buffers hold little of the data. A backend
/// may read ahead into its share of them: some 90 pages, as with PostgreSQL's default of 128 MB and 100 connections.
/// With 16 MB it read 26 pages ahead, and `io_method = worker` a third as fast as `sync`.
pub const SHARED_BUFFERS_OF_COLD_SCRIPTS: &str = "64MB";
const SHARED_BUFFERS_BYTES: u64 = 64 << 20;
/// Ratio of a cold script's data to those buffers, at least.
const COLD_DATA_TIMES_MIN: u64 = 4;

/// Bytes of `shared_buffers` that a setting asks for; `None` if it is another setting, or if its value is not a size.
/// Its unit is a page.
pub(super) fn shared_buffers(name: &str, value: &str) -> Option<u64> {
    const MIB: f64 = 1_048_576.0;
    let mib = of_unit(value, PAGE_BYTES as f64 / MIB).filter(|_| name == "shared_buffers")?;
    Some((mib * MIB) as u64)
}

/// Pages of `pgbench_accounts` at a scale.
pub fn pages_of_accounts(scale: u32) -> u32 {
    (scale * ACCOUNTS_OF_SCALE).div_ceil(ROWS_OF_PAGE)
}

/// The smallest scale at which the accounts are cold.
pub(super) fn scale_of_cold_scripts_min() -> u32 {
    let bytes = COLD_DATA_TIMES_MIN * SHARED_BUFFERS_BYTES;
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
    }
}
