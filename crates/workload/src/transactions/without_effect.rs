//! Settings that change nothing in a configuration, because every arm has the same value: to measure them would prove
//! nothing.

use super::levels::{Checkpoints, WalSegments};
use model::Script;

/// Settings by which Syncline keeps its servers to itself.
const OWN: &[&str] = &[
    "listen_addresses",
    "port",
    "unix_socket_directories",
    "unix_socket_group",
    "unix_socket_permissions",
    "dynamic_shared_memory_type",
    "logging_collector",
    "log_checkpoints",
    "data_directory",
    "config_file",
    "hba_file",
    "ident_file",
    "external_pid_file",
    "max_connections",
];
/// Settings that act at a checkpoint, or decide when one comes.
const OF_CHECKPOINTS: &[&str] = &[
    "checkpoint_timeout",
    "checkpoint_completion_target",
    "checkpoint_flush_after",
    "checkpoint_warning",
    "max_wal_size",
    "min_wal_size",
    "wal_recycle",
];

/// Settings by which a checkpoint comes at a time. A timeout runs on while other servers have their turns, so that it
/// would come in a turn of theirs.
const OF_TIME: &[&str] = &["checkpoint_timeout", "checkpoint_warning"];

/// Settings of the whole pages that are logged after a checkpoint. Every page is touched before the measurement begins,
/// so that all arms log the same.
const OF_WHOLE_PAGES: &[&str] = &["wal_compression", "wal_log_hints"];

/// Why a setting of this name changes nothing; `None` if it may. A clause that says what to do, if anything can be
/// done.
pub fn without_effect(
    script: Script,
    checkpoints: Checkpoints,
    wal_segments: WalSegments,
    name: &str,
) -> Option<&'static str> {
    if OWN.contains(&name) {
        Some("Syncline sets it, and every arm has the same value")
    } else if name.starts_with("autovacuum") || name.starts_with("log_autovacuum") {
        Some("autovacuum is off in every arm")
    } else if checkpoints == Checkpoints::None && OF_CHECKPOINTS.contains(&name) {
        Some("no checkpoint happens while a trial is measured; set checkpoints = cycle")
    } else if checkpoints == Checkpoints::None && OF_WHOLE_PAGES.contains(&name) {
        Some("no whole page is logged while a trial is measured; set checkpoints = cycle")
    } else if checkpoints == Checkpoints::Cycle && OF_TIME.contains(&name) {
        Some(
            "checkpoints come by the growth of the log, because a timeout would end while another server has its turn",
        )
    } else if wal_segments == WalSegments::Prefilled && name == "wal_init_zero" {
        Some("no segment is made while a trial is measured; set wal_segments = fresh")
    } else if script.is_cold() && name == "shared_buffers" {
        Some("this script has small buffers in every arm, so that its data comes from the device")
    } else {
        None
    }
}
