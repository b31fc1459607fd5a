//! Every description agrees with itself, with the advice and with its workload's settings.

use super::{DATABASES, Database};
use crate::change::Change;
use crate::conditions::Conditions;
use crate::design::{Asked, Design};
use crate::server::Server;
use crate::tests::made_up;
use crate::work::Work;
use model::LoadPart;
use model::settings::reach;
use settings::Release;

#[test]
fn each_setting_is_listed_once_and_every_rule_of_advice_is() {
    for database in DATABASES {
        for (place, known) in database.settings.iter().enumerate() {
            let (name, others) = (known.name, &database.settings[..place]);
            assert!(others.iter().all(|other| other.name != name), "{name}");
            assert!(!database.is_reserved(name) && reach(name).is_none(), "{name}");
            let has_rule = database.rules(&Release::Any).iter().any(|rule| rule.name == name);
            assert!(known.values.is_none() || !has_rule, "{name}: its values are those of its rule");
            for load in known.loads.iter().chain(database.loads_of_servers) {
                assert!((database.fixed)(*load, Conditions::ANY).is_some(), "{name}: {load}");
            }
        }
        let missing: Vec<String> = database
            .rules(&Release::Any)
            .into_iter()
            .map(|rule| rule.name)
            .filter(|name| !database.knows(name))
            .collect();
        assert!(missing.is_empty(), "say which loads show it: {missing:?}");
    }
}

/// Advice states what a setting acts on, and a proof the loads that show it: they cannot contradict each other.
#[test]
fn the_loads_that_show_a_setting_have_what_it_acts_on() {
    let reads = [LoadPart::DataReads, LoadPart::TemporaryFiles];
    for database in DATABASES {
        for rule in database.rules(&Release::Any) {
            let loads = database.loads(&rule.name);
            // What threads do with a store is several of these.
            if loads.is_empty() || loads.iter().any(|load| matches!(load.work, Work::Store(_))) {
                continue;
            }
            let only_reads = !loads.iter().any(|load| load.work.writes());
            let acts_on_reads = rule.acts_on.iter().all(|part| reads.contains(part));
            assert!(acts_on_reads || !only_reads, "{}: {:?}, {loads:?}", rule.name, rule.acts_on);
        }
    }
}

#[test]
fn a_race_tries_no_default_and_nothing_that_no_load_shows() {
    for database in DATABASES {
        let all = database.candidates(None, &Release::Any);
        assert!(all.len() >= 8, "{all:?}");
        for Change { name, value, .. } in &all {
            assert_ne!(database.default_value(name, &Release::Any), Some(value.as_str()), "{name}");
            assert!(database.has_load(name), "{name}");
        }
    }
}

/// Each trial of a setting that the server lacks failed, because the server did not start.
#[test]
fn a_race_tries_nothing_that_the_server_lacks_and_not_the_default_of_its_version() {
    let database = Database::named("postgresql").unwrap();
    let has = |version: &str, name: &str, value: &str| {
        let candidates = database.candidates(None, &Release::Of(version.parse().unwrap()));
        candidates.iter().any(|change| change.name == name && change.value == value)
    };
    assert!(has("18.6", "io_method", "sync") && !has("15.18", "io_method", "sync"));
    assert!(has("18.6", "effective_io_concurrency", "1") && !has("15.18", "effective_io_concurrency", "1"));
    assert!(has("15.18", "effective_io_concurrency", "64"));
}

#[test]
fn no_candidate_gives_up_durability_and_each_can_be_an_arm() {
    for database in DATABASES {
        for change in database.candidates(None, &Release::Any) {
            let Change { name, value, .. } = &change;
            assert_eq!(advice::gives_up_durability(database.id, name, value), None, "{name}");
            assert!((database.levels)(&Server::default().with(&change)).is_ok(), "{change:?}");
        }
    }
}

