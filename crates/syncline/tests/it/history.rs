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

/// A folder of a thousand runs was read before a mistake in the limit was found.
#[test]
fn a_limit_that_none_can_be_is_refused_before_anything_is_read() {
    let lab = Laboratory::new();
    for limit in ["commits_per_s", "commits_per_s<5%", "comits_per_s<-5%", "<-5%"] {
        let output = lab.syncline(&["history", "absent", "--fail-if", limit]).output().unwrap();
        assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
    }
    let output = lab.syncline(&["history", "absent", "--fail-if", "commit_lat<-5%"]).output().unwrap();
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
}

/// The fields of a line of CSV, none of which holds a quotation mark.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            letter => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

#[test]
fn the_points_of_every_series_are_lines_of_a_table() {
    let lab = laboratory(30);
    let output = history(&lab, &["--csv", "history.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let table = fs::read_to_string(lab.path().join("history.csv")).unwrap();
    let mut lines = table.lines().map(fields);
    let columns = lines.next().unwrap();
    let place = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let document = document(&history(&lab, &["--format", "json"]));
    let series = document["disks"][0]["series"].as_array().unwrap();
    let points: usize = series.iter().map(|series| series["points"].as_array().unwrap().len()).sum();
    let lines: Vec<Vec<String>> = lines.collect();
    assert_eq!(lines.len(), points);
    let changes: Vec<&Vec<String>> = lines.iter().filter(|line| !line[place("change")].is_empty()).collect();
    assert!(!changes.is_empty());
    for line in changes {
        assert_eq!((&*line[place("relation")], &*line[place("run")]), ("to_anchor", "probes/hour-20"));
        let ratio: f64 = line[place("change")].parse().unwrap();
        assert!((0.85..0.95).contains(&ratio), "{line:?}");
    }
}

/// Two hosts with the same disk stay two, and one of them has a run that cannot be read.
#[test]
fn names_are_left_out_and_disks_stay_apart() {
    let lab = laboratory(12);
    for hour in 0..12 {
        let mut run = run(hour);
        "planted-host".clone_into(&mut run.host.name);
        run.plan.directory = "/home/planted-user/disk".into();
        write_run(&run, &lab.path().join(format!("probes/planted-{hour:02}")));
    }
    fs::write(lab.path().join("probes/planted-03/plan.json"), "{").unwrap();
    let more = ["--redact", "--html", "history.html", "--csv", "history.csv", "--format", "json"];
    let output = history(&lab, &more);
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
    let document = document(&output);
    let disks = document["disks"].as_array().unwrap();
    let hosts: Vec<&Value> = disks.iter().map(|disk| &disk["disk"]["host"]).collect();
    assert_eq!(hosts, ["redacted-1", "redacted-2"]);
    assert_eq!(disks.iter().map(|disk| disk["runs"].as_array().unwrap().len()).sum::<usize>(), 23);
    let read = |name: &str| fs::read_to_string(lab.path().join(name)).unwrap();
    let told = [String::from_utf8(output.stdout).unwrap(), read("history.html"), read("history.csv")];
    for told in told {
        assert!(!told.contains("planted") && !told.contains("hour-"), "{told}");
    }
}
