//! The pool workload on Syncline's own pool through the whole program.

#![allow(clippy::float_cmp, reason = "shares and counts are exact")]

use crate::laboratory;

use laboratory::trial::{figure, moved_and_expected};
use laboratory::{Laboratory, WITHOUT_WAITING, refuses, text};
use model::description::Direction;
use model::trial::TrialRecord;
use std::fs;

fn study(factors: &str, fixed: &str) -> String {
    format!(
        "question = \"Does it fit?\"\nworkload = \"pool\"\nbaseline = {{}}\n[factors]\n{factors}\n[fixed]\n{fixed}\n\
         [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    )
}

fn headroom(record: &TrialRecord) -> f64 {
    record.values.number("headroom").unwrap()
}

#[test]
fn a_scan_that_lacks_one_frame_finds_nothing_and_one_that_has_it_everything() {
    let lab = Laboratory::new();
    // 256 pages and 4 of maps: 1.02 gives 261 frames.
    let records = lab.measure(&study(
        "headroom = [1.0, 1.02]\npolicy = [\"clock_sweep\", \"lru\", \"sieve\"]\ncache = [\"cold\", \"warm\"]",
        "blocks = 256",
    ));
    assert_eq!(records.len(), 12);
    for record in &records {
        let fits = headroom(record) > 1.01;
        assert_eq!(
            figure(record, "second_read_hit_share"),
            if fits { 1.0 } else { 0.0 },
            "{}",
            record.values
        );
        // A map page evicts too.
        let evicted = figure(record, "second_read_evictions");
        assert_eq!(evicted, if fits { 0.0 } else { 260.0 }, "{}", record.values);
        let share = figure(record, "pass_cached_share_before");
        assert_eq!(share, if record.values.is("cache", "warm") { 1.0 } else { 0.0 }, "{}", record.values);
        assert!(figure(record, "page_write_read_ratio") > 0.0);
        // The dry run expected four times as many. Reading the counters is a few KiB more.
        let (written, expected) = moved_and_expected(record, "pool", Direction::Write);
        assert_eq!((written, expected), (260 * 8192, 260 * 8192), "{}", record.values);
        let (read, expected) = moved_and_expected(record, "pool", Direction::Read);
        let passes = if fits { 1 } else { 2 };
        assert_eq!((read / (260 * 8192), expected), (passes, 2 * 260 * 8192), "{}", record.values);
    }
    lab.assert_clean();
}

#[test]
fn a_pass_over_some_pages_reads_those_with_so_many_cached() {
    let lab = Laboratory::new();
    let records = lab.measure(&study(
        "access = [\"sequential\", \"random\"]\ncached_percentage = [0, 50, 100]",
        "blocks = 512\nreads = 64\ncache = \"warm\"\nheadroom = 1.25",
    ));
    for record in &records {
        let asked = record.values.count("cached_percentage").unwrap() as f64 / 100.0;
        let share = figure(record, "pass_cached_share_before");
        assert!((share - asked).abs() < 0.1, "{asked}: {share}");
        let phases = &record.measurement.as_ref().unwrap().phases;
        let first = phases.iter().find(|phase| phase.name == "first_read").unwrap();
        // The maps are read too, and are not reads of the table.
        assert_eq!(first.operations, 64 + 4, "{}", record.values);
    }
}

#[test]
fn what_is_asked_at_a_level_is_told_with_it() {
    let lab = Laboratory::new();
    let study = study("headroom = [1.0, 1.1]\npolicy = [\"clock_sweep\", \"sieve\"]", "blocks = 64")
        .replace("baseline = {}", "baseline = { policy = \"clock_sweep\" }")
        .replace(
            "[profile.quick]\nrounds = 1",
            "[[ask]]\ncompare = \"headroom\"\nat = { policy = \"sieve\" }\n\
                 on = [\"second_read_us\"]\n[profile.quick]\nrounds = 6",
        );
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let output = lab.syncline(&["run", "study.toml", "--out", "run"]).args(WITHOUT_WAITING).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let report = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let at = &report["studies"][0]["findings"][0]["ask"]["at"];
    assert_eq!(*at, serde_json::json!([{ "factor": "policy", "level": "sieve" }]));
}

#[test]
fn more_reads_than_pages_are_refused() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("study.toml"), study("headroom = [1.0, 1.1]", "blocks = 64\nreads = 65"))
        .unwrap();
    refuses(
        &lab,
        &mut lab.syncline(&["run", "study.toml", "--out", "run"]),
        2,
        "study study: reads = 65 is more than the table's blocks = 64: lower reads",
    );
}