/// Settings on which a promise depends have to be known, so that a file that has them is refused and not left out.
#[test]
fn what_a_table_of_promises_names_is_known_and_no_candidate_weakens_it() {
    for database in DATABASES {
        let Some(table) = database.promises() else { continue };
        for (name, _) in table.promises().iter().flat_map(|promise| &promise.settings) {
            // A binary log names files, so no arm has its own.
            assert!(database.knows(name) || *name == "log_bin", "{}: {name}", database.id);
        }
        let proposed = database.proposed();
        assert!(!proposed.is_empty() && proposed.iter().all(|change| database.has_load(&change.name)));
        assert_eq!(crate::refused(&design(database, proposed)), [], "{}", database.id);
        for release in [Release::Any, Release::Unknown] {
            let candidates = database.candidates(None, &release);
            let design = design(database, candidates);
            assert_eq!(crate::refused(&design), [], "{}", database.id);
        }
    }
}

#[test]
fn a_value_that_weakens_a_promise_is_refused_from_the_table() {
    for (id, name, value) in [
        ("mariadb", "innodb_flush_log_at_trx_commit", "2"),
        ("mariadb", "innodb_doublewrite", "OFF"),
        ("mariadb", "innodb_flush_method", "nosync"),
        ("mariadb", "sync_binlog", "0"),
        ("mysql", "innodb_flush_log_at_trx_commit", "0"),
        ("mysql", "innodb_doublewrite", "DETECT_ONLY"),
        ("mysql", "innodb_flush_method", "O_DIRECT_NO_FSYNC"),
        ("mysql", "sync_binlog", "1000"),
        ("etcd", "unsafe-no-fsync", "true"),
    ] {
        let design = design(Database::named(id).unwrap(), vec![Change::new(name, value)]);
        let refused = crate::refused(&design);
        assert!(matches!(&refused[..], [only] if only.name == name && only.value == value), "{id} {name}");
        let mut in_use = design.clone();
        in_use.asked = Asked::Changes(Vec::new());
        in_use.current.settings.insert(name.to_owned(), value.to_owned());
        assert_eq!(crate::refused(&in_use)[0].arm, crate::CURRENT);
    }
    for (id, name, value) in [
        ("mariadb", "innodb_flush_log_at_trx_commit", "1"),
        ("mariadb", "innodb_flush_method", "fsync"),
        ("mysql", "innodb_doublewrite", "DETECT_AND_RECOVER"),
        ("etcd", "unsafe-no-fsync", "false"),
        ("etcd", "snapshot-count", "10"),
    ] {
        let design = design(Database::named(id).unwrap(), vec![Change::new(name, value)]);
        assert_eq!(crate::refused(&design), [], "{id} {name}");
    }
}

#[test]
fn a_server_gets_only_settings_that_are_known_by_their_whole_names() {
    for (id, name) in [("mariadb", "innodb_undo_d"), ("mysql", "work_mem"), ("etcd", "config-file")] {
        let database = Database::named(id).unwrap();
        assert!(!database.takes(name));
        assert!(design(database, vec![Change::new(name, "x")]).require_sense().is_err(), "{id} {name}");
    }
    assert!(Database::named("postgresql").unwrap().takes("work_mem"));
}

/// Defaults and names are those of a version.
#[test]
fn values_to_try_follow_the_version_of_the_server() {
    let has = |id: &str, version: &str, name: &str, value: &str| {
        let release = Release::Of(version.parse().unwrap());
        let candidates = Database::named(id).unwrap().candidates(Some(name), &release);
        candidates.iter().any(|change| change.value == value)
    };
    assert!(has("mariadb", "10.11.18", "innodb_flush_method", "fsync"));
    assert!(!has("mariadb", "10.11.18", "innodb_flush_method", "O_DIRECT"));
    assert!(has("mariadb", "10.5.9", "innodb_flush_method", "O_DIRECT"));
    assert!(has("etcd", "3.5.16", "snapshot-count", "10000"));
    assert!(!has("etcd", "3.6.1", "snapshot-count", "10000"));
}

fn design(database: &'static Database, changes: Vec<Change>) -> Design {
    Design { database, ..made_up::design(Asked::Race(changes)) }
}

#[test]
fn a_settings_file_is_the_one_that_the_advice_writes() {
    for database in DATABASES {
        let Some(advice) = database.advised_as.and_then(advice::unmeasured) else { continue };
        assert_eq!((database.settings_file, database.syntax), (advice.fragment.as_str(), advice.syntax));
    }
}

