//! Every report prints the conditions of a study's findings with them.

use crate::fixture::specimen;
use crate::outline::{paragraph, texts};
use model::description::Readahead;
use model::mechanism::Measured;
use report::Repeat;
use scraper::Html;
use std::collections::BTreeSet;
use verdict::{Conditions, DeviceLatency, DeviceReadahead};

/// The sentence about them on the terminal, which the page and Markdown have too.
fn sentence(conditions: Option<Conditions>) -> Option<String> {
    let (run, mut verdict) = specimen(6);
    verdict.studies[0].conditions = conditions;
    let terminal = report::terminal(&run, &verdict, &[], 100, false);
    let page = report::html(&run, &verdict, &[], &Repeat::default());
    let markdown = report::markdown(&run, &verdict, &[], &Repeat::default());
    let notes = texts(&Html::parse_document(&page), ".note").join("\n");
    let [terminal, page, markdown] =
        [terminal, notes, markdown].map(|text| paragraph(&text, "Conditions of every finding: "));
    assert_eq!([&page, &markdown], [&terminal; 2]);
    terminal
}

fn conditions(read_ahead_kib: Measured<u64>, device_latency: Measured<DeviceLatency>) -> Conditions {
    let device = Measured::Value("vda".to_owned());
    Conditions {
        devices: vec![DeviceReadahead { device, read_ahead_kib }],
        hints: BTreeSet::from([Readahead::AsSet, Readahead::Doubled, Readahead::Off, Readahead::Dropped]),
        device_latency,
    }
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
    let known = conditions(Measured::Value(137), Measured::Value(latency));
    insta::assert_snapshot!(sentence(Some(known)).unwrap());
}

#[test]
fn what_is_not_known_is_named_with_its_reason() {
    let unknown = conditions(Measured::unsupported("not on a disk"), Measured::unsupported("no counters"));
    insta::assert_snapshot!(sentence(Some(unknown)).unwrap());
}

#[test]
fn a_study_without_them_has_no_such_line() {
    assert_eq!(sentence(None), None);
}
