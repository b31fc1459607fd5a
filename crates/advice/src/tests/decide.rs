//! Candidates, and what is decided among them.

use super::{decision, log, names, times};
use crate::{Advice, Candidate, Decision, Role, advise, gives_up_durability, unmeasured};
use synthetic::Synthetic;
use verdict::analyse;

fn syncs(factors: &'static [(&str, f64)]) -> Synthetic {
    log().vary("sync", names(&["fdatasync", "dsync", "fsync"])).rate(times("sync", factors))
}

fn candidates(advice: &Advice, setting: &str) -> Vec<Candidate> {
    advice.settings.iter().find(|found| found.name == setting).unwrap().candidates.clone()
}

fn roles(candidates: &[Candidate]) -> Vec<(&str, Role, bool)> {
    candidates.iter().map(|known| (&known.value[..], known.role, known.ratio().is_some())).collect()
}

#[test]
fn every_value_that_could_be_had_is_a_candidate_once() {
    let run = syncs(&[("dsync", 1.3)]).run();
    let advice = advise(&run, &analyse(&run, &|_| None)).remove(0);
    let found = candidates(&advice, "wal_sync_method");
    // No settings were read, so the default is not known to be in use.
    assert_eq!(
        roles(&found),
        [
            ("fdatasync", Role::Default, false),
            ("open_datasync", Role::Measured, true),
            ("fsync", Role::Measured, true)
        ]
    );
    assert!((found[1].ratio().unwrap().point.unwrap() - 1.3).abs() < 0.05, "{found:?}");
    let entries = settings::read(advice.syntax, "wal_sync_method = open_sync").unwrap();
    let other = crate::current::against(&advice, &entries, &settings::Release::Any).unwrap();
    assert_eq!(
        roles(&candidates(&other, "wal_sync_method")),
        [
            ("open_sync", Role::InUse, false),
            ("fdatasync", Role::Default, false),
            ("open_datasync", Role::WorthTrying, false)
        ]
    );
    assert!(matches!(other.settings[0].decision, Decision::Undecided(_)), "{:?}", other.settings[0].decision);
}

/// A proof of all settings begins with these.
#[test]
fn a_database_has_candidates_before_anything_is_measured() {
    let advice = unmeasured("postgresql").unwrap();
    for setting in &advice.settings {
        assert!(matches!(setting.decision, Decision::Undecided(_)), "{}", setting.name);
        let is_safe =
            |known: &Candidate| gives_up_durability("postgresql", &setting.name, &known.value).is_none();
        assert!(setting.candidates.iter().all(is_safe), "{}", setting.name);
    }
    assert!(unmeasured("oracle").is_none());
}

/// A value that is better in one comparison and possibly worse in another is not proven better.
#[test]
fn what_may_cost_elsewhere_is_not_a_change() {
    let layouts = |factors: &'static [(&str, f64)]| {
        log()
            .vary("wal_layout", names(&["prefilled", "fallocated", "append"]))
            .rate(times("wal_layout", factors))
    };
    let both = layouts(&[("append", 1.4), ("fallocated", 1.0)]);
    assert!(matches!(decision(&both, "postgresql.conf", "wal_init_zero"), Decision::Candidate(_)));
    let one = layouts(&[("append", 1.4), ("fallocated", 0.8)]);
    assert!(matches!(decision(&one, "postgresql.conf", "wal_init_zero"), Decision::Keep(_)));
}

#[test]
fn what_gives_up_durability_is_known_by_name_and_value() {
    for (name, value, gives_up) in [
        ("fsync", "off", true),
        ("fsync", "0", true),
        ("fsync", "on", false),
        ("full_page_writes", "false", true),
        ("synchronous_commit", "off", true),
        ("synchronous_commit", "remote_apply", false),
        ("wal_sync_method", "fdatasync", false),
    ] {
        assert_eq!(gives_up_durability("postgresql", name, value).is_some(), gives_up, "{name} = {value}");
    }
    for (database, name, value) in [
        ("postgresql", "zero_damaged_pages", "on"),
        ("rocksdb", "unordered_write", "true"),
        ("rocksdb", "paranoid_checks", "false"),
        ("rocksdb", "wal_recovery_mode", "kSkipAnyCorruptedRecords"),
        ("rocksdb", "wal_recovery_mode", "kTolerateCorruptedTailRecords"),
        ("sqlite", "wal_autocheckpoint", "0"),
    ] {
        assert!(gives_up_durability(database, name, value).is_some(), "{database}: {name} = {value}");
    }
    for (database, name, value) in [
        ("rocksdb", "paranoid_checks", "true"),
        ("rocksdb", "wal_recovery_mode", "kPointInTimeRecovery"),
        ("sqlite", "wal_autocheckpoint", "1000"),
    ] {
        assert!(gives_up_durability(database, name, value).is_none(), "{database}: {name} = {value}");
    }
    assert!(gives_up_durability("mysql", "innodb_flush_log_at_trx_commit", "2").is_some());
    assert!(gives_up_durability("mysql", "innodb_flush_log_at_trx_commit", "1").is_none());
}