/// An advice names the command that proves a setting, and a command without values to try is refused.
#[test]
fn what_an_advice_sends_here_has_values_to_try() {
    for database in DATABASES {
        let Some(advice) = database.advised_as.and_then(advice::unmeasured) else { continue };
        let is_sent = |none: &advice::NoAdvice| {
            none.needs.as_ref().is_some_and(|needs| matches!(needs.command, advice::Command::Prove { .. }))
        };
        for (setting, _) in advice.without().filter(|(_, none)| is_sent(none)) {
            assert!(!database.candidates(Some(&setting.name), &Release::Any).is_empty(), "{}", setting.name);
        }
    }
}

#[test]
fn a_setting_that_nobody_knows_has_no_load_nor_has_one_that_no_load_shows() {
    let database = Database::named("postgresql").unwrap();
    for name in ["a_setting_of_tomorrow", "work_mem", "enable_hashjoin", "zero_damaged_pages"] {
        assert!(database.loads(name).is_empty(), "{name}");
    }
    assert!(database.loads("temp_buffers").is_empty());
    assert!(Database::named("oracle").is_err());
}

#[track_caller]
fn has_levels(database: &str, settings: &[(&str, &str)], expected: &[(&str, &str)]) {
    let mut server = Server::default();
    server.settings.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let found = (Database::named(database).unwrap().levels)(&server).unwrap();
    let found: Vec<(&str, &str)> =
        found.iter().map(|(name, level)| (name.as_str(), level.as_str())).collect();
    assert_eq!(found, expected);
}

/// The audits know what is direct by the level `io`; RocksDB has two settings for it.
#[test]
fn direct_tables_of_rocksdb_are_a_level_if_reads_and_writes_are_alike() {
    let (reads, writes) = ("use_direct_reads", "use_direct_io_for_flush_and_compaction");
    has_levels("rocksdb", &[], &[("io", "buffered"), ("settings", "none")]);
    has_levels("rocksdb", &[(reads, "true"), (writes, "true")], &[("io", "direct"), ("settings", "none")]);
    has_levels("rocksdb", &[(reads, "false"), (writes, "0")], &[("io", "buffered"), ("settings", "none")]);
    let only = [("io", "buffered"), ("settings", "use_direct_reads = true")];
    has_levels("rocksdb", &[(reads, "true")], &only);
    let both =
        "bytes_per_sync = 1048576; use_direct_io_for_flush_and_compaction = false; use_direct_reads = true";
    let settings = [(reads, "true"), (writes, "false"), ("bytes_per_sync", "1048576")];
    has_levels("rocksdb", &settings, &[("io", "buffered"), ("settings", both)]);
}

#[test]
fn the_journal_of_sqlite_is_a_level_of_durability() {
    for (journal, level) in
        [("DELETE", "delete"), ("truncate", "truncate"), ("PERSIST", "persist"), ("Wal", "full")]
    {
        has_levels("sqlite", &[("journal_mode", journal)], &[("durability", level), ("settings", "none")]);
    }
    let settings = [("synchronous", "EXTRA"), ("page_size", "8192")];
    has_levels("sqlite", &settings, &[("durability", "delete"), ("settings", "page_size = 8192")]);
    let levels = Database::named("sqlite").unwrap().levels;
    for (name, value) in [("synchronous", "NORMAL"), ("journal_mode", "MEMORY"), ("journal_mode", "log")] {
        assert!(levels(&Server::default().with(&Change::new(name, value))).is_err(), "{name} = {value}");
    }
}

/// The section of the computed settings tells whether a proof judges a setting.
#[test]
fn a_computed_setting_is_provable_if_a_load_shows_it() {
    let machine = advice::computed::Machine { memory_bytes: Some(1 << 30), rotates: Some(false) };
    let database = Database::named("postgresql").unwrap();
    for computed in advice::computed::computed(machine, None) {
        assert_eq!(computed.is_provable, database.has_load(computed.name), "{}", computed.name);
    }
}
