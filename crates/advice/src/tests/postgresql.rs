//! PostgreSQL's log.

use super::{advice, kept, kept_at_a_risk, log, measure, names, no_advice, predicted, times, with};
use crate::database::postgresql::commit_delay::NO_COMMITTERS;
use crate::database::postgresql::wal::ONE_WRITE_A_COMMIT;
use crate::{Arm, Cause, Command, Decision, Role, Statement, Why};
use model::Value;
use synthetic::Synthetic;
use verdict::Answer;

const CONF: &str = "postgresql.conf";

fn syncs(factors: &'static [(&str, f64)]) -> Synthetic {
    log().vary("sync", names(&["fdatasync", "dsync", "fsync"])).rate(times("sync", factors))
}

fn layouts(factors: &'static [(&str, f64)]) -> Synthetic {
    log().vary("wal_layout", names(&["prefilled", "fallocated", "append"])).rate(times("wal_layout", factors))
}

#[test]
fn the_sync_method_is_the_faster_one() {
    let open = predicted(&syncs(&[("dsync", 1.3)]), CONF, "wal_sync_method", "open_datasync");
    let [effect] = &open.effects[..] else { panic!("{:?}", open.effects) };
    let (low, high) = effect.ratio.interval.unwrap();
    assert!(low < 1.3 && 1.3 < high && effect.over == "fdatasync", "{effect:?}");
    let (ours, theirs) = effect.figures.unwrap();
    assert!((ours / theirs - 1.3).abs() < 0.05 && theirs > 900.0, "{effect:?}");
    assert!(effect.ratio.level.unwrap() > 0.95, "the rules of a database share the error");
    assert!(open.caveats.contains(&ONE_WRITE_A_COMMIT), "{:?}", open.caveats);
    assert!(open.audits.iter().any(|name| name == "volatile-cache"));

    let closed = kept(&syncs(&[("dsync", 0.5), ("fsync", 0.8)]), CONF, "wal_sync_method", "fdatasync");
    let over: Vec<&str> = closed.effects.iter().map(|effect| effect.over.as_str()).collect();
    assert_eq!(over, ["open_datasync", "fsync"]);
    let gain = closed.effects[0].ratio.point.unwrap();
    assert!((gain - 2.0).abs() < 0.1, "{gain}");
    let same = kept(&syncs(&[]), CONF, "wal_sync_method", "fdatasync");
    assert_eq!(same.effects[0].answer, Answer::Equivalent);
    assert!(same.regret.unwrap().is_proven_small);
}

/// One write a commit and four, as the study wal-sync has them.
fn writes(one: f64, four: f64) -> Synthetic {
    log()
        .vary("sync", names(&["fdatasync", "dsync"]))
        .vary("group_size", [1, 4].map(Value::Count).to_vec())
        .fix("group_write", synthetic::name("each"))
        .rate(move |values, _| {
            let factor = if values.count("group_size") == Ok(4) { four } else { one };
            1000.0 * if values.is("sync", "dsync") { factor } else { 1.0 }
        })
}

/// open_datasync was advised by one write a commit, and loses with several.
#[test]
fn a_sync_method_has_to_win_with_several_writes_too() {
    let both = predicted(&writes(1.3, 1.2), CONF, "wal_sync_method", "open_datasync");
    assert_eq!(both.effects.len(), 2);
    assert!(!both.caveats.contains(&ONE_WRITE_A_COMMIT), "{:?}", both.caveats);
    let regret = kept_at_a_risk(&writes(1.3, 0.5), CONF, "wal_sync_method", "fdatasync");
    assert!((regret.share_at_most - 0.23).abs() < 0.05, "{regret:?}");
}

#[test]
fn a_log_around_the_page_cache_says_nothing_of_postgresqls() {
    let direct = syncs(&[("dsync", 1.3)]).vary("mode", names(&["direct"]));
    no_advice(&direct, CONF, "wal_sync_method", Why::NotMeasured, |cause| match cause {
        Cause::NoArms { base, other, .. } => (&base[0].1[..], &other[0].1[..]) == ("fdatasync", "dsync"),
        _ => false,
    });
}

#[test]
fn zeros_are_worth_writing_where_a_growing_log_is_slower() {
    let journal = layouts(&[("append", 0.4), ("fallocated", 0.4)]);
    for setting in ["wal_init_zero", "wal_recycle"] {
        assert!(kept(&journal, CONF, setting, "on").regret.unwrap().share_at_most < 0.01);
        let Decision::Candidate(found) = with(&journal, CONF, setting, "off") else { panic!("{setting}") };
        assert_eq!(found.value, "on");
        // On copy-on-write file systems, blocks that were written before have no advantage: both are right.
        assert!(kept(&layouts(&[]), CONF, setting, "on").regret.unwrap().is_proven_small);
        assert!(matches!(with(&layouts(&[]), CONF, setting, "off"), Decision::Keep(_)));
        predicted(&layouts(&[("append", 1.4), ("fallocated", 1.4)]), CONF, setting, "off");
        // A new file is filled before it is used, unless that is disabled too.
        kept_at_a_risk(&layouts(&[("append", 1.4), ("fallocated", 0.4)]), CONF, setting, "on");
        kept(&layouts(&[("fallocated", 0.4)]), CONF, setting, "on");
    }
}

