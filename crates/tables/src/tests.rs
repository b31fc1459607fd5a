//! What is made of the laws for a table: rounding as it is printed, and which rows are believed.

use crate::audit::audit as judge;
use crate::mapping::Mapping;
use crate::read::{csv, read};
use crate::report::Belief;
use laws::{LAWS, Status};

/// Checks what becomes of a law, and that its text contains these words.
fn check(name: &str, table: &str, status: Status, words: &str) {
    let table = csv("page.csv", table.as_bytes(), &Mapping::default()).unwrap();
    let audit = judge(&table).audits.into_iter().find(|audit| audit.name == name).unwrap();
    let text = format!("{}\n{}\n{}", audit.summary, audit.evidence.join("\n"), audit.advice);
    assert_eq!(audit.status, status, "{name}: {text}");
    assert!(text.contains(words), "{name} does not say {words:?}: {text}");
}

/// 3.5k operations are anything from 3450 to 3550, and page authors cut as often as they round: 3584/s × 4 KiB = 14.0
/// MiB/s was taken for "KB printed as KiB".
#[test]
fn rounding_is_no_finding() {
    let table = |rate: &str, bandwidth: &str| {
        format!("iops,bandwidth_mib_per_s,block_bytes\n{rate},{bandwidth},4KiB\n")
    };
    for (rate, bandwidth) in [("3.5k", "14.0"), ("3500", "14.0"), ("3.58k", "14"), ("1M", "4100")] {
        check("bandwidth", &table(rate, bandwidth), Status::Pass, "rate × block size");
    }
    check("bandwidth", &table("3584", "14.34"), Status::Warn, "KB were printed as KiB");
    let law = |rate: &str, micros: &str| format!("iops,latency_mean_us,in_flight\n{rate},{micros},32\n");
    check("littles-law", &law("3.5k", "9700"), Status::Pass, "fits");
    check("littles-law", &law("3547", "9712"), Status::Warn, "34.4 in flight");
    let order = |row: &str| format!("latency_min_us,latency_p50_us,latency_mean_us\n{row}\n");
    check("impossible-order", &order("11,10,20"), Status::Pass, "are consistent");
    check("impossible-order", &order("11.2,10.1,20"), Status::Fail, "minimum 11.2 µs is above p50 10.1 µs");
    let direct = |micros: &str| format!("mode,latency_min_us\ndirect,{micros}\n");
    check("not-direct", &direct("1"), Status::Pass, "1 row");
    check("not-direct", &direct("0.9"), Status::Fail, "minimum latency is 900 ns");
    let alike = "iops,latency_mean_ms,latency_min_ms,latency_max_ms\n1000,1,0,5\n2000,1,0,5\n";
    check("duplicated-latency", alike, Status::NotAssessable, "three figures");
}

/// Checks that only ask how much is stated passed, and of a page with 11 of 13 checks not applicable "6 of 6 rows can
/// be believed" was reported.
#[test]
fn what_no_check_of_figures_looked_at_is_not_checked() {
    let report = |text: &str| judge(&csv("page.csv", text.as_bytes(), &Mapping::default()).unwrap());
    let told = report("label,cost,cost_ci,n\na,1.652,0.241,30\nb,1.182,0.093,30\n");
    assert!(told.rows.iter().all(|row| row.belief == Belief::Unchecked), "{told:?}");
    assert_eq!((told.checks.applied, told.checks.of), (3, LAWS.len()));
    assert_eq!(told.rows[0].checks, told.checks);
    assert!(told.audits.iter().all(|audit| !matches!(audit.status, Status::Warn | Status::Fail)));
    // Reported for the checked figure, and not for the other one.
    let law =
        report("iops,bandwidth_mib_per_s,latency_mean_us,in_flight,other,other_ci\n721000,,177,128,5,1\n");
    let belief = |name: &str| law.rows[0].numbers.iter().find(|found| found.name == name).unwrap().belief;
    assert_eq!((belief("iops"), belief("other")), (Belief::CanBeBelieved, Belief::Unchecked));
    assert_eq!(law.rows[0].belief, Belief::PartlyChecked, "a check ran and passed");
}

/// Whether n is stated does not change the figure.
#[test]
fn a_hidden_n_makes_no_row_doubtful() {
    let text = b"iops,latency_mean_us,in_flight\n721000,177,128\n";
    let report = judge(&csv("page.csv", text, &Mapping::default()).unwrap());
    assert_eq!(report.audits.iter().find(|audit| audit.name == "n-hidden").unwrap().status, Status::Warn);
    assert_eq!(report.rows[0].belief, Belief::CanBeBelieved, "{report:?}");
    assert!(report.rows[0].reasons.iter().any(|reason| reason.starts_with("n-hidden")));
}

#[test]
fn every_role_that_a_check_needs_is_a_role() {
    for (name, needs) in crate::check_help() {
        let words = needs.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let roles = words.filter(|word| word.contains('_') && !word.ends_with("_COLUMN")).collect::<Vec<_>>();
        assert!(name == "latency-comb" || !needs.is_empty());
        for role in roles {
            assert!(crate::role::Role::parse(role).is_ok(), "{name}: {role}");
        }
    }
}

/// `appendfsync no` was read as an fsync after each write, and passed beside `always`.
#[test]
fn words_for_durability_are_understood() {
    for (off, on) in [("appendfsync no", "appendfsync always"), ("fsync: off", "fsync")] {
        let page = format!("| name | ops/s |\n|---|---|\n| {off} | 305078 |\n| {on} | 19455 |\n");
        let report = judge(&read("page", page.as_bytes(), &Mapping::default()).unwrap());
        let unlike = report.audits.iter().find(|audit| audit.name == "unlike-durability").unwrap();
        assert_eq!(unlike.status, Status::Warn, "{unlike:?}");
    }
}
