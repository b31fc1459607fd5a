//! What is known about PostgreSQL's storage settings: the loads that can show their effect. Their defaults and the values that are
//! worth trying are those of the rules of advice.

use crate::DATABASE;
use crate::change::Change;
use crate::load::Load;
use advice::{Role, Setting};
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

/// A storage setting.
struct Known {
    name: &'static str,
    acts: Acts,
}

const fn known(name: &'static str, acts: Acts) -> Known {
    Known { name, acts }
}

const KNOWN: &[Known] = &[
    known("wal_sync_method", Acts::Commit),
    known("wal_compression", Acts::Elsewhere),
    known("wal_buffers", Acts::Commit),
    known("wal_init_zero", Acts::Segments),
    known("wal_recycle", Acts::Elsewhere),
    known("wal_writer_delay", Acts::Commit),
    known("wal_writer_flush_after", Acts::Commit),
    known("wal_log_hints", Acts::Elsewhere),
    known("commit_delay", Acts::GroupCommit),
    known("commit_siblings", Acts::GroupCommit),
    known("io_method", Acts::Reads),
    known("io_workers", Acts::Reads),
    known("effective_io_concurrency", Acts::Reads),
    known("io_combine_limit", Acts::Reads),
    known("io_max_combine_limit", Acts::Reads),
    known("io_max_concurrency", Acts::Reads),
    known("debug_io_direct", Acts::Reads),
    known("random_page_cost", Acts::Plans),
    known("seq_page_cost", Acts::Plans),
    known("effective_cache_size", Acts::Plans),
    known("shared_buffers", Acts::Transactions),
    known("huge_pages", Acts::Transactions),
    known("backend_flush_after", Acts::Transactions),
    known("bgwriter_flush_after", Acts::Transactions),
    known("checkpoint_flush_after", Acts::Elsewhere),
    known("checkpoint_timeout", Acts::Elsewhere),
    known("checkpoint_completion_target", Acts::Elsewhere),
    known("max_wal_size", Acts::Elsewhere),
    known("min_wal_size", Acts::Elsewhere),
    known("full_page_writes", Acts::Transactions),
    known("fsync", Acts::Transactions),
    known("synchronous_commit", Acts::Transactions),
    known("maintenance_io_concurrency", Acts::Elsewhere),
    known("temp_buffers", Acts::Elsewhere),
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

/// The value in the newest version if nothing sets it, of a setting that advice has a rule for.
pub fn default_value(name: &str) -> Option<&'static str> {
    rules().into_iter().find(|rule| rule.name == name)?.default.newest()
}

/// Every setting that advice has a rule for.
fn rules() -> Vec<Setting> {
    advice::unmeasured(DATABASE).map(|advice| advice.settings).unwrap_or_default()
}

/// The loads that can show what a setting does; none if no load can. A setting that nobody here knows acts in transactions.
pub(crate) fn loads(name: &str) -> &'static [Load] {
    find(name).map_or(Acts::Transactions, |known| known.acts).loads()
}

/// Whether a load can show what a setting does.
pub fn has_load(name: &str) -> bool {
    !loads(name).is_empty()
}

/// The values that a race tries: those that advice finds worth trying of one setting, or of all whose effect a load can show.
pub fn candidates(name: Option<&str>) -> Vec<Change> {
    let is_wanted =
        |rule: &Setting| name.map_or_else(|| !loads(&rule.name).is_empty(), |name| name == rule.name);
    let mut candidates = Vec::new();
    for rule in rules().into_iter().filter(is_wanted) {
        let tried = rule.candidates.iter().filter(|candidate| candidate.role == Role::WorthTrying);
        candidates.extend(tried.map(|candidate| Change::new(&rule.name, &candidate.value)));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_is_listed_once_and_every_rule_of_advice_is() {
        for (place, known) in KNOWN.iter().enumerate() {
            assert!(KNOWN[..place].iter().all(|other| other.name != known.name), "{}", known.name);
            assert!(!is_reserved(known.name));
        }
        let missing: Vec<String> =
            rules().into_iter().map(|rule| rule.name).filter(|name| !is_known(name)).collect();
        assert!(missing.is_empty(), "say where they act: {missing:?}");
    }

    #[test]
    fn a_race_tries_no_default_and_nothing_that_no_load_shows() {
        let all = candidates(None);
        assert!(all.len() > 15, "{all:?}");
        for Change { name, value, .. } in &all {
            assert_ne!(default_value(name), Some(value.as_str()), "{name}");
            assert!(!loads(name).is_empty(), "{name}");
        }
        assert!(all.iter().all(|change| change.name != "maintenance_io_concurrency"));
        assert_eq!(candidates(Some("io_method")).len(), 2);
    }

    #[test]
    fn no_candidate_gives_up_durability() {
        for Change { name, value, .. } in candidates(None) {
            assert_eq!(advice::gives_up_durability(DATABASE, &name, &value), None, "{name}");
        }
    }

    /// An advice names the command that proves a setting, and a command without values to try is refused.
    #[test]
    fn what_an_advice_sends_here_has_values_to_try() {
        let advice = advice::unmeasured(DATABASE).unwrap();
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
