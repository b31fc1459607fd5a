//! RocksDB, InnoDB, SQLite, etcd.

use super::{
    changed, judged_as, kept, kept_at_a_risk, log, measure, names, no_advice, pair, predicted, times, with,
};
use crate::database::sqlite::DELETE_WITH_EXTRA;
use crate::{Arm, Cause, Command, Decision, Loss, Statement, Why};
use model::Value;
use model::durability::DurabilityClass;
use stats::Count;
use synthetic::{Synthetic, name};

const ROCKSDB: &str = "rocksdb-options.ini";
const MYSQL: &str = "my.cnf";
const MARIADB: &str = "mariadb.cnf";
const SQLITE: &str = "sqlite.sql";
const ETCD: &str = "etcd.txt";

/// RocksDB, buffered and direct, under two memory caps: the ratios direct ÷ buffered of reads and of loads.
fn kv(reads: [f64; 2], loads: f64) -> Synthetic {
    Synthetic::kv()
        .vary("io", names(&["buffered", "direct"]))
        .vary("memory_cap", names(&["none", "64MiB"]))
        .edit(move |record| {
            let is_direct = record.values.is("io", "direct");
            let read = reads[usize::from(record.values.is("memory_cap", "64MiB"))];
            let scatter = 1.0 + 0.01 * f64::from((record.key.round + record.key.configuration as u32) % 3);
            let times = |factor: f64| 1000.0 * scatter * if is_direct { factor } else { 1.0 };
            measure(record, "hit_operations_per_s", times(read));
            measure(record, "load_and_drain_operations_per_s", times(loads));
        })
}

#[test]
fn direct_tables_where_they_are_worse_under_no_cap() {
    for setting in ["use_direct_reads", "use_direct_io_for_flush_and_compaction"] {
        changed(&kv([1.0, 2.0], 1.3), ROCKSDB, setting, "true");
        assert!(kept(&kv([0.5, 0.4], 1.0), ROCKSDB, setting, "false").regret.unwrap().is_proven_small);
        assert!(kept(&kv([1.0, 1.0], 1.0), ROCKSDB, setting, "false").regret.unwrap().is_proven_small);
        // Better under one cap and worse under another: what the other would gain is named.
        let regret = kept_at_a_risk(&kv([0.5, 2.0], 1.0), ROCKSDB, setting, "false");
        assert!((regret.share_at_most - 0.5).abs() < 0.05, "{regret:?}");
        kept_at_a_risk(&kv([2.0, 2.0], 0.5), ROCKSDB, setting, "false");
    }
}

/// Seven caps need fourteen comparisons, and the rule has a share of ten of the twelve.
#[test]
fn more_caps_have_wider_intervals() {
    let caps = names(&["none", "1GiB", "512MiB", "256MiB", "128MiB", "64MiB", "32MiB"]);
    let level = |study: &Synthetic| {
        changed(study, ROCKSDB, "use_direct_reads", "true").effects[0].ratio.level.unwrap()
    };
    assert!((level(&kv([1.0, 2.0], 1.3)) - (1.0 - 0.05 / 12.0)).abs() < 1e-9);
    let many = kv([1.0, 2.0], 1.3).vary("memory_cap", caps);
    assert!((level(&many) - (1.0 - 0.05 / 17.0)).abs() < 1e-9, "{}", level(&many));
}

#[test]
fn a_log_is_recycled_where_overwriting_is_faster() {
    let layouts = |factors: &'static [(&str, f64)]| {
        log().vary("wal_layout", names(&["prefilled", "append"])).rate(times("wal_layout", factors))
    };
    predicted(&layouts(&[("append", 0.4)]), ROCKSDB, "recycle_log_file_num", "1");
    kept(&layouts(&[]), ROCKSDB, "recycle_log_file_num", "0");
}

/// Arms of one engine, with entries per second and durability class.
fn append(engine: &'static str, arms: &'static [(&str, f64, DurabilityClass)]) -> Synthetic {
    let levels: Vec<&str> = arms.iter().map(|(level, _, _)| *level).collect();
    let level = move |values: &model::Configuration| {
        *arms.iter().find(|(level, _, _)| values.is("durability", level)).unwrap()
    };
    Synthetic::append()
        .vary("arm", vec![name("any")])
        .fix("engine", name(engine))
        .vary("durability", names(&levels))
        .asks(Vec::new())
        .rate(move |values, _| level(values).1)
        .edit(move |record| {
            let class = level(&record.values).2;
            record.measurement.as_mut().unwrap().durability = class;
            let lost = if class == DurabilityClass::None { 300.0 } else { 0.0 };
            measure(record, "lost_after_kill", lost);
            let flushes = if class == DurabilityClass::Power { 1.0 } else { 0.0 };
            measure(record, "device_flushes_per_entry", flushes);
        })
}

