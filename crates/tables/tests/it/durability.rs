//! What people write about durability into columns and labels: a table whose rows promise different things is named as
//! such.

use model::DurabilityClass;
use tables::{Belief, Mapping, Report, Table, audit, read};
use verdict::Status;

fn table(text: &str) -> Table {
    read("page.md", text.as_bytes(), &Mapping::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn status(report: &Report, name: &str) -> Status {
    report.audits.iter().find(|audit| audit.name == name).unwrap().status
}

fn classes(table: &Table) -> Vec<Option<DurabilityClass>> {
    table.rows.iter().map(|row| row.setting.survives()).collect()
}

const OFF_AT_FIVE_TIMES: &str = "\
| fsync | Clients | TPS | Latency (ms) |
|---|---:|---:|---:|
| on | 16 | 2412.35 | 6.633 |
| on | 32 | 4011.72 | 7.977 |
| off | 16 | 12061.20 | 1.327 |
";

/// "3 of 3 can be believed": the column was taken for a label, and the latency is the clients divided by the rate.
#[test]
fn fsync_off_is_not_believed_on_the_evidence_of_an_identity() {
    let table = table(OFF_AT_FIVE_TIMES);
    let [power, process] = [Some(DurabilityClass::Power), Some(DurabilityClass::Process)];
    assert_eq!(classes(&table), [power, power, process]);
    let report = audit(&table);
    assert_eq!(status(&report, "unlike-durability"), Status::Warn);
    assert_eq!(status(&report, "derived-latency"), Status::Warn);
    assert_eq!(status(&report, "littles-law"), Status::NotAssessable);
    assert!(report.rows.iter().all(|row| row.belief != Belief::CanBeBelieved), "{report:#?}");
}

/// A measured latency falls short of the identity, and is evidence.
#[test]
fn a_measured_latency_is_evidence() {
    let text =
        OFF_AT_FIVE_TIMES.replace("6.633", "6.604").replace("7.977", "7.921").replace("1.327", "1.309");
    let report = audit(&table(&text));
    assert_eq!(status(&report, "derived-latency"), Status::Pass);
    assert_eq!(status(&report, "littles-law"), Status::Pass);
}

#[test]
fn durability_as_people_write_it() {
    let [none, process, power] =
        [DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power].map(Some);
    for (header, cells, expected) in [
        ("Durability", ["power loss", "process crash", "none"], [power, process, none]),
        ("Durability", ["fsync=on", "fsync=off", "synchronous_commit=off"], [power, process, none]),
        ("Durability", ["Safe", "async", "unsafe"], [power, process, none]),
        ("Sync", ["every write", "every second", "off"], [power, process, process]),
        ("synchronous_commit", ["on", "local", "off"], [power, power, none]),
        ("appendfsync", ["always", "everysec", "no"], [power, process, process]),
        ("持久性", ["fsync=on", "fsync=off", "async"], [power, process, process]),
    ] {
        let rows: Vec<String> = cells.iter().map(|cell| format!("| {cell} | 8 | 1200 |\n")).collect();
        let table = table(&format!("| {header} | Clients | TPS |\n|---|---|---|\n{}", rows.concat()));
        assert_eq!(classes(&table), expected, "{header}: {cells:?}");
    }
}

/// `fsync` may also be the name of a column of figures.
#[test]
fn a_column_of_syncs_per_second_is_a_figure() {
    let table = table("| Drive | fsync/s |\n|---|---|\n| A | 1032 |\n| B | 210 |\n");
    assert_eq!(table.rows[0].operations_per_s, Some(1032.0));
    assert_eq!(table.rows[0].setting.sync, None);
}
