//! etcd: whether the disk is fit for it.
//!
//! The rule is etcd's own: the 99th percentile of `etcd_disk_wal_fsync_duration_seconds` should be below 10 ms
//! (<https://etcd.io/docs/v3.5/faq/>, "What does the etcd warning ... mean"). etcd allocates its log in segments ahead
//! (`server/storage/wal`), writes through the page cache and calls fdatasync, which alone is what that metric times.

use super::evidence::{Draft, Evidence, Held, figure, with_interval};
use super::setting::{Ground, Silence};
use super::{Database, DefaultValue, Kind, Rule, Syntax};
use crate::attribution::Footing;

const LIMIT_US: f64 = 10_000.0;
const SYNC: &str = "sync_latency_p99_us";

pub(super) const DATABASE: Database = Database {
    name: "etcd",
    fragment: "etcd.txt",
    syntax: Syntax::Text,
    rules: &[Rule {
        setting: "disk",
        kind: Kind::Relative,
        default: DefaultValue::None("etcd asks for a WAL fsync p99 below 10 ms"),
        study: "wal-layout",
        audits: &["volatile-cache", "layout"],
        comparisons: 0,
        decide: fitness,
    }],
    hazards: &[],
};

fn fitness(evidence: &Evidence<'_>) -> Result<Draft, Silence> {
    let log: &[Held<'_>] = &[
        ("wal_mode", "buffered"),
        ("sync", "fdatasync"),
        ("ioengine", "psync"),
        ("read_depth", "0"),
        ("committers", "1"),
        ("filesystem", "host"),
    ];
    // Allocated ahead as etcd's own; a prefilled log is the kinder case.
    let allocated = [log, &[("wal_layout", "fallocated")]].concat();
    let prefilled = [log, &[("wal_layout", "prefilled")]].concat();
    let (layout, found) = match evidence.cells("commit", &allocated) {
        Ok(found) => ("allocated", found),
        Err(_) => ("written before", evidence.cells("commit", &prefilled)?),
    };
    let Some(cell) = found.cells.first() else {
        return Err(Silence::not_measured("no study of this run has a log that is synced by fdatasync"));
    };
    let p99 = &figure(cell, SYNC)?.mean;
    let statement = format!(
        "WAL fdatasync p99 is {} on a log {layout}, {} trials of study {}; etcd asks for less than 10 ms",
        with_interval(SYNC, p99),
        cell.n,
        found.study.name
    );
    let Some((low, high)) = p99.interval else {
        let why = p99.reason.as_deref().unwrap_or("it has no interval");
        return Err(Silence::undecided(format!("{statement}: {why}")));
    };
    let value = if high < LIMIT_US {
        "fit for etcd"
    } else if low > LIMIT_US {
        "not fit for etcd"
    } else {
        return Err(Silence::undecided(format!("{statement}: the interval spans the limit")));
    };
    Ok(Draft {
        value: value.to_owned(),
        estimate: Some(p99.clone()),
        statement,
        grounds: vec![Ground {
            study: found.study.name.clone(),
            finding: cell.label.clone(),
            metric: SYNC.to_owned(),
            trials: cell.n,
            rests_on: Footing::new([cell.configuration], Vec::new()),
        }],
        caveats: vec!["Measured on an idle disk: whatever shares it with etcd adds to this.".to_owned()],
        ..Draft::default()
    })
}