#[test]
fn what_a_weaker_promise_saves_is_told_with_what_it_loses() {
    let rocksdb = append(
        "rocksdb",
        &[("wal", 1000.0, DurabilityClass::Process), ("manual_wal_flush", 1900.0, DurabilityClass::None)],
    );
    let found = kept(&rocksdb, ROCKSDB, "manual_wal_flush", "false");
    let [manual] = &found.alternatives[..] else { panic!("{:?}", found.alternatives) };
    assert_eq!(manual.value, "true");
    let saved = pair(&manual.statement);
    assert_eq!((&saved.metric[..], &saved.theirs), ("entries_per_s", &Arm::from("RocksDB's default")));
    assert!((saved.ratio.point.unwrap() / 1.9 - 1.0).abs() < 0.05, "{saved:?}");
    assert_eq!(manual.loses, Some(Loss::EntriesInKill(300.0)));

    let sqlite = append(
        "sqlite",
        &[("full", 1000.0, DurabilityClass::Power), ("normal", 50_000.0, DurabilityClass::Process)],
    );
    let found = kept(&sqlite, SQLITE, "synchronous", "FULL");
    let saved = pair(&found.alternatives[0].statement);
    assert_eq!((&saved.ours, &saved.theirs), (&Arm::from("NORMAL"), &Arm::from("FULL")));
    assert!((saved.ratio.point.unwrap() / 50.0 - 1.0).abs() < 0.05, "{saved:?}");
    assert!(matches!(found.alternatives[0].loses, Some(Loss::Note(_))));
    let alone = no_advice(&sqlite, SQLITE, "journal_mode", Why::NotMeasured, |cause| {
        matches!(cause, Cause::NoArms { .. })
    });
    let study = "append --vary arm=sqlite_full,sqlite_normal,sqlite_delete,sqlite_delete_full,sqlite_truncate,sqlite_persist";
    assert_eq!(alone.needs.unwrap().command, Command::Run { study: study.to_owned() });
    // A user who has the weaker value has decided so: no measurement makes it wrong.
    let Decision::DoesNotApply(none) = with(&sqlite, SQLITE, "synchronous", "NORMAL") else { panic!() };
    assert_eq!(*none.cause, Cause::GuaranteesLess { safe: "FULL" });
    assert!(matches!(with(&sqlite, SQLITE, "synchronous", "EXTRA"), Decision::Keep(_)));
}

/// SQLite with its write-ahead log and with rollback journals, each of class power.
fn journals(arms: &'static [(&str, f64, DurabilityClass)]) -> Synthetic {
    append("sqlite", arms)
}

#[test]
fn a_journal_is_weighed_at_the_same_promise() {
    const POWER: DurabilityClass = DurabilityClass::Power;
    let wal = journals(&[("full", 1000.0, POWER), ("delete", 300.0, POWER), ("truncate", 500.0, POWER)]);
    let found = changed(&wal, SQLITE, "journal_mode", "WAL");
    let [effect] = &found.effects[..] else { panic!("{:?}", found.effects) };
    assert_eq!((effect.over.as_str(), effect.ratio.point.unwrap().round()), ("DELETE", 3.0));
    assert!(found.caveats.contains(&DELETE_WITH_EXTRA), "{:?}", found.caveats);
    // The true default saves the sync of a directory: the ratio over it stands first, and each says what was compared.
    let both = journals(&[
        ("full", 1000.0, POWER),
        ("delete", 200.0, POWER),
        ("delete_full", 400.0, DurabilityClass::Process),
    ]);
    let found = changed(&both, SQLITE, "journal_mode", "WAL");
    let ratios: Vec<f64> =
        found.effects.iter().map(|effect| (effect.ratio.point.unwrap() * 10.0).round()).collect();
    assert_eq!(ratios, [25.0, 50.0]);
    assert!(found.effects.iter().all(|effect| effect.over == "DELETE" && effect.conditions.is_some()));
    // A gain of a weaker promise over the log is not a reason to leave it, or to take it.
    let weaker = [
        ("full", 1000.0, POWER),
        ("delete", 800.0, POWER),
        ("delete_full", 1500.0, DurabilityClass::Process),
    ];
    for arms in [&weaker[..], &[weaker[0], weaker[2]]] {
        let study = journals(Box::leak(arms.to_vec().into_boxed_slice()));
        assert!(!matches!(with(&study, SQLITE, "journal_mode", "WAL"), Decision::ChangeTo(_)));
        assert!(!matches!(with(&study, SQLITE, "journal_mode", "DELETE"), Decision::ChangeTo(_)));
    }
    let slower = journals(&[("full", 1000.0, POWER), ("delete", 1500.0, POWER), ("persist", 3000.0, POWER)]);
    kept(&slower, SQLITE, "journal_mode", "DELETE");
    let Decision::ChangeTo(found) = with(&slower, SQLITE, "journal_mode", "WAL") else { panic!() };
    assert_eq!(found.value, "PERSIST", "the best of those that are proven better");
    assert!((found.effects[0].ratio.point.unwrap() / 3.0 - 1.0).abs() < 0.05, "{:?}", found.effects);
    let same = journals(&[("full", 1000.0, POWER), ("delete", 1000.0, POWER)]);
    assert!(kept(&same, SQLITE, "journal_mode", "DELETE").regret.unwrap().is_proven_small);
    let close = journals(&[("full", 1000.0, POWER), ("delete", 970.0, POWER)]).scatter(0.08);
    kept_at_a_risk(&close, SQLITE, "journal_mode", "DELETE");
    let weaker = journals(&[("full", 1000.0, POWER), ("delete", 300.0, DurabilityClass::Process)]);
    no_advice(&weaker, SQLITE, "journal_mode", Why::Undecided, |cause| {
        matches!(cause, Cause::UnlikePromises { .. })
    });
}

