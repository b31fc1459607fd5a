//! Silence: nothing measured, an interval across the boundary, a failed audit, arms that promise different things.

use super::{
    advice, advised, every_rule_that_speaks, log, measure, names, postgresql, ruling, silent, stores, times,
};
use crate::advice::{Ruling, Why};
use crate::analyse;
use crate::synthetic::Synthetic;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::trial::Outcome;

const CONF: &str = "postgresql.conf";

fn syncs() -> Synthetic {
    log().vary("sync", names(&["fdatasync", "dsync"])).rate(times("sync", &[("dsync", 1.3)]))
}

#[test]
fn what_no_study_measured_is_said_with_the_study_that_would() {
    for advice in analyse(&log().rounds(3).run(), &|_| None).advice {
        assert!(!advice.settings.is_empty(), "{}", advice.database);
        for setting in advice.settings {
            let Ruling::Silent(silence) = setting.ruling else { panic!("{}", setting.name) };
            assert!(!silence.reason.is_empty());
            assert_eq!(
                silence.study.is_some(),
                silence.why == Why::NotMeasured,
                "{}: {silence:?}",
                setting.name
            );
        }
    }
}

#[test]
fn an_interval_across_the_boundary_decides_nothing() {
    let close = syncs().rate(times("sync", &[("dsync", 1.03)])).scatter(0.08);
    silent(&close, CONF, "wal_sync_method", Why::Undecided, "neither a difference nor equality is proven");
    silent(&syncs().rounds(3), CONF, "wal_sync_method", Why::Undecided, "has no interval");
}

#[test]
fn a_failed_audit_withholds_what_rests_on_it() {
    let broken = syncs().edit(|record| measure(record, "in_flight_mean", 40.0));
    silent(&broken, CONF, "wal_sync_method", Why::AuditFailed, "It rests on the failed audit littles-law");
    advised(&syncs(), CONF, "wal_sync_method", "open_datasync");
}

/// Arms 3 % apart whose trials scatter by 8 %: neither a difference nor equality can be proven in ten rounds.
#[test]
fn every_comparison_across_the_boundary_is_undecided() {
    for (setting, file, study) in postgresql::close_calls().into_iter().chain(stores::close_calls()) {
        silent(&study, file, setting, Why::Undecided, "neither a difference nor equality is proven");
    }
}

/// A run of which more than a tenth failed is a selection: whatever a rule is about, it says nothing then.
#[test]
fn every_rule_is_silent_where_an_audit_failed() {
    for (setting, file, study) in every_rule_that_speaks() {
        let Ruling::Advised(sound) = ruling(&study, file, setting) else {
            panic!("{setting} says nothing of a sound run: {:?}", ruling(&study, file, setting));
        };
        assert!(sound.audits.iter().any(|name| name == "failed-trials"), "{setting}: {:?}", sound.audits);
        let broken = study.edit(|record| {
            if record.key.round < 2 {
                record.outcome = Outcome::Failed("made up".to_owned());
            }
        });
        silent(&broken, file, setting, Why::AuditFailed, "failed audit failed-trials");
    }
}

#[test]
fn arms_that_promise_different_things_are_not_weighed() {
    let unlike = syncs().edit(|record| {
        if record.values.is("sync", "dsync") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    });
    silent(&unlike, CONF, "wal_sync_method", Why::Undecided, "promise different things");
}

/// Whatever was measured, durability is not given up.
#[test]
fn no_rule_is_about_a_setting_that_gives_up_durability() {
    let forbidden =
        ["fsync", "full_page_writes", "synchronous_commit", "innodb_flush_log_at_trx_commit", "sync_binlog"];
    for file in [CONF, "rocksdb-options.ini", "my.cnf", "sqlite.sql", "etcd.txt", "data-loader.txt"] {
        for setting in advice(&log(), file).settings {
            assert!(!forbidden.contains(&setting.name.as_str()), "{}", setting.name);
        }
    }
}

/// An unknown floor was taken for none, and nothing said so.
#[test]
fn an_unknown_noise_floor_is_said() {
    let told = |study: &Synthetic| advised(study, CONF, "wal_sync_method", "open_datasync").statement;
    assert!(!told(&syncs()).contains("noise floor"), "{}", told(&syncs()));
    let without = syncs().edit(|record| {
        if record.key.duplicate {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("commits_per_s".to_owned(), Measured::unsupported("made up"));
        }
    });
    let words = "10 rounds of study commit; A/A noise floor unknown)";
    assert!(told(&without).contains(words), "{}", told(&without));
}

/// A run that could have ended earlier has less error left for its last look.
#[test]
fn looks_make_the_intervals_wider() {
    let level = |study: &Synthetic| {
        let found = advised(study, CONF, "wal_sync_method", "open_datasync");
        found.effects[0].ratio.level.unwrap()
    };
    assert!(level(&syncs().looks(&[6, 8, 10])) > level(&syncs()));
}
