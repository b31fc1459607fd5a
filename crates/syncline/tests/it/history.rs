//! `syncline history` on made-up runs of one disk, and what scripts rely on.

use crate::laboratory::made_up::write_run;
use crate::laboratory::{Laboratory, text};
use model::run::Run;
use serde_json::Value;
use std::fs;
use std::process::Output;
use synthetic::Synthetic;

const RUNTIME: i32 = 1;
const USAGE: i32 = 2;
const LIMIT_UNDECIDED: i32 = 98;
const LIMIT_BROKEN: i32 = 99;
/// The run from which on direct I/O is a tenth slower.
const FELL: usize = 20;

/// A run of this hour. The machine is up to a fifth slower from hour to hour.
fn run(hour: usize) -> Run {
    let machine = 1000.0 * (1.0 - 0.2 * ((hour * 7) % 11) as f64 / 11.0);
    let study = Synthetic::commit().rounds(7).scatter(0.0).rate(move |configuration, round| {
        let is_direct = configuration.to_string().contains("mode=direct");
        let place = configuration.to_string().len() + round as usize * 5 + hour * 3;
        machine * (1.0 + 0.01 * (place % 7) as f64 / 7.0) * if is_direct && hour >= FELL { 0.9 } else { 1.0 }
    });
    let mut run = study.run();
    run.plan.created_at = format!("2036-11-{:02}T{:02}:00:00Z", 1 + hour / 24, hour % 24);
    for record in &mut run.records {
        record.started_at = format!("2036-11-{:02}T{:02}:01:00Z", 1 + hour / 24, hour % 24);
    }
    run.plan.seed = hour as u64;
    run
}

fn laboratory(hours: usize) -> Laboratory {
    let lab = Laboratory::new();
    (0..hours).for_each(|hour| write_run(&run(hour), &lab.path().join(format!("probes/hour-{hour:02}"))));
    lab
}

fn history(lab: &Laboratory, more: &[&str]) -> Output {
    lab.syncline(&["history", "probes"]).args(more).output().unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_step_is_found_drawn_and_breaks_a_limit() {
    let lab = laboratory(30);
    let limit = ["--fail-if", "commits_per_s<-5%", "--html", "history.html"];
    let output = history(&lab, &limit);
    assert_eq!(output.status.code(), Some(LIMIT_BROKEN), "{}", text(&output));
    let page = fs::read_to_string(lab.path().join("history.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("hour-20"));
    let document = document(&history(&lab, &["--format", "json"]));
    let disk = &document["disks"][0];
    assert_eq!(disk["runs"].as_array().unwrap().len(), 30);
    assert_eq!(disk["events"].as_array().unwrap().len(), 1);
    assert_eq!(disk["events"][0]["run"], FELL);
    let output = history(&lab, &["--format", "markdown", "--fail-if", "commits_per_s<-50%"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("# "));
}

/// One run knows nothing of changes.
#[test]
fn one_run_is_shown_and_keeps_no_limit() {
    let lab = laboratory(1);
    let output = history(&lab, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let series = document(&output)["disks"][0]["series"].as_array().unwrap().clone();
    assert!(!series.is_empty() && series.iter().all(|series| series["why_not"].is_string()));
    let output = history(&lab, &["--fail-if", "commits_per_s<-50%", "--allow-undecided"]);
    assert_eq!(output.status.code(), Some(LIMIT_UNDECIDED), "{}", text(&output));
}

#[test]
fn what_cannot_be_read_is_listed_and_fails_and_a_metric_of_nobody_is_refused() {
    let lab = laboratory(12);
    fs::write(lab.path().join("probes/hour-03/plan.json"), "{").unwrap();
    let output = history(&lab, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
    let document = document(&output);
    assert_eq!(document["unused"][0]["run"], "probes/hour-03");
    assert_eq!(document["disks"][0]["runs"].as_array().unwrap().len(), 11);
    let output = history(&lab, &["--fail-if", "comits_per_s<-5%"]);
    assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
}