/// Commits beside reads, buffered and direct.
fn beside_reads(direct: f64, from_disk: f64) -> Synthetic {
    Synthetic::commit()
        .vary("mode", names(&["buffered"]))
        .vary("group_size", vec![Value::Count(1)])
        .vary("data_mode", names(&["buffered", "direct"]))
        .fix("wal_mode", name("buffered"))
        .fix("read_depth", Value::Count(32))
        .rate(move |values, _| if values.is("data_mode", "direct") { 1000.0 * direct } else { 1000.0 })
        .edit(move |record| {
            if record.values.is("data_mode", "buffered") {
                measure(record, "device_read_bytes_per_read", 4096.0 * from_disk);
            }
        })
}

#[test]
fn innodb_leaves_the_page_cache_out_where_that_costs_nothing() {
    kept(&beside_reads(1.2, 1.0), MYSQL, "innodb_flush_method", "O_DIRECT");
    kept(&beside_reads(1.0, 1.0), MYSQL, "innodb_flush_method", "O_DIRECT");
    predicted(&beside_reads(0.7, 1.0), MYSQL, "innodb_flush_method", "fsync");
    kept(&beside_reads(1.2, 1.0), MARIADB, "innodb_flush_method", "O_DIRECT");
    predicted(&beside_reads(0.7, 1.0), MARIADB, "innodb_flush_method", "fsync");
    let cached = beside_reads(0.7, 0.6);
    no_advice(
        &cached,
        MYSQL,
        "innodb_flush_method",
        Why::Undecided,
        |cause| matches!(cause, Cause::FromCache { share, .. } if (share - 0.4).abs() < 1e-9),
    );
}

#[test]
fn innodb_syncs_data_alone_where_that_is_faster() {
    let syncs = |factors: &'static [(&str, f64)]| {
        log().vary("sync", names(&["fdatasync", "fsync"])).rate(times("sync", factors))
    };
    kept(&syncs(&[("fsync", 0.7)]), MYSQL, "innodb_use_fdatasync", "ON");
    predicted(&syncs(&[("fsync", 1.4)]), MYSQL, "innodb_use_fdatasync", "OFF");
    kept(&syncs(&[]), MYSQL, "innodb_use_fdatasync", "ON");
    assert!(matches!(with(&syncs(&[]), MYSQL, "innodb_use_fdatasync", "OFF"), Decision::Keep(_)));
}

#[test]
fn etcd_wants_ten_milliseconds() {
    let p99 = |us: f64| {
        log().edit(move |record| {
            let scatter = 1.0 + 0.02 * f64::from(record.key.round % 3);
            measure(record, "sync_latency_p99_us", us * scatter);
        })
    };
    judged_as(&p99(2000.0), ETCD, "disk", "fit for etcd");
    judged_as(&p99(15_000.0), ETCD, "disk", "not fit for etcd");
    // Some trials below the limit and some above.
    no_advice(&p99(9_850.0), ETCD, "disk", Why::Undecided, |cause| matches!(cause, Cause::MajorityOpen(_)));
    no_advice(&p99(2000.0).rounds(5), ETCD, "disk", Why::Undecided, |cause| {
        matches!(cause, Cause::MajorityOpen(_))
    });
    // The first of several looks has spent a part of the error, so six of six are no longer a proof.
    no_advice(&p99(2000.0).rounds(6).looks(&[6, 9, 12, 18]), ETCD, "disk", Why::Undecided, |cause| {
        matches!(cause, Cause::MajorityOpen(_))
    });
    // Seven are, and the bound that is stated is the one that decided.
    let seven = judged_as(&p99(2000.0).rounds(7).looks(&[7, 11, 14, 21]), ETCD, "disk", "fit for etcd");
    let Statement::Syncs(syncs) = &seven.statement else { panic!("{seven:?}") };
    assert!(syncs.share_above_at_most < 0.5, "{syncs:?}");
    let count = Count { of: syncs.above, n: syncs.trials };
    assert!((count.share_at_most(syncs.level) - syncs.share_above_at_most).abs() < 1e-12, "{syncs:?}");
    let unsupported = log();
    no_advice(&unsupported, ETCD, "disk", Why::Unsupported, |cause| {
        matches!(cause, Cause::NoFigure { why: None, .. })
    });
}

