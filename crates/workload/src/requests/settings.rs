//! The settings that an arm of a server can have: those of its storage, by their whole names.
//!
//! MariaDB and MySQL take the beginning of a name for the name, and have settings that load code or name files. So what
//! is not listed here reaches no server.

use super::levels::ServerKind;

/// MariaDB's and MySQL's.
const OF_INNODB: &[&str] = &[
    "innodb_adaptive_flushing",
    "innodb_adaptive_flushing_lwm",
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_checksum_algorithm",
    "innodb_doublewrite",
    "innodb_flush_log_at_timeout",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_flush_sync",
    "innodb_flushing_avg_loops",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_buffer_size",
    "innodb_log_file_size",
    "innodb_log_write_ahead_size",
    "innodb_lru_scan_depth",
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
    "innodb_old_blocks_pct",
    "innodb_old_blocks_time",
    "innodb_purge_threads",
    "innodb_random_read_ahead",
    "innodb_read_ahead_threshold",
    "innodb_read_io_threads",
    "innodb_use_native_aio",
    "innodb_write_io_threads",
    "sync_binlog",
];
const OF_MARIADB: &[&str] = &[
    "binlog_commit_wait_count",
    "binlog_commit_wait_usec",
    "innodb_data_file_buffering",
    "innodb_data_file_write_through",
    "innodb_log_file_buffering",
    "innodb_log_file_write_through",
    "innodb_log_spin_wait_delay",
];
const OF_MYSQL: &[&str] = &[
    "binlog_group_commit_sync_delay",
    "binlog_group_commit_sync_no_delay_count",
    "binlog_order_commits",
    "innodb_buffer_pool_instances",
    "innodb_dedicated_server",
    "innodb_doublewrite_batch_size",
    "innodb_doublewrite_files",
    "innodb_doublewrite_pages",
    "innodb_fsync_threshold",
    "innodb_idle_flush_pct",
    "innodb_log_writer_threads",
    "innodb_page_cleaners",
    "innodb_redo_log_capacity",
    "innodb_use_fdatasync",
];
const OF_ETCD: &[&str] = &[
    "backend-batch-interval",
    "backend-batch-limit",
    "backend-bbolt-freelist-type",
    "heartbeat-interval",
    "quota-backend-bytes",
    "snapshot-count",
    "unsafe-no-fsync",
];

/// Whether an arm of a server can have a setting.
pub(super) fn has(server: ServerKind, name: &str) -> bool {
    let own = match server {
        ServerKind::MariaDb => [OF_INNODB, OF_MARIADB],
        ServerKind::MySql => [OF_INNODB, OF_MYSQL],
        ServerKind::Etcd => [OF_ETCD, &[]],
    };
    own.iter().any(|names| names.contains(&name))
}
