//! The page to publish, whole, and safe against what records may contain.

use crate::fixture;

use crate::outline::paragraph;
use crate::spoilt::spoil;
use fixture::specimen;
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use report::Repeat;
use verdict::finding::{NoFloor, Noise};
use verdict::{Kills, Promise, RunRemark};

fn commands() -> Repeat {
    Repeat {
        lines: vec!["syncline run commit --profile quick --seed 4711".to_owned()],
        remarks: vec!["wal-layout needs its study file.".to_owned()],
        ..Repeat::default()
    }
}

fn lines(page: &str, is_meant: impl Fn(&&str) -> bool) -> Vec<&str> {
    page.lines().filter(is_meant).collect()
}

#[test]
fn the_page_as_it_is_published() {
    let (run, verdict) = specimen(6);
    insta::assert_snapshot!(report::markdown(&run, &verdict, &[], &commands()));
}

#[test]
fn three_rounds_say_why_there_is_no_interval() {
    let (run, verdict) = specimen(3);
    let page = report::markdown(&run, &verdict, &[], &commands());
    let failed = lines(&page, |line| line.starts_with("- **FAIL**, "));
    let reason = lines(&page, |line| line.starts_with("\\[1\\] "));
    insta::assert_snapshot!([&failed[..], &reason[..1]].concat().join("\n"), @r#"
    - **FAIL**, small-n in commit: 3 rounds: no interval can be given for any figure.
    - **FAIL**, small-n in wal-layout: 3 rounds: no interval can be given for any figure.
    \[1\] n = 3 trials, and fewer than 6 give no interval
    "#);
}

/// The page to publish lacked the evidence for a class and the ratios within a class, unlike the report.
#[test]
fn classes_are_tabled_apart_with_their_ratios() {
    let (run, mut verdict) = specimen(6);
    let study = &mut verdict.studies[0];
    let process = verdict::Declared::new(&[DurabilityClass::Process]);
    study.cells[..8].iter_mut().for_each(|cell| cell.durability = process.clone());
    let against = |ratio: Option<f64>| verdict::AgainstReference {
        reference: "pwrite".to_owned(),
        ratio: ratio.map(|ratio| verdict::Estimate {
            point: Some(ratio),
            interval: Some((ratio * 0.9, ratio * 1.1)),
            level: Some(0.95),
            reason: None,
        }),
    };
    for (cell, ratio) in [(0, None), (1, Some(0.5)), (8, None)] {
        study.cells[cell].against_reference.insert("commits_per_s".to_owned(), against(ratio));
    }
    let kills =
        Kills { kills: 42, without_result: 0, losing: 0, entries_max: 0.0, share_losing_at_most: 0.069 };
    let class = DurabilityClass::Process;
    study.promises.push(Promise { class, flushes: None, kills: Some(kills) });
    let page = report::markdown(&run, &verdict, &[], &commands());
    let (_, figures) = page.split_once("\n### Figures\n").unwrap();
    let (figures, _) = figures.split_once("\n### Findings\n").unwrap();
    let is_compared = |line: &&str| !line.is_empty() && !line.contains("– \\[1\\]");
    insta::assert_snapshot!(lines(figures, is_compared).join("\n"), @r#"
    Durability class process: no acknowledged entry lost in 42 kills, so that at most 6.90 % of kills could lose one (95 %)
    | mode | group_size | reads_per_commit | n | commits/s | commits/s ÷ reference of the class | commit latency p50, µs | commit latency p99, µs | reads/s |
    |---|---:|---:|---:|---:|---:|---:|---:|---:|
    | buffered | 1 | 1 | 6 | 441 ± 7 | reference | 2 148 ± 35 | 3 502 ± 68 | 441 ± 6 |
    | buffered | 1 | 4 | 6 | 441 ± 7 | 0.500 (0.450–0.550) × pwrite | 2 177 ± 20 | 3 512 ± 74 | 1 764 ± 21 |
    \[1\] compared with no reference
    Durability class power
    | mode | group_size | reads_per_commit | n | commits/s | commits/s ÷ reference of the class | commit latency p50, µs | commit latency p99, µs | reads/s |
    |---|---:|---:|---:|---:|---:|---:|---:|---:|
    | direct | 1 | 1 | 6 | 481 ± 3 | reference | 1 976 ± 33 | 3 192 ± 87 | 483 ± 3 |
    \[1\] compared with no reference
    Arithmetic mean ± half the width of its 95 % t interval over n trials (never over operations). The figures of answers and findings are geometric means. ÷ is the ratio to the reference of the same durability class, paired within rounds, with its 95 % t interval.
    "#);
}

/// It printed "unknown: a value is zero or negative" without the metric.
#[test]
fn a_metric_without_a_noise_floor_is_named() {
    let (run, mut verdict) = specimen(6);
    verdict.studies[0].noise.insert("commits_per_s".to_owned(), Noise::Unknown(NoFloor::Zero));
    let [markdown, terminal] = [
        report::markdown(&run, &verdict, &[], &commands()),
        report::terminal(&run, &verdict, &[], 300, false),
    ]
    .map(|text| paragraph(&text, "Noise floor").unwrap());
    assert_eq!(markdown, terminal);
    insta::assert_snapshot!(terminal, @"Noise floor at 95 %, the baseline against itself; no difference inside it is claimed: commit latency p50 ±1.40 %; commit latency p99 ±1.40 %; reads/s ±1.40 %; commits/s unknown, because the baseline is zero in some trial, and zero has no ratio.");
}

/// Cells of a table's row, as GitHub counts them.
fn cells(line: &str) -> usize {
    line.replace("\\\\", "").replace("\\|", "").matches('|').count() - 1
}

#[test]
fn every_row_has_its_headings_cells() {
    let (mut run, mut verdict) = specimen(6);
    let hostile = "a|b `c` \\| \u{1b}[31m <script>alert(1)</script>\n# d\n\n| e |";
    run.host.name = hostile.to_owned();
    run.host.processor = hostile.to_owned();
    run.plan.directory = hostile.into();
    for record in &mut run.records {
        if let Some(measurement) = &mut record.measurement {
            measurement.placement.model = Measured::Value(hostile.to_owned());
            measurement.placement.filesystem = hostile.to_owned();
            measurement.files[0].role = hostile.to_owned();
        }
    }
    let study = &mut verdict.studies[0];
    study.name = hostile.to_owned();
    study.question = hostile.to_owned();
    study.factors[0] = hostile.to_owned();
    study.cells[0].levels[0] = hostile.to_owned();
    spoil(&mut study.findings[0], hostile);
    study.audits[0].summary = hostile.to_owned();
    study.failures.push(hostile.to_owned());
    verdict.remarks.push(RunRemark::Read(hostile.to_owned()));
    let mut repeat = commands();
    repeat.lines.push(format!("syncline run '{hostile}'"));
    let page = report::markdown(&run, &verdict, &[], &repeat);
    assert!(!page.chars().any(|c| c.is_control() && c != '\n'));
    let fence = page.find("```console").expect("there is a command");
    let folds = ["<details><summary>", "</summary>", "</details>"];
    let text = folds.iter().fold(page[..fence].to_owned(), |text, fold| text.replace(fold, ""));
    assert!(!text.contains('<') && !text.contains("a|b"), "{page}");
    let mut expected = None;
    for line in page.lines() {
        if !line.starts_with('|') {
            expected = None;
            continue;
        }
        assert_eq!(cells(line), *expected.get_or_insert(cells(line)), "{line}");
    }
    let headings = page.lines().filter(|line| line.starts_with("# ")).count();
    assert_eq!(headings, 1, "names make no headings");
}

#[test]
fn a_run_without_records_still_has_a_page() {
    let (mut run, _) = specimen(6);
    run.records.clear();
    let verdict = verdict::analyse(&run, &|_| None);
    let page = report::markdown(&run, &verdict, &[], &Repeat::default());
    let (beginning, _) = page.split_once("\n## What could not be trusted\n").unwrap();
    insta::assert_snapshot!(beginning, @r"
    # bench-07: nothing measured

    Measured by Syncline 0.1.0 on bench-07 (Linux 6.12.57+deb12-amd64), 2026-11-21T09:30:00Z.

    ## Answers

    - **commit**: No trial has succeeded yet, so there is no answer.
    - **wal-layout**: No trial has succeeded yet, so there is no answer.
    ");
}
