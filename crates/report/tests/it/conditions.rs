//! Every report prints the conditions of a study's findings with them.

use crate::fixture::specimen;
use model::description::Readahead;
use model::mechanism::Measured;
use report::Repeat;
use std::collections::BTreeSet;
use verdict::{Conditions, DeviceLatency, DeviceReadahead};

/// The terminal, the page and Markdown.
fn reports(conditions: Option<Conditions>) -> [String; 3] {
    let (run, mut verdict) = specimen(6);
    verdict.studies[0].conditions = conditions;
    [
        report::terminal(&run, &verdict, &[], 2000, false),
        report::html(&run, &verdict, &[], &Repeat::default()),
        report::markdown(&run, &verdict, &[], &Repeat::default()),
    ]
}

fn conditions(read_ahead_kib: Measured<u64>, device_latency: Measured<DeviceLatency>) -> Conditions {
    let device = Measured::Value("vda".to_owned());
    Conditions {
        devices: vec![DeviceReadahead { device, read_ahead_kib }],
        hints: BTreeSet::from([Readahead::AsSet, Readahead::Doubled, Readahead::Off, Readahead::Dropped]),
        device_latency,
    }
}

/// The paragraph of the terminal, on one line.
fn line(report: &str) -> String {
    let mut lines = report.lines().skip_while(|line| !line.contains("read_ahead_kb"));
    let mut text = lines.next().unwrap().to_owned();
    while !text.ends_with('.') {
        text = format!("{text} {}", lines.next().unwrap().trim_start());
    }
    text
}

#[test]
fn their_values_stand_with_the_findings() {
    let latency = DeviceLatency {
        median_us: 613.0,
        least_us: 411.0,
        most_us: 1020.0,
        request_bytes: 120_000.0,
        trials: 48,
    };
    let reports = reports(Some(conditions(Measured::Value(137), Measured::Value(latency))));
    for report in &reports {
        for value in ["read_ahead_kb = 137", "274", "613", "48 trials"] {
            assert!(report.contains(value), "{value}");
        }
    }
    insta::assert_snapshot!(line(&reports[0]));
}

#[test]
fn what_is_not_known_is_named_with_its_reason() {
    let unknown = conditions(Measured::unsupported("not on a disk"), Measured::unsupported("no counters"));
    let reports = reports(Some(unknown));
    for report in &reports {
        assert!(report.contains("not on a disk") && report.contains("no counters"));
    }
    insta::assert_snapshot!(line(&reports[0]));
}

#[test]
fn a_study_without_them_has_no_such_line() {
    assert!(reports(None).iter().all(|report| !report.contains("read_ahead_kb")));
}
