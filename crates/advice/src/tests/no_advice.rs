//! No advice: nothing measured, an interval across the boundary, a failed audit, arms with different durability.

use super::{
    advice, decision, every_rule_that_speaks, judged, kept_at_a_risk, log, measure, names, no_advice, pair,
    postgresql, predicted, stores, times,
};
use crate::database::postgresql::temp_buffers::EACH_SESSION;
use crate::database::postgresql::wal::NO_ROOM_KEPT;
use crate::database::rocksdb::RECYCLE_BY_VERSION;
use crate::{Cause, Caveat, Decision, Recommendation, Why};
use model::Value;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::study::AskKind;
use model::trial::{Measurement, TrialOutcome};
use synthetic::{Synthetic, ask};
use verdict::finding::Remark;

const CONF: &str = "postgresql.conf";

fn failed(cause: &Cause, name: &str) -> bool {
    matches!(cause, Cause::AuditFailed { audit, .. } if audit == name)
}

fn syncs() -> Synthetic {
    log().vary("sync", names(&["fdatasync", "dsync"])).rate(times("sync", &[("dsync", 1.3)]))
}

#[test]
fn what_no_study_measured_is_said_with_the_command_that_would() {
    for advice in judged(&log().rounds(3)).0 {
        assert!(!advice.settings.is_empty(), "{}", advice.database);
        for setting in advice.settings {
            let none = setting.decision.open().unwrap_or_else(|| panic!("{}", setting.name));
            let has_command = none.why == Why::NotMeasured && *none.cause != Cause::OnlyTheDatabase;
            assert!(none.needs.is_some() || !has_command, "{}: {none:?}", setting.name);
        }
    }
}

#[test]
fn an_interval_across_the_boundary_keeps_the_value_in_use() {
    let close = syncs().rate(times("sync", &[("dsync", 1.03)])).scatter(0.08);
    kept_at_a_risk(&close, CONF, "wal_sync_method", "fdatasync");
    no_advice(&syncs().rounds(3), CONF, "wal_sync_method", Why::Undecided, |cause| {
        matches!(cause, Cause::NoInterval { .. })
    });
}

#[test]
fn a_failed_audit_withholds_what_rests_on_it() {
    let broken = syncs().edit(|record| measure(record, "in_flight_mean", 40.0));
    no_advice(&broken, CONF, "wal_sync_method", Why::AuditFailed, |cause| failed(cause, "littles-law"));
    predicted(&syncs(), CONF, "wal_sync_method", "open_datasync");
}

/// Arms that differ by 3 % and whose trials scatter by 8 %: ten rounds can prove neither a difference nor equality. The
/// value in use stays, with the most that it could lose; that was silence.
#[test]
fn every_comparison_across_the_boundary_is_a_choice_with_its_regret() {
    for (setting, file, study) in postgresql::close_calls().into_iter().chain(stores::close_calls()) {
        let decision = decision(&study, file, setting);
        let Decision::Keep(found) = decision else { panic!("{setting}: {decision:?}") };
        let regret = found.regret.unwrap();
        assert!(!regret.is_proven_small, "{setting}: {regret:?}");
        assert!((0.03..0.3).contains(&regret.share_at_most), "{setting}: {regret:?}");
    }
}

/// A run with more than a tenth of its trials failed is a selection, so no rule gives advice.
#[test]
fn no_rule_advises_where_an_audit_failed() {
    for (setting, file, study) in every_rule_that_speaks() {
        let decided = decision(&study, file, setting);
        let Some(sound) = decided.recommended() else { panic!("{setting} says nothing: {decided:?}") };
        assert!(sound.audits.iter().any(|name| name == "failed-trials"), "{setting}: {:?}", sound.audits);
        let broken = study.edit(|record| {
            if record.key.round < 2 {
                record.outcome = TrialOutcome::Failed("made up".to_owned());
            }
        });
        no_advice(&broken, file, setting, Why::AuditFailed, |cause| failed(cause, "failed-trials"));
    }
}

