//! Tables in the shapes that people publish, each with one planted error, and its twin without it: the error is found,
//! and the twin raises no alarm.

use tables::{Mapping, Report, audit, read};
use verdict::{Audit, Status};

/// Checks that ask how much is stated: a sound table without n warns there.
const OF_TELLING: &[&str] = &["n-hidden", "too-few-repeats", "too-short"];

macro_rules! table {
    ($name:literal, $check:literal) => {
        Planted {
            name: $name,
            check: $check,
            text: include_str!(concat!("../tables/", $name, ".md")),
            twin: include_str!(concat!("../tables/", $name, ".clean.md")),
        }
    };
}

struct Planted {
    name: &'static str,
    /// The check that finds the error.
    check: &'static str,
    text: &'static str,
    twin: &'static str,
}

const TABLES: &[Planted] = &[
    table!("reciprocal-latency", "reciprocal-latency"),
    table!("spread-exceeds-mean", "spread-exceeds-mean"),
    table!("rank-order", "rank-order"),
    table!("too-few-repeats", "too-few-repeats"),
    table!("bandwidth", "bandwidth"),
    table!("depth-label", "depth-label"),
    table!("sync-without-flush", "sync-without-flush"),
    table!("jmh", "spread-exceeds-mean"),
    table!("fio-command", "littles-law"),
    table!("chinese", "littles-law"),
    // In the shapes of tinybench, a storage tool's README, a fio course, etcd, Kafka, a cloud vendor, pgbench,
    // RocksDB's script, embedded databases, a scan benchmark, a page cache post and a store's README.
    table!("unit-slip", "unit-slip"),
    table!("blocks-in-heading", "bandwidth"),
    table!("io-depth", "depth-label"),
    table!("etcd-disk", "impossible-order"),
    table!("kafka", "bandwidth"),
    table!("volumes", "duplicated-latency"),
    table!("pgbench-table", "littles-law"),
    table!("rocksdb-script", "impossible-order"),
    table!("durability-modes", "unlike-durability"),
    table!("speedup", "ratio-column"),
    table!("direct-from-memory", "not-direct"),
    table!("sync-thread", "sync-too-fast"),
];

fn judged(name: &str, text: &str) -> Report {
    let table = read("page.md", text.as_bytes(), &Mapping::default());
    audit(&table.unwrap_or_else(|error| panic!("{name}: {error}")))
}

const fn is_off(audit: &Audit) -> bool {
    matches!(audit.status, Status::Warn | Status::Fail)
}

/// What was read and judged, for a failure's message.
fn told(report: &Report) -> String {
    let assessable = report.audits.iter().filter(|audit| audit.status != Status::NotAssessable);
    let audits: Vec<String> =
        assessable.map(|audit| format!("{} {:?} {:?}", audit.name, audit.status, audit.evidence)).collect();
    format!("{:#?} {:#?}", report.remarks, audits)
}

/// Three of twelve were found.
#[test]
fn planted_errors_are_found_and_twins_are_not_alarmed() {
    let mut missed = Vec::new();
    for Planted { name, check, text, twin } in TABLES {
        let report = judged(name, text);
        if !report.audits.iter().any(|audit| audit.name == *check && is_off(audit)) {
            missed.push(format!("{name}: {check} is not found: {}", told(&report)));
        }
        let report = judged(name, twin);
        let alarms = report.audits.iter().filter(|audit| is_off(audit));
        for alarm in alarms.filter(|audit| audit.name == *check || !OF_TELLING.contains(&audit.name.as_str()))
        {
            missed.push(format!(
                "{name}: a false alarm: {} {:?} {}",
                alarm.name,
                alarm.evidence,
                told(&report)
            ));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
