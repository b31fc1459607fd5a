//! PostgreSQL's log.

use super::{advised, log, measure, names, silent, times};
use crate::advice::Why;
use crate::synthetic::Synthetic;
use crate::verdict::Answer;
use model::Value;

const CONF: &str = "postgresql.conf";

fn syncs(factors: &'static [(&str, f64)]) -> Synthetic {
    log().vary("sync", names(&["fdatasync", "dsync", "fsync"])).rate(times("sync", factors))
}

fn layouts(factors: &'static [(&str, f64)]) -> Synthetic {
    log().vary("wal_layout", names(&["prefilled", "fallocated", "append"])).rate(times("wal_layout", factors))
}

#[test]
fn the_sync_method_is_the_faster_one() {
    let open = advised(&syncs(&[("dsync", 1.3)]), CONF, "wal_sync_method", "open_datasync");
    let [effect] = &open.effects[..] else { panic!("{:?}", open.effects) };
    let (low, high) = effect.ratio.interval.unwrap();
    assert!(low < 1.3 && 1.3 < high && effect.over == "fdatasync", "{effect:?}");
    assert!(effect.ratio.level.unwrap() > 0.95, "the rules of a database share the error");
    assert!(
        open.caveats.iter().any(|caveat| caveat.contains("waits for each of them")),
        "{:?}",
        open.caveats
    );
    assert!(open.audits.iter().any(|name| name == "volatile-cache"));

    let closed = advised(&syncs(&[("dsync", 0.5), ("fsync", 0.8)]), CONF, "wal_sync_method", "fdatasync");
    let over: Vec<&str> = closed.effects.iter().map(|effect| effect.over.as_str()).collect();
    assert_eq!(over, ["open_datasync", "fsync"]);
    let gain = closed.effects[0].ratio.point.unwrap();
    assert!((gain - 2.0).abs() < 0.1, "{gain}");
    let same = advised(&syncs(&[]), CONF, "wal_sync_method", "fdatasync");
    assert_eq!(same.effects[0].answer, Answer::Equivalent);
}

#[test]
fn a_log_around_the_page_cache_says_nothing_of_postgresqls() {
    let direct = syncs(&[("dsync", 1.3)]).vary("mode", names(&["direct"]));
    silent(&direct, CONF, "wal_sync_method", Why::NotMeasured, "sync = dsync beside sync = fdatasync");
}

#[test]
fn zeros_are_worth_writing_where_a_growing_log_is_slower() {
    let journal = layouts(&[("append", 0.4), ("fallocated", 0.4)]);
    advised(&journal, CONF, "wal_init_zero", "on");
    advised(&journal, CONF, "wal_recycle", "on");
    // Copy-on-write: what was written before has no advantage.
    advised(&layouts(&[]), CONF, "wal_init_zero", "off");
    advised(&layouts(&[]), CONF, "wal_recycle", "on");
    let cow = layouts(&[("append", 1.4), ("fallocated", 1.4)]);
    advised(&cow, CONF, "wal_init_zero", "off");
    advised(&cow, CONF, "wal_recycle", "off");
    let torn = layouts(&[("fallocated", 0.4)]);
    silent(&torn, CONF, "wal_init_zero", Why::Undecided, "the layouts do not agree");
}

fn committers(scaling: fn(f64) -> f64) -> Synthetic {
    log()
        .vary("committers", vec![Value::Count(1), Value::Count(8)])
        .rate(move |values, _| 1000.0 * scaling(values.count("committers").unwrap() as f64))
}

#[test]
fn commits_wait_for_each_other_only_where_flushes_hold_them_up() {
    advised(&committers(|many| many * 1.2), CONF, "commit_delay", "0");
    let shared = committers(|_| 1.0).edit(|record| measure(record, "commit_latency_mean_us", 800.0));
    let delay = advised(&shared, CONF, "commit_delay", "400");
    assert!(delay.statement.contains("what it gains was not measured"), "{}", delay.statement);
    silent(
        &committers(|many| if many > 1.0 { many * 0.955 } else { 1.0 }),
        CONF,
        "commit_delay",
        Why::Undecided,
        "not proven either way",
    );
    let alone =
        silent(&log(), CONF, "commit_delay", Why::NotMeasured, "no study of this run varies committers");
    assert_eq!(alone.study.as_deref(), Some("commit --vary committers=1,4,16"));
}