/// The mean of six p99 values, one of them a stall, had an interval from below zero to above the limit. With five small
/// values and one at the limit it had an interval below the limit, and Syncline reported "fit".
#[test]
fn etcd_is_judged_by_trials_and_not_by_a_mean_of_percentiles() {
    let skewed = |stall: f64| {
        log().edit(move |record| {
            let us = if record.key.round == 3 { stall } else { 200.0 + f64::from(record.key.round) };
            measure(record, "sync_latency_p99_us", us);
        })
    };
    let found = judged_as(&skewed(9_999.0), ETCD, "disk", "fit for etcd");
    let (low, high) = found.estimate.unwrap().interval.unwrap();
    assert!(low >= 200.0 && high <= 9_999.0, "{low} to {high}");
    // Nine of ten trials are a majority, but one was not fit.
    no_advice(
        &skewed(30_000.0),
        ETCD,
        "disk",
        Why::Undecided,
        |cause| matches!(cause, Cause::SomeAbove(syncs) if (syncs.above, syncs.trials) == (1, 10)),
    );
}

pub(super) fn speaking() -> Vec<(&'static str, &'static str, Synthetic)> {
    const MANUAL: &[(&str, f64, DurabilityClass)] =
        &[("wal", 1000.0, DurabilityClass::Process), ("manual_wal_flush", 1900.0, DurabilityClass::None)];
    const POWER: &[(&str, f64, DurabilityClass)] = &[
        ("full", 1000.0, DurabilityClass::Power),
        ("delete", 300.0, DurabilityClass::Power),
        ("normal", 50_000.0, DurabilityClass::Process),
    ];
    let layouts = log()
        .vary("wal_layout", names(&["prefilled", "append"]))
        .rate(times("wal_layout", &[("append", 0.4)]));
    let syncs = log().vary("sync", names(&["fdatasync", "fsync"])).rate(times("sync", &[("fsync", 0.7)]));
    let fast = log().edit(|record| {
        let scatter = 1.0 + 0.02 * f64::from(record.key.round % 3);
        measure(record, "sync_latency_p99_us", 2000.0 * scatter);
    });
    vec![
        ("use_direct_reads", ROCKSDB, kv([1.0, 2.0], 1.3)),
        ("use_direct_io_for_flush_and_compaction", ROCKSDB, kv([1.0, 2.0], 1.3)),
        ("recycle_log_file_num", ROCKSDB, layouts),
        ("manual_wal_flush", ROCKSDB, append("rocksdb", MANUAL)),
        ("innodb_flush_method", MYSQL, beside_reads(1.2, 1.0)),
        ("innodb_flush_method", MARIADB, beside_reads(1.2, 1.0)),
        ("innodb_use_fdatasync", MYSQL, syncs),
        ("journal_mode", SQLITE, append("sqlite", POWER)),
        ("synchronous", SQLITE, append("sqlite", POWER)),
        ("disk", ETCD, fast),
    ]
}

pub(super) fn close_calls() -> Vec<(&'static str, &'static str, Synthetic)> {
    const POWER: &[(&str, f64, DurabilityClass)] =
        &[("full", 1000.0, DurabilityClass::Power), ("delete", 970.0, DurabilityClass::Power)];
    let layouts = log()
        .vary("wal_layout", names(&["prefilled", "append"]))
        .rate(times("wal_layout", &[("append", 0.97)]));
    let syncs = log().vary("sync", names(&["fdatasync", "fsync"])).rate(times("sync", &[("fsync", 0.97)]));
    let loads = || {
        kv([1.0, 1.0], 1.0).edit(|record| {
            // Higher for direct in one round, and for buffered in the next.
            let is_up = record.key.round.is_multiple_of(2) == record.values.is("io", "direct");
            measure(record, "hit_operations_per_s", if is_up { 1100.0 } else { 1000.0 });
        })
    };
    vec![
        ("use_direct_reads", ROCKSDB, loads()),
        ("use_direct_io_for_flush_and_compaction", ROCKSDB, loads()),
        ("recycle_log_file_num", ROCKSDB, layouts.scatter(0.08)),
        ("innodb_flush_method", MYSQL, beside_reads(0.97, 1.0).scatter(0.08)),
        ("innodb_use_fdatasync", MYSQL, syncs.scatter(0.08)),
        ("journal_mode", SQLITE, append("sqlite", POWER).scatter(0.08)),
    ]
}