/// One committer and `most` committers, which together commit `scaling` times as often.
fn committers(most: u64, scaling: fn(f64) -> f64) -> Synthetic {
    log()
        .vary("committers", vec![Value::Count(1), Value::Count(most)])
        .rate(move |values, _| 1000.0 * scaling(values.count("committers").unwrap() as f64))
}

#[test]
fn commits_wait_for_each_other_only_where_flushes_hold_them_up() {
    kept(&committers(8, |many| many * 1.2), CONF, "commit_delay", "0");
    let scatter = |record: &model::trial::TrialRecord| 1.0 + 0.01 * f64::from(record.key.round % 3);
    let shared = committers(8, |_| 1.0).edit(move |record| {
        measure(record, "commit_latency_mean_us", 792.0 * scatter(record));
    });
    // Nobody measured its gain, so the database has to show it.
    let none = no_advice(&shared, CONF, "commit_delay", Why::Undecided, |cause| {
        matches!(cause, Cause::Untried { statement: Statement::SharedFlush { .. }, withdrawn: Some(_), .. })
    });
    let settings = vec!["commit_delay".to_owned()];
    let command = Command::Prove { database: "postgresql".to_owned(), settings };
    assert_eq!(none.needs.unwrap().command, command);
    let setting = advice(&shared, CONF).settings.into_iter().find(|found| found.name == "commit_delay");
    let setting = setting.unwrap();
    let values: Vec<(&str, Role)> =
        setting.candidates.iter().map(|known| (known.value.as_str(), known.role)).collect();
    // No server and no settings file was read: the value is the default, and not known to be in use.
    assert_eq!(values[..2], [("0", Role::Default), ("400", Role::WorthTrying)]);
    let Cause::Untried { statement: Statement::SharedFlush { pair, alone_us }, .. } = &*none.cause else {
        panic!()
    };
    assert_eq!((&pair.ours, &pair.theirs), (&Arm::from("8 committers"), &Arm::from("1")));
    assert!((alone_us.point.unwrap() - 800.0).abs() < 10.0, "{alone_us:?}");
    no_advice(
        &committers(8, |many| if many > 1.0 { many * 0.955 } else { 1.0 }).edit(move |record| {
            measure(record, "commit_latency_mean_us", 792.0 * scatter(record));
        }),
        CONF,
        "commit_delay",
        Why::Undecided,
        |cause| matches!(cause, Cause::Untried { statement: Statement::Compared { .. }, .. }),
    );
}

/// `commit_delay = 46` made PostgreSQL's commits 0.87–0.90× as fast: the sleep took longer than the flush of 92 µs.
#[test]
fn no_commit_sleeps_for_longer_than_a_flush_takes() {
    let flushes_of = |us: f64| {
        committers(8, |_| 1.0).edit(move |record| {
            let scatter = 1.0 + 0.01 * f64::from(record.key.round % 3);
            measure(record, "commit_latency_mean_us", us * scatter);
        })
    };
    kept(&flushes_of(92.0), CONF, "commit_delay", "0");
    no_advice(&flushes_of(120.0), CONF, "commit_delay", Why::Undecided, |cause| {
        matches!(cause, Cause::Untried { withdrawn: Some(_), .. })
    });
    assert!(!matches!(with(&flushes_of(92.0), CONF, "commit_delay", "100"), Decision::Keep(_)));
}

#[test]
fn a_curve_that_ends_where_the_delay_does_not_act_says_nothing() {
    let short = committers(4, |_| 1.0);
    no_advice(&short, CONF, "commit_delay", Why::NotMeasured, |cause| {
        *cause == Cause::FewCommitters { most: 4.0, siblings: 5.0 }
    });
    let alone = no_advice(&log(), CONF, "commit_delay", Why::NotMeasured, |cause| *cause == NO_COMMITTERS);
    assert_eq!(alone.needs.unwrap().command, Command::Run { study: "committers".to_owned() });
    // A log that bypasses the page cache is not like PostgreSQL's.
    let direct = committers(8, |many| many).vary("mode", names(&["direct"]));
    no_advice(&direct, CONF, "commit_delay", Why::NotMeasured, |cause| *cause == NO_COMMITTERS);
}

pub(super) fn speaking() -> Vec<(&'static str, &'static str, Synthetic)> {
    vec![
        ("wal_sync_method", CONF, syncs(&[("dsync", 1.3)])),
        ("wal_init_zero", CONF, layouts(&[("append", 0.4)])),
        ("wal_recycle", CONF, layouts(&[("append", 0.4)])),
        ("commit_delay", CONF, committers(8, |many| many * 1.2)),
    ]
}

pub(super) fn close_calls() -> Vec<(&'static str, &'static str, Synthetic)> {
    let layout = || layouts(&[("append", 0.97), ("fallocated", 0.97)]).scatter(0.08);
    vec![
        ("wal_sync_method", CONF, syncs(&[("dsync", 1.03)]).scatter(0.08)),
        ("wal_init_zero", CONF, layout()),
        ("wal_recycle", CONF, layout()),
    ]
}
