//! Settings that a run tried on the database itself.

use super::{changed, kept, kept_at_a_risk, measure, names, no_advice};
use crate::{Cause, Role, Statement, Why, advise};
use model::Value;
use model::server::ServerFacts;
use synthetic::{Synthetic, name};
use verdict::analyse;

const ROCKSDB: &str = "rocksdb-options.ini";

/// RocksDB with its defaults, and with each of these settings: loads and reads, relative to the defaults.
fn rocksdb(tried: &'static [(&str, f64, f64)]) -> Synthetic {
    let levels: Vec<&str> = std::iter::once("none").chain(tried.iter().map(|(level, _, _)| *level)).collect();
    Synthetic::kv().fix("engine", name("rocksdb")).vary("settings", names(&levels)).edit(move |record| {
        let level = tried.iter().find(|(level, _, _)| record.values.is("settings", level));
        let (loads, reads) = level.map_or((1.0, 1.0), |(_, loads, reads)| (*loads, *reads));
        let scatter = 1.0 + 0.01 * f64::from((record.key.round + record.key.configuration as u32) % 3);
        measure(record, "load_and_drain_operations_per_s", 1000.0 * loads * scatter);
        measure(record, "hit_operations_per_s", 5000.0 * reads * scatter);
    })
}

#[test]
fn a_value_that_the_database_ran_with_is_judged_by_that() {
    let run = || {
        rocksdb(&[
            ("compaction_readahead_size = 262144", 0.7, 1.0),
            ("compaction_readahead_size = 8388608", 1.3, 1.0),
            ("bytes_per_sync = 1048576", 1.0, 1.0),
            ("max_background_jobs = 4", 1.5, 0.6),
        ])
    };
    let found = changed(&run(), ROCKSDB, "compaction_readahead_size", "8388608");
    assert_eq!(found.effects.len(), 2, "loads and reads");
    assert!(kept(&run(), ROCKSDB, "bytes_per_sync", "0").regret.unwrap().is_proven_small);
    // It loads faster and reads slower.
    let regret = kept_at_a_risk(&run(), ROCKSDB, "max_background_jobs", "2");
    assert!((regret.share_at_most - 0.33).abs() < 0.05, "{regret:?}");
    assert!(regret.is_mixed, "it is better in loads");
    no_advice(&run(), ROCKSDB, "wal_bytes_per_sync", Why::NotMeasured, |cause| {
        *cause == Cause::OnlyTheDatabase
    });
}

/// The family of a database has the comparisons that the plan draws, not those of values that nobody tried.
#[test]
fn values_that_nobody_tries_take_no_share_of_the_error() {
    let level = |tried| {
        let found = changed(&rocksdb(tried), ROCKSDB, "bytes_per_sync", "1048576");
        found.effects[0].ratio.level.unwrap()
    };
    let one = level(&[("bytes_per_sync = 1048576", 1.3, 1.0)]);
    let two = level(&[("bytes_per_sync = 1048576", 1.3, 1.0), ("max_background_jobs = 4", 1.0, 1.0)]);
    // The rules about studies draw 12.
    assert!((one - (1.0 - 0.05 / 14.0)).abs() < 1e-9, "{one}");
    assert!((two - (1.0 - 0.05 / 16.0)).abs() < 1e-9, "{two}");
}

/// No phase reads while compactions run, so a limit stays open, with a value to try.
#[test]
fn a_rate_limit_follows_from_what_was_written_and_is_left_to_the_users_load() {
    let run = rocksdb(&[])
        .fix("io", name("buffered"))
        .fix("key_size", Value::Count(24))
        .fix("value_size", Value::Bytes(476))
        .edit(|record| measure(record, "write_amplification", 4.0));
    let none = no_advice(&run, ROCKSDB, "rate_limiter_bytes_per_sec", Why::Undecided, |cause| {
        // 1000 entries of 500 bytes a second, each written four times.
        matches!(cause, Cause::Untried { statement: Statement::WritesWhileLoading { bytes_per_s }, .. }
            if (bytes_per_s / 2e6 - 1.0).abs() < 0.03)
    });
    assert!(none.needs.is_none(), "no command decides it: {none:?}");
    no_advice(&rocksdb(&[]), ROCKSDB, "rate_limiter_bytes_per_sec", Why::NotMeasured, |cause| {
        *cause == Cause::OnlyTheDatabase
    });
}

/// An older server ran with the default of its version, and `none` was labelled with the newest.
#[test]
fn a_level_without_settings_is_the_default_of_the_version_that_ran() {
    let version = |version: &'static str| {
        let tried = &[("compaction_readahead_size = 262144", 1.3, 1.0)];
        let run = rocksdb(tried).edit(move |record| {
            let facts = ServerFacts { version: version.to_owned(), ..ServerFacts::default() };
            record.measurement.as_mut().unwrap().server = Some(facts);
        });
        changed(&run, ROCKSDB, "compaction_readahead_size", "262144").effects[0].over.clone()
    };
    assert_eq!([version("8.6.7"), version("10.4.2")], ["0", "2097152"]);
}

/// Two settings in one level say nothing about either.
#[test]
fn several_settings_in_one_level_are_not_a_candidate() {
    let both = rocksdb(&[("bytes_per_sync = 1048576; max_background_jobs = 4", 1.5, 1.5)]);
    let run = both.run();
    let advice = advise(&run, &analyse(&run, &|_| None));
    let rocksdb = advice.iter().find(|advice| advice.fragment == ROCKSDB).unwrap();
    let jobs = rocksdb.settings.iter().find(|setting| setting.name == "max_background_jobs").unwrap();
    assert!(jobs.candidates.iter().all(|candidate| candidate.role != Role::Measured), "{jobs:?}");
}

pub(super) fn speaking() -> Vec<(&'static str, &'static str, Synthetic)> {
    let of = |tried| rocksdb(tried);
    vec![
        ("bytes_per_sync", ROCKSDB, of(&[("bytes_per_sync = 1048576", 1.0, 1.0)])),
        ("wal_bytes_per_sync", ROCKSDB, of(&[("wal_bytes_per_sync = 1048576", 1.0, 1.0)])),
        ("compaction_readahead_size", ROCKSDB, of(&[("compaction_readahead_size = 262144", 1.0, 1.0)])),
        ("max_background_jobs", ROCKSDB, of(&[("max_background_jobs = 4", 1.0, 1.0)])),
    ]
}
