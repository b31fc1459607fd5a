//! Settings that change nothing in a configuration, because every arm has the same value: to measure them would prove
//! nothing.

use super::levels::LogCycles;
use model::RequestKind;

/// Settings by which Syncline keeps its servers to itself, or makes all arms alike.
const OWN: &[&str] = &[
    "innodb_buffer_pool_size",
    "innodb_buffer_pool_load_at_startup",
    "innodb_buffer_pool_dump_at_shutdown",
    "max_connections",
];
/// Settings of the log's size: it has one size in every arm, and a trial of seconds does not fill it.
const OF_LOG_SIZE: &[&str] =
    &["innodb_log_file_size", "innodb_redo_log_capacity", "innodb_log_files_in_group"];
/// Settings that act when pages are written.
const OF_WRITES: &[&str] =
    &["innodb_flush_neighbors", "innodb_doublewrite", "innodb_io_capacity", "innodb_io_capacity_max"];

/// Why a setting of this name changes nothing; `None` if it may. A clause.
pub(super) fn without_effect(request: RequestKind, cycles: LogCycles, name: &str) -> Option<&'static str> {
    if OWN.contains(&name) {
        Some("Syncline sets it, and every arm has the same value")
    } else if cycles == LogCycles::None && OF_LOG_SIZE.contains(&name) {
        Some("every arm has a log of the same size, and no trial is long enough to fill it")
    } else if !request.writes() && OF_WRITES.contains(&name) {
        Some("no page is written while the clients only read")
    } else {
        None
    }
}
