//! What is known about PostgreSQL's storage settings: the loads that can show their effect, their default in version 18, and the values
//! worth trying.
//!
//! Defaults: <https://www.postgresql.org/docs/18/runtime-config-wal.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-resource.html>,
//! <https://www.postgresql.org/docs/18/runtime-config-query.html>.

use crate::change::Change;
use crate::load::Load;
use model::Script;

/// Where a setting acts, and so which load can show what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Acts {
    /// In a commit's write to the log.
    Commit,
    /// In the making of a segment of the log.
    Segments,
    /// In commits that wait for each other.
    GroupCommit,
    /// In reads from the disk.
    Reads,
    /// In the choice of a plan.
    Plans,
    /// In transactions of any kind.
    Transactions,
    /// In what no load here does: VACUUM, temporary tables, whole cycles of checkpoints.
    Elsewhere,
}

impl Acts {
    const fn loads(self) -> &'static [Load] {
        const COMMIT: &[Load] =
            &[Load::of(Script::Insert, 1), Load::of(Script::SimpleUpdate, 8), Load::of(Script::Insert, 32)];
        const SEGMENTS: &[Load] = &[
            Load::of(Script::Insert, 1).with_fresh_segments(),
            Load::of(Script::Insert, 32).with_fresh_segments(),
        ];
        const GROUP_COMMIT: &[Load] =
            &[Load::of(Script::Insert, 1), Load::of(Script::Insert, 8), Load::of(Script::Insert, 32)];
        const READS: &[Load] = &[Load::of(Script::SequentialScan, 1), Load::of(Script::IndexScan, 1)];
        const PLANS: &[Load] = &[Load::of(Script::Queries, 1)];
        const TRANSACTIONS: &[Load] = &[Load::of(Script::TpcbLike, 8)];
        match self {
            Self::Commit => COMMIT,
            Self::Segments => SEGMENTS,
            Self::GroupCommit => GROUP_COMMIT,
            Self::Reads => READS,
            Self::Plans => PLANS,
            Self::Transactions => TRANSACTIONS,
            Self::Elsewhere => &[],
        }
    }
}

struct Known {
    name: &'static str,
    acts: Acts,
    default: &'static str,
    /// Other values that a race tries.
    worth_trying: &'static [&'static str],
}

const fn known(
    name: &'static str,
    acts: Acts,
    default: &'static str,
    worth_trying: &'static [&'static str],
) -> Known {
    Known { name, acts, default, worth_trying }
}

const KNOWN: &[Known] = &[
    known("wal_sync_method", Acts::Commit, "fdatasync", &["open_datasync", "fsync", "open_sync"]),
    known("wal_compression", Acts::Commit, "off", &["pglz", "lz4"]),
    known("wal_buffers", Acts::Commit, "-1", &["64MB"]),
    known("wal_init_zero", Acts::Segments, "on", &["off"]),
    known("wal_recycle", Acts::Elsewhere, "on", &[]),
    known("wal_writer_delay", Acts::Commit, "200ms", &[]),
    known("wal_writer_flush_after", Acts::Commit, "1MB", &[]),
    known("wal_log_hints", Acts::Commit, "off", &[]),
    known("commit_delay", Acts::GroupCommit, "0", &["50", "200"]),
    known("commit_siblings", Acts::GroupCommit, "5", &[]),
    known("io_method", Acts::Reads, "worker", &["io_uring", "sync"]),
    known("io_workers", Acts::Reads, "3", &["8"]),
    known("effective_io_concurrency", Acts::Reads, "16", &["1", "64", "200"]),
    known("io_combine_limit", Acts::Reads, "128kB", &["32kB"]),
    known("io_max_combine_limit", Acts::Reads, "128kB", &[]),
    known("io_max_concurrency", Acts::Reads, "-1", &[]),
    known("debug_io_direct", Acts::Reads, "", &[]),
    known("random_page_cost", Acts::Plans, "4.0", &["1.1", "2.0"]),
    known("seq_page_cost", Acts::Plans, "1.0", &[]),
    known("effective_cache_size", Acts::Plans, "4GB", &[]),
    known("shared_buffers", Acts::Transactions, "128MB", &[]),
    known("huge_pages", Acts::Transactions, "try", &[]),
    known("backend_flush_after", Acts::Transactions, "0", &[]),
    known("bgwriter_flush_after", Acts::Transactions, "512kB", &[]),
    known("checkpoint_flush_after", Acts::Elsewhere, "256kB", &[]),
    known("checkpoint_timeout", Acts::Elsewhere, "5min", &[]),
    known("checkpoint_completion_target", Acts::Elsewhere, "0.9", &[]),
    known("max_wal_size", Acts::Elsewhere, "1GB", &[]),
    known("min_wal_size", Acts::Elsewhere, "80MB", &[]),
    known("full_page_writes", Acts::Transactions, "on", &[]),
    known("fsync", Acts::Transactions, "on", &[]),
    known("synchronous_commit", Acts::Transactions, "on", &[]),
    known("maintenance_io_concurrency", Acts::Elsewhere, "16", &[]),
    known("temp_buffers", Acts::Elsewhere, "8MB", &[]),
];

