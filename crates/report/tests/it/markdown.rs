//! The page to publish, whole, and safe against what records may contain.

use crate::fixture;

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

#[test]
fn the_page_as_it_is_published() {
    let (run, verdict) = specimen(6);
    insta::assert_snapshot!(report::markdown(&run, &verdict, &[], &commands()));
}

#[test]
fn three_rounds_say_why_there_is_no_interval() {
    let (run, verdict) = specimen(3);
    let page = report::markdown(&run, &verdict, &[], &commands());
    assert!(page.contains("\\[1\\] n = 3 trials, and fewer than 6 give no interval"), "{page}");
    assert!(page.contains("- **FAIL**, small-n in commit: 3 rounds"), "{page}");
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
    for said in [
        "Durability class process: no acknowledged entry lost in 42 kills",
        "Durability class power",
        "| commits/s ÷ reference of the class |",
        "| reference |",
        "| 0.500 (0.450–0.550) × pwrite |",
        "÷ is the ratio to the reference of the same durability class",
    ] {
        assert!(page.contains(said), "{said}\n{page}");
    }
}

/// It printed "unknown: a value is zero or negative" without the metric.
#[test]
fn a_metric_without_a_noise_floor_is_named() {
    let (run, mut verdict) = specimen(6);
    verdict.studies[0].noise.insert("commits_per_s".to_owned(), Noise::Unknown(NoFloor::Zero));
    for said in [
        report::markdown(&run, &verdict, &[], &commands()),
        report::terminal(&run, &verdict, &[], 300, false),
    ] {
        let (_, floor) = said.split_once("Noise floor").unwrap();
        let line = floor.split_whitespace().take(60).collect::<Vec<_>>().join(" ");
        assert!(
            line.contains("commit latency p50 ±")
                && line.contains("commits/s unknown, because the baseline is zero in some trial"),
            "{line}"
        );
    }
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
    assert!(page.contains("nothing measured yet") && page.contains("No trial has succeeded yet"), "{page}");
}