/// Removes evidence that an audit needs from every trial.
type Loss = (&'static str, fn(&mut Measurement));

/// Some audits were missing, or counted as passed when they could not be assessed. No rule gives advice if an audit
/// that its figures require could not be carried out.
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
    let withheld_without = |(audit, lose): Loss| {
        let mut withheld = Vec::new();
        for (setting, file, study) in every_rule_that_speaks() {
            let lost = study.edit(move |record| record.measurement.iter_mut().for_each(lose));
            let Decision::Withheld(none) = decision(&lost, file, setting) else { continue };
            assert_eq!(none.why, Why::NotProven, "{setting}: {:?}", none.cause);
            assert!(matches!(*none.cause, Cause::NotProven { .. }), "{setting}: {:?}", none.cause);
            assert_eq!(none.audit.map(|withheld| withheld.audit).as_deref(), Some(audit), "{setting}");
            withheld.push(setting);
        }
        withheld
    };
    let [flushes, cold] = losses.map(withheld_without);
    for setting in
        ["wal_sync_method", "wal_init_zero", "commit_delay", "recycle_log_file_num", "disk", "synchronous"]
    {
        assert!(flushes.contains(&setting), "{setting}: {flushes:?}");
    }
    for setting in ["random_page_cost", "innodb_flush_method", "block_size, page_cache, concurrency"] {
        assert!(cold.contains(&setting), "{setting}: {cold:?}");
    }
    // These studies do not wait for a device, and no cache had to be cold.
    assert!(!flushes.contains(&"temp_buffers") && !cold.contains(&"manual_wal_flush"));
}

/// Audits would not cover what a rule reads without going through the evidence.
#[test]
fn rules_take_figures_through_the_evidence_alone() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/database");
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for past in [".figures", ".findings", ".curves", ".records"] {
                let rule = path.display();
                assert!(
                    !text.contains(past),
                    "{rule} reads {past}: use Evidence::figure, finding or contrast"
                );
            }
            read += 1;
        }
    }
    assert!(read > 15, "{read}");
}

#[test]
fn arms_that_promise_different_things_are_not_weighed() {
    let unlike = syncs().edit(|record| {
        if record.values.is("sync", "dsync") {
            record.measurement.as_mut().unwrap().durability = DurabilityClass::Process;
        }
    });
    no_advice(&unlike, CONF, "wal_sync_method", Why::Undecided, |cause| {
        matches!(cause, Cause::UnlikePromises { .. })
    });
}

/// No measurement makes a rule give up durability.
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

/// The side effects of a setting were missing: the advice went into a file that a database loads, without a caveat.
#[test]
fn a_fragment_warns_of_what_its_settings_cost_elsewhere() {
    let layouts = |factors| {
        log()
            .vary("wal_layout", names(&["prefilled", "append", "fallocated"]))
            .rate(times("wal_layout", factors))
    };
    let warns = |found: Recommendation, note: &Caveat| {
        assert!(found.caveats.contains(note), "{note:?}: {:?}", found.caveats);
    };
    let slow: &'static [(&str, f64)] = &[("append", 0.4), ("fallocated", 0.5)];
    let recycled = predicted(&layouts(slow), "rocksdb-options.ini", "recycle_log_file_num", "1");
    warns(recycled, &RECYCLE_BY_VERSION);
    let cow: &'static [(&str, f64)] = &[("append", 1.4), ("fallocated", 1.4)];
    warns(predicted(&layouts(cow), CONF, "wal_init_zero", "off"), &NO_ROOM_KEPT);
    for (setting, file, study) in every_rule_that_speaks() {
        if setting == "temp_buffers" {
            let Decision::ChangeTo(found) = decision(&study, file, setting) else { panic!("{setting}") };
            warns(*found, &EACH_SESSION);
        }
    }
}

/// An unknown noise floor was taken as zero without a notice.
#[test]
fn an_unknown_noise_floor_is_said() {
    let is_known = |study: &Synthetic| {
        pair(&predicted(study, CONF, "wal_sync_method", "open_datasync").statement).is_floor_known
    };
    assert!(is_known(&syncs()));
    let without = syncs().edit(|record| {
        if record.key.duplicate {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("commits_per_s".to_owned(), Measured::unsupported("made up"));
        }
    });
    assert!(!is_known(&without));
}

