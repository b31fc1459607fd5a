//! Clients and their requests.

use super::*;
use crate::configured::configured;
use driver::Workload;
use model::description::Rate;
use model::{Cache, Completion, Configuration, DurabilityClass, Nanos, RequestAction};

fn values(changes: &[(&str, &str)]) -> Configuration {
    configured(&SCHEMA, changes)
}

fn parameters(changes: &[(&str, &str)]) -> Parameters {
    Parameters::read(&values(changes)).unwrap()
}

/// The first requests of a client.
fn actions(parameters: &Parameters, client: u32, seed: u64, first: u64, count: usize) -> Vec<RequestAction> {
    let mut client = Client::new(parameters, Nanos::ZERO, client, seed, first);
    let mut recorder = driver::Recorder::new(client.families());
    let mut all = Vec::new();
    for _ in 0..count {
        client.poll(Nanos::ZERO, &mut all);
        client.complete(&Completion { id: 0, result: 0, stamps: None }, &mut recorder);
    }
    assert_eq!(client.requests(), count as u64);
    all.into_iter().map(|request| request.action).collect()
}

#[test]
fn rows_are_anywhere_and_differ_by_client() {
    let p = parameters(&[("request", "update"), ("rows", "1000")]);
    let all = actions(&p, 0, 7, 0, 20_000);
    let mut rows = std::collections::BTreeSet::new();
    let mut numbers = std::collections::BTreeSet::new();
    for action in &all {
        let RequestAction::Update { row, number } = action else { panic!("{action:?}") };
        rows.insert(*row);
        assert!(*row < 1000 && *number > 0 && numbers.insert(*number), "{action:?}");
    }
    assert_eq!(rows.len(), 1000);
    assert_eq!(all[..100], actions(&p, 0, 7, 0, 100), "a seed fixes them");
    assert_ne!(all[..100], actions(&p, 1, 7, 0, 100));
}

#[test]
fn no_row_is_inserted_twice() {
    let p = parameters(&[("request", "insert")]);
    let before = actions(&p, 3, 7, 0, 10);
    let after = actions(&p, 3, 7, 10, 10);
    assert_eq!(before[9], RequestAction::Insert { client: 3, row: 9 });
    assert_eq!(after[0], RequestAction::Insert { client: 3, row: 10 });
}

#[test]
fn ranges_end_within_the_rows_and_one_client_compacts() {
    let changes = [("request", "range"), ("rows", "100"), ("server", "etcd")];
    let p = parameters(&changes);
    let all = actions(&p, 0, 7, 0, 5000);
    let count = |is: fn(&RequestAction) -> bool| all.iter().filter(|action| is(action)).count();
    assert_eq!(count(|action| matches!(action, RequestAction::Compact)), 10);
    assert_eq!(count(|action| matches!(action, RequestAction::Update { .. })), 490);
    let ends: Vec<u64> = all
        .iter()
        .filter_map(|action| match action {
            RequestAction::Range { row, rows } => Some(row + u64::from(*rows)),
            _ => None,
        })
        .collect();
    assert!(ends.len() == 4500 && ends.iter().all(|end| *end <= 100) && ends.contains(&100));
    assert!(!actions(&p, 1, 7, 0, 5000).contains(&RequestAction::Compact));
    let mariadb = parameters(&[("request", "range"), ("rows", "100")]);
    assert!(!actions(&mariadb, 0, 7, 0, 5000).contains(&RequestAction::Compact));
}

#[test]
fn a_client_ends_when_its_time_is_over() {
    let p = parameters(&[]);
    let mut client = Client::new(&p, Nanos::from_millis(10), 0, 7, 0);
    let mut all = Vec::new();
    assert_eq!(client.poll(Nanos::from_millis(9), &mut all), driver::Next::Wait);
    assert_eq!(client.poll(Nanos::from_millis(10), &mut all), driver::Next::Wait, "one is in flight");
    client.complete(
        &Completion { id: 0, result: 0, stamps: None },
        &mut driver::Recorder::new(client.families()),
    );
    assert_eq!(client.poll(Nanos::from_millis(10), &mut all), driver::Next::Done);
    assert_eq!(all.len(), 1);
}

#[test]
fn whole_cycles_of_the_log_have_a_small_log_and_a_pool_that_holds_the_rows() {
    let size = ("settings", "innodb_log_file_size = 384M");
    let changes = [("request", "update"), ("log_cycles", "whole"), size];
    let p = parameters(&changes);
    assert_eq!(p.log_setting(), Some("innodb_log_file_size"));
    assert_eq!(p.settings_of_cycles()[1], ("innodb_log_file_size", "4194304".to_owned()));
    assert_eq!(p.server_value("innodb_log_file_size", "384M"), "16777216");
    assert_eq!(p.server_value("innodb_io_capacity", "384"), "384");
    assert_eq!(p.settings_with_effect().count(), 1);
    (SCHEMA.check)(&values(&changes)).unwrap();
    let duration = (SCHEMA.describe)(&values(&changes)).unwrap().duration;
    assert!(duration.extension_max_s > 0.0 && !duration.ends_on_time);
    // Without them the log has one size in every arm.
    let idle = parameters(&[("request", "update"), size]);
    assert_eq!((idle.settings_with_effect().count(), idle.log_setting()), (0, None));
    assert!(idle.settings_of_cycles().is_empty());
    for wrong in [("request", "read"), ("server", "etcd")] {
        let changes = [("request", "update"), ("log_cycles", "whole"), wrong];
        assert!((SCHEMA.check)(&values(&changes)).is_err(), "{wrong:?}");
    }
}

