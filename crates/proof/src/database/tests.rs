//! Every description agrees with itself, with the advice and with its workload's settings.

use super::{DATABASES, Database};
use crate::change::Change;
use crate::server::Server;
use settings::Release;

#[test]
fn each_setting_is_listed_once_and_every_rule_of_advice_is() {
    for database in DATABASES {
        for (place, known) in database.settings.iter().enumerate() {
            let (name, others) = (known.name, &database.settings[..place]);
            assert!(others.iter().all(|other| other.name != name), "{name}");
            assert!(!database.is_reserved(name), "{name}");
            let has_rule = database.rules(&Release::Any).iter().any(|rule| rule.name == name);
            assert!(known.values.is_none() || !has_rule, "{name}: its values are those of its rule");
            for load in known.loads.iter().chain(database.loads_of_servers) {
                assert!((database.fixed)(*load, 1.0).is_some(), "{name}: {load}");
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
