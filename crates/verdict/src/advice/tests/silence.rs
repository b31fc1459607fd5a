//! Silence: nothing measured, an interval across the boundary, a failed audit, arms that promise different things.

use super::{
    advice, advised, every_rule_that_speaks, log, measure, names, postgresql, ruling, silent, stores, times,
};
use crate::advice::{Ruling, Why};
use crate::analyse;
use crate::synthetic::Synthetic;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::trial::{Measurement, Outcome};

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

/// Evidence that an audit needs, taken from every trial.
type Loss = (&'static str, fn(&mut Measurement));

/// Audits that were forgotten, or counted as passed where nothing could be told: each rule is silent where one that its
/// figures require could not be carried out.
#[test]
fn no_rule_is_shorter_than_its_metrics_demand() {
    let losses: [Loss; 2] = [
        ("volatile-cache", |measurement| {
            measurement.placement.write_cache = Measured::unsupported("there is no device");
        }),
        ("cold-cache", |measurement| {
            for file in &mut measurement.files {
                file.cached_share_before = Measured::unsupported("there is no cachestat");
            }
            for phase in &mut measurement.phases {
                phase.metrics.remove("pass_cached_share_before");
            }
        }),
    ];
    let silent_without = |(audit, lose): Loss| {
        let mut silent = Vec::new();
        for (setting, file, study) in every_rule_that_speaks() {
            let lost = study.edit(move |record| record.measurement.iter_mut().for_each(lose));
            let Ruling::Silent(silence) = ruling(&lost, file, setting) else { continue };
            assert_eq!(silence.why, Why::NotProven, "{setting}: {}", silence.reason);
            assert!(silence.reason.contains(audit), "{setting}: {}", silence.reason);
            silent.push(setting);
        }
        silent
    };
    let [flushes, cold] = losses.map(silent_without);
    for setting in
        ["wal_sync_method", "wal_init_zero", "commit_delay", "recycle_log_file_num", "disk", "synchronous"]
    {
        assert!(flushes.contains(&setting), "{setting}: {flushes:?}");
    }
    for setting in ["random_page_cost", "innodb_flush_method", "block_size", "page_cache"] {
        assert!(cold.contains(&setting), "{setting}: {cold:?}");
    }
    // Nothing there waits for a device, and nothing was to be cold.
    assert!(!flushes.contains(&"temp_buffers") && !cold.contains(&"manual_wal_flush"));
}

/// What a rule reads past the evidence, no audit would be asked about.
#[test]
fn rules_take_figures_through_the_evidence_alone() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/advice");
    let rules = [
        "data_loader.rs",
        "etcd.rs",
        "innodb.rs",
        "rocksdb.rs",
        "sqlite.rs",
        "postgresql/commit_delay.rs",
        "postgresql/mod.rs",
        "postgresql/reads.rs",
        "postgresql/wal.rs",
    ];
    for rule in rules {
        let text = std::fs::read_to_string(format!("{folder}/{rule}")).unwrap();
        for past in [".figures", ".findings", ".curves", ".records"] {
            assert!(!text.contains(past), "{rule} reads {past}: use Evidence::figure, finding or contrast");
        }
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

/// What a setting costs elsewhere was left out: it was put into a file that a database loads, without a word.
#[test]
fn a_fragment_warns_of_what_its_settings_cost_elsewhere() {
    let layouts = |factors| {
        log()
            .vary("wal_layout", names(&["prefilled", "append", "fallocated"]))
            .rate(times("wal_layout", factors))
    };
    let warns = |found: crate::advice::Recommendation, word: &str| {
        assert!(found.caveats.iter().any(|caveat| caveat.contains(word)), "{word}: {:?}", found.caveats);
    };
    let slow: &'static [(&str, f64)] = &[("append", 0.4), ("fallocated", 0.5)];
    let recycled = advised(&layouts(slow), "rocksdb-options.ini", "recycle_log_file_num", "1");
    warns(recycled.clone(), "12403");
    warns(recycled, "disableWAL");
    warns(advised(&layouts(&[]), CONF, "wal_init_zero", "off"), "PANIC");
    for (setting, file, study) in every_rule_that_speaks() {
        if setting == "temp_buffers" {
            let Ruling::Advised(found) = ruling(&study, file, setting) else { panic!("{setting} is silent") };
            warns(*found, "max_connections");
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