#[test]
fn arms_take_turns_if_their_promise_is_the_strongest() {
    let of = |changes: &[(&str, &str)]| (SCHEMA.describe)(&values(changes)).unwrap();
    let strong = of(&[("settings", "innodb_io_capacity = 100")]);
    assert!(strong.turns.interleavable && strong.durability == Some(DurabilityClass::Power));
    for settings in
        ["innodb_flush_log_at_trx_commit = 2", "innodb_doublewrite = off", "innodb_flush_method = nosync"]
    {
        let weak = of(&[("settings", settings)]);
        assert!(!weak.turns.interleavable && weak.durability < Some(DurabilityClass::Power), "{settings}");
    }
    let weak = of(&[("server", "etcd"), ("settings", "unsafe-no-fsync = true")]);
    assert_eq!(weak.durability, Some(DurabilityClass::None));
    let of_log = of(&[("binary_log", "true"), ("settings", "sync_binlog = 0")]);
    assert_eq!(of_log.durability, Some(DurabilityClass::Process));
    let reads = of(&[("request", "read"), ("settings", "innodb_flush_log_at_trx_commit = 2")]);
    assert!(reads.turns.interleavable && reads.streams.len() == 1);
}

/// A proof of MariaDB's settings could not decide any load of updates: the audit of flushes had nothing to compare, and
/// the audit of a cold cache no file. etcd's loads claimed a cold cache that nothing had made.
#[test]
fn every_commit_asks_for_a_flush_and_cold_is_what_was_dropped() {
    let of = |changes: &[(&str, &str)]| (SCHEMA.describe)(&values(changes)).unwrap();
    let requests_of_commit = |request| {
        let flushes = of(&[("request", request)]).figures.flushes?;
        let Rate::Every { operations, .. } = flushes.rates[0] else { panic!("{flushes:?}") };
        assert_eq!(flushes.counted.unwrap().operations, operations);
        Some((operations, flushes.acknowledged_latency.is_some()))
    };
    assert_eq!(requests_of_commit("insert"), Some((1, true)));
    assert_eq!(requests_of_commit("update"), Some((1, true)));
    assert_eq!(requests_of_commit("range"), Some((10, false)));
    assert_eq!(requests_of_commit("read"), None);
    let cache = |server, request| of(&[("server", server), ("request", request)]).cache;
    for server in ["mariadb", "mysql"] {
        let caches = ["insert", "update", "read", "range"].map(|request| cache(server, request));
        assert_eq!(caches, [Cache::AsIs, Cache::Cold, Cache::Cold, Cache::Cold], "{server}");
    }
    for request in ["insert", "update", "read", "range"] {
        assert_eq!(cache("etcd", request), Cache::AsIs, "{request}");
    }
    assert_eq!(of(&[("request", "update"), ("log_cycles", "whole")]).cache, Cache::AsIs);
}

/// What servers do until their first turn overlaps, unless it fills a pool from the device, or takes a port.
#[test]
fn servers_start_at_the_same_time_if_none_meets_what_another_does_then() {
    let of = |server, request| {
        (SCHEMA.describe)(&values(&[("server", server), ("request", request)])).unwrap().turns.starts_together
    };
    assert!(of("mariadb", "insert") && of("mysql", "insert"));
    assert!(!of("mariadb", "update") && !of("mysql", "read") && !of("etcd", "insert"));
}

#[test]
fn an_arm_can_have_programs_and_a_place_of_its_own() {
    let described =
        (SCHEMA.describe)(&values(&[("programs", "/opt/mariadb/bin"), ("directory", "/srv")])).unwrap();
    assert_eq!(described.room.other_directory.as_deref(), Some("/srv"));
    assert_eq!(described.names.arm_parameters, ["settings", "programs", "directory", "filesystem"]);
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    for (changes, part) in [
        (&[("runtime", "0s")][..], "runtime = 0s measures nothing: set a length"),
        (
            &[("server", "etcd"), ("binary_log", "true")],
            "server = etcd has no binary log: set binary_log = false",
        ),
        (
            &[("settings", "innodb_log_file_size = 1G")],
            "settings: innodb_log_file_size changes nothing: every arm has a log of the same size, and no trial is long enough to fill it",
        ),
        (
            &[("request", "read"), ("settings", "innodb_doublewrite = ON")],
            "settings: innodb_doublewrite changes nothing: no page is written while the clients only read",
        ),
        (
            &[("settings", "innodb_undo_d = /tmp")],
            "settings: innodb_undo_d is not a storage setting of mariadb",
        ),
        (
            &[("server", "etcd"), ("settings", "sync_binlog = 1")],
            "settings: sync_binlog is not a storage setting of etcd",
        ),
    ] {
        assert_eq!((SCHEMA.check)(&values(changes)).unwrap_err(), part);
    }
    let bundle = parameters(&[("settings", "innodb_log_file_size = 1G; innodb_io_capacity = 100")]);
    assert_eq!(bundle.settings_with_effect().collect::<Vec<_>>(), [("innodb_io_capacity", "100")]);
    assert_eq!(
        bundle.settings_without_effect().map(|(name, _)| name).collect::<Vec<_>>(),
        ["innodb_log_file_size"]
    );
}