/// What belongs to the cluster that a proof makes: a file of settings does not change it.
const RESERVED: &[&str] = &[
    "archive_command",
    "archive_mode",
    "cluster_name",
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "dynamic_shared_memory_type",
    "listen_addresses",
    "log_checkpoints",
    "max_connections",
    "logging_collector",
    "log_directory",
    "log_filename",
    "log_destination",
    "port",
    "primary_conninfo",
    "restore_command",
    "shared_preload_libraries",
    "ssl",
    "ssl_cert_file",
    "ssl_key_file",
    "synchronous_standby_names",
    "unix_socket_directories",
    "unix_socket_group",
    "unix_socket_permissions",
];

fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// Whether it is a storage setting: the arm `current` takes these from a user's file, and nothing else.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// Whether it belongs to the cluster that a proof makes.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || name.starts_with("autovacuum") || name.starts_with("log_autovacuum")
}

/// The value in PostgreSQL 18 if nothing sets it.
pub fn default_value(name: &str) -> Option<&'static str> {
    find(name).map(|known| known.default)
}

/// The loads that can show what a setting does; none if no load can. A setting that nobody here knows acts in transactions.
pub(crate) fn loads(name: &str) -> &'static [Load] {
    find(name).map_or(Acts::Transactions, |known| known.acts).loads()
}

/// The values that a race tries, of one setting or of all.
pub fn candidates(name: Option<&str>) -> Vec<Change> {
    let wanted = KNOWN.iter().filter(|known| name.is_none_or(|name| name == known.name));
    let values = wanted.flat_map(|known| known.worth_trying.iter().map(|value| (known.name, *value)));
    values.map(|(name, value)| Change::new(name, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_stands_once_and_a_race_does_not_try_the_default() {
        for (place, known) in KNOWN.iter().enumerate() {
            assert!(KNOWN[..place].iter().all(|other| other.name != known.name), "{}", known.name);
            assert!(!known.worth_trying.contains(&known.default), "{}", known.name);
            assert!(known.worth_trying.is_empty() || !known.acts.loads().is_empty(), "{}", known.name);
            assert!(!is_reserved(known.name));
        }
    }

    #[test]
    fn no_candidate_gives_up_durability() {
        for Change { name, value, .. } in candidates(None) {
            assert_eq!(advice::gives_up_durability(crate::DATABASE, &name, &value), None, "{name}");
        }
    }

    /// An advice names the command that proves a setting, and a command without values to try is refused.
    #[test]
    fn what_an_advice_sends_here_has_values_to_try() {
        let advice = advice::unmeasured(crate::DATABASE).unwrap();
        let is_sent = |none: &advice::NoAdvice| {
            none.needs.as_ref().is_some_and(|needs| matches!(needs.command, advice::Command::Prove { .. }))
        };
        let sent = advice.without().filter(|(_, none)| is_sent(none));
        let names: Vec<&str> = sent.map(|(setting, _)| setting.name.as_str()).collect();
        assert!(names.len() >= 10, "{names:?}");
        for name in names {
            assert!(!candidates(Some(name)).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_setting_that_nobody_knows_is_proven_by_transactions() {
        assert_eq!(loads("a_setting_of_tomorrow"), [Load::of(Script::TpcbLike, 8)]);
        assert!(loads("temp_buffers").is_empty());
    }
}
