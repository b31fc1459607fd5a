//! How large pgbench's tables are, and how much of them a scan reads.

/// Rows of `pgbench_accounts` for each unit of the scale (pgbench's `naccounts`).
pub(super) const ACCOUNTS_OF_SCALE: u32 = 100_000;
/// Rows of `pgbench_tellers` for each unit of the scale (pgbench's `ntellers`).
pub(super) const TELLERS_OF_SCALE: u32 = 10;
/// Accounts on a page of 8 KiB at pgbench's default fill factor of 100: rows of 97 bytes with a header of 24, aligned to 8, and a
/// line pointer of 4.
const ACCOUNTS_OF_PAGE: u32 = 61;
/// Bytes of a page.
const PAGE_BYTES: u64 = 8192;
/// Bytes of all tables and indexes for each unit of the scale, about: pgbench's manual says 15 MB, and an index by hash takes 4.
pub(super) const BYTES_OF_SCALE: u64 = 19 << 20;

/// Pages that one transaction of the script `sequential_scan` reads: 16 MiB. A server's reads ahead begin again with every transaction,
/// and have to pay where they are long.
pub(super) const SCAN_PAGES: u32 = 2048;
/// Accounts that one transaction of the script `index_scan` looks for, about.
pub(super) const SCANNED_ACCOUNTS: u32 = 64;
/// The same for the script `large_index_scan`.
pub(super) const ACCOUNTS_OF_LARGE_SCAN: u32 = 1024;
/// Accounts that the first of the script `queries` looks for, about.
pub(super) const QUERIED_ACCOUNTS: u32 = 320;
/// `shared_buffers` of every arm of a cold script, so that the server's own buffers hold little of the data. A backend may read ahead
/// into its share of them: some 90 pages, as with PostgreSQL's default of 128 MB and 100 connections. With 16 MB it read 26 pages ahead,
/// and `io_method = worker` a third as fast as `sync`.
pub const SHARED_BUFFERS_OF_COLD_SCRIPTS: &str = "64MB";
const SHARED_BUFFERS_BYTES: u64 = 64 << 20;
/// Ratio of a cold script's data to those buffers, at least.
const COLD_DATA_TIMES_MIN: u64 = 4;

/// Pages of `pgbench_accounts` at a scale.
pub fn pages_of_accounts(scale: u32) -> u32 {
    (scale * ACCOUNTS_OF_SCALE).div_ceil(ACCOUNTS_OF_PAGE)
}

/// The smallest scale at which the accounts are cold.
pub(super) fn scale_of_cold_scripts_min() -> u32 {
    let bytes = COLD_DATA_TIMES_MIN * SHARED_BUFFERS_BYTES;
    let of_scale = u64::from(pages_of_accounts(1)) * PAGE_BYTES;
    bytes.div_ceil(of_scale) as u32
}