/// A run that could have stopped earlier has less error left for its last look.
#[test]
fn looks_make_the_intervals_wider() {
    let level = |study: &Synthetic| {
        let found = predicted(study, CONF, "wal_sync_method", "open_datasync");
        found.effects[0].ratio.level.unwrap()
    };
    assert!(level(&syncs().looks(&[6, 8, 10])) > level(&syncs()));
}

/// One arm failed repeatedly in a cell. The rule then dropped the other cells too, although the study's own finding
/// left out only that one.
#[test]
fn a_sparse_cell_is_left_out_as_in_the_findings() {
    let sparse = syncs()
        .vary("group_size", vec![Value::Count(1), Value::Count(4)])
        .asks(vec![ask(AskKind::Compare, "sync", &["commits_per_s"])])
        .edit(|record| {
            let is_large = record.values.count("group_size").is_ok_and(|count| count == 4);
            if is_large && record.values.is("sync", "dsync") && record.key.round > 1 {
                record.outcome = TrialOutcome::Unsupported("made up".to_owned());
            }
        });
    let advised = predicted(&sparse, CONF, "wal_sync_method", "open_datasync");
    let study = judged(&sparse).1.studies.remove(0);
    let (effect, finding) = (&advised.effects[0], &study.findings[0]);
    assert_eq!(effect.ratio.point, finding.ratio.as_ref().unwrap().point);
    assert_eq!((effect.answer, advised.grounds[0].trials), (finding.answer(), finding.proof.trials));
    let cell = "mode=buffered group_size=4".to_owned();
    let left_out = Caveat::OfStudy {
        study: "commit".to_owned(),
        parameters: vec!["sync".to_owned()],
        remark: Remark::CellLeftOut { cell, rounds: 2, of_rounds: 10 },
    };
    assert!(advised.caveats.contains(&left_out), "{:?}", advised.caveats);
}

/// The mean over cells showed an improvement, although one of the two cells was slower.
#[test]
fn cells_that_point_different_ways_decide_nothing() {
    let opposing = syncs().vary("group_size", vec![Value::Count(1), Value::Count(4)]).rate(|values, _| {
        let is_large = values.count("group_size").is_ok_and(|count| count == 4);
        let factor = if is_large { 0.7 } else { 2.0 };
        if values.is("sync", "dsync") { 1000.0 * factor } else { 1000.0 }
    });
    no_advice(
        &opposing,
        CONF,
        "wal_sync_method",
        Why::Undecided,
        |cause| matches!(cause, Cause::DependsOn { opposing, .. } if opposing.factor.as_deref() == Some("group_size")),
    );
}

/// Syncline reported "430 522 durable commits/s … fit for etcd" for a tmpfs, with exit code 0.
#[test]
fn memory_is_no_disk() {
    let in_memory = Synthetic::commit().edit(|record| {
        let placement = &mut record.measurement.as_mut().unwrap().placement;
        "tmpfs".clone_into(&mut placement.filesystem);
        placement.device = Measured::unsupported("there is no block device");
        placement.write_cache = Measured::unsupported("there is no block device");
    });
    assert!(judged(&in_memory).0.iter().all(|advice| advice.advised().next().is_none()));
}

/// A dataset of holes was read at memory speed, and Syncline still gave advice about block size and hint.
#[test]
fn holes_advise_no_block_size() {
    let scan = |hits: f64| {
        Synthetic::scan()
            .vary("block_size", [1 << 18, 1 << 20].map(Value::Bytes).to_vec())
            .vary("page_cache", names(&["normal"]))
            .edit(move |record| {
                let block_bytes = record.values.bytes("block_size").unwrap() as f64;
                let rate = block_bytes * (1.0 + 0.001 * f64::from(record.key.round));
                measure(record, "bandwidth_bytes_per_s", rate);
                measure(record, "pass_hit_share", hits);
            })
            .asks(vec![ask(AskKind::Compare, "block_size", &["bandwidth_bytes_per_s"])])
    };
    let advised = |hits| advice(&scan(hits), "data-loader.txt").advised().count();
    assert!(advised(0.0) > 0);
    assert_eq!(advised(1.0), 0);
}
