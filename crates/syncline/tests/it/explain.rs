//! Where the time went: `run --explain` and the end of `check`, on the real disk. A machine whose kernel permits no
//! tracepoints says so.

use crate::laboratory::{Laboratory, text};
use model::traced::{TracedOutcome, TracedPhase, TracedTrial};
use serde_json::Value;
use std::fs;
use std::process::Command;
use trace::{Limits, TraceError, Tracer};

/// Three of each of two configurations.
const TRACED: usize = 6;
/// A warm-up round and one more, with the baseline twice in each.
const RECORDS: usize = 6;

/// Whether this machine can be traced; a reason that it cannot is recorded as a skip.
#[track_caller]
pub(super) fn is_possible() -> bool {
    match Tracer::start(Limits { ring_pages: 16, ..Limits::default() }) {
        Ok(_) => true,
        Err(error @ (TraceError::NotPermitted { .. } | TraceError::NoTracefs { .. })) => {
            skip::because(error);
            false
        }
        Err(error) => panic!("{error}"),
    }
}

pub(super) fn succeeds(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(super) fn lines(lab: &Laboratory) -> Vec<TracedTrial> {
    let text = fs::read_to_string(lab.run_directory().join("traced.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(super) fn phases(trial: &TracedTrial) -> &[TracedPhase] {
    match &trial.outcome {
        TracedOutcome::Traced(phases) => phases,
        other => panic!("{other:?}"),
    }
}

fn document(lab: &Laboratory, words: &[&str]) -> Value {
    let mut command = lab.syncline(words);
    command.args(["--format", "json"]);
    serde_json::from_str(&succeeds(command)).unwrap()
}

#[test]
fn an_explained_run_has_traced_trials_beside_its_records_and_its_report_is_rebuilt_from_them() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    succeeds(lab.run(&["--explain", "--rounds", "1"]));
    let traced = lines(&lab);
    assert_eq!(traced.len(), TRACED);
    for trial in &traced {
        let [phase] = phases(trial) else { panic!("{trial:?}") };
        let commits = phase.families.iter().find(|family| family.family == "commit_latency").unwrap();
        // The study has forty commits, unless the disk is too slow for them.
        assert!((1..=40).contains(&(commits.all.operations + commits.unmatched)), "{commits:?}");
        assert_eq!(commits.slowest.operations, commits.all.operations.div_ceil(100));
        let sum: u64 = commits.all.segments.iter().map(|time| time.duration_ns).sum();
        assert_eq!(sum, commits.all.duration_ns);
        assert!(commits.all.duration_ns > 0 && phase.events > 0);
    }
    let mut with = document(&lab, &["report", "run"]);
    assert_eq!(lab.records().len(), RECORDS, "no record of a traced trial");
    let explained = with["explanations"].as_array().unwrap();
    assert_eq!(explained[0]["arms"].as_array().unwrap().len(), 2);
    for finding in with["studies"][0]["findings"].as_array().unwrap() {
        let time = &finding["traced"];
        // A slow disk has too few commits for a median: a finding that compares nothing has no segments either.
        if finding["rests_on"]["configurations"] == Value::Array(Vec::new()) {
            assert!(time.is_null(), "{finding:#}");
            continue;
        }
        assert_eq!((&time["level_trials"], &time["baseline_trials"]), (&3.into(), &3.into()), "{finding:#}");
        assert!(time["segments"].as_array().is_some_and(|segments| !segments.is_empty()));
    }
    let page = lab.run_directory().join("report.html");
    let first = fs::read_to_string(&page).unwrap();
    assert!(first.contains("class=\"waterfall\""));
    succeeds(lab.syncline(&["report", "run"]));
    assert_eq!(fs::read_to_string(&page).unwrap(), first, "the report is a function of the records");
    let redacted = succeeds(lab.syncline(&["export", "run", "--format", "json", "--redact"]));
    assert!(!redacted.contains("\"neighbours\""), "programs beside the operations have names");
    let markdown = succeeds(lab.syncline(&["export", "run", "--format", "markdown"]));
    assert!(markdown.contains("Traced trials") && !markdown.contains("<svg"));

    fs::remove_file(lab.run_directory().join("traced.jsonl")).unwrap();
    // A figure comes from other trials: without what the traces add, the verdict is the same.
    let without = document(&lab, &["report", "run"]);
    with.as_object_mut().unwrap().remove("explanations").unwrap();
    let audits = without["studies"][0]["audits"].as_array().unwrap();
    for (with, without) in with["studies"][0]["audits"].as_array_mut().unwrap().iter_mut().zip(audits) {
        let text = |audit: &Value| audit["summary"].as_str().unwrap().to_owned();
        assert!(text(with).starts_with(&text(without)), "{with:#}");
        with["summary"] = without["summary"].clone();
        let evidence = without["evidence"].as_array().unwrap().len();
        with["evidence"].as_array_mut().unwrap().truncate(evidence);
    }
    for finding in with["studies"][0]["findings"].as_array_mut().unwrap() {
        finding.as_object_mut().unwrap().remove("traced");
    }
    assert_eq!(without, with);
    lab.assert_clean();
}

/// A run that was stopped among its traced trials has the rest of them due.
#[test]
fn traced_trials_that_are_missing_are_run_by_a_later_session() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    succeeds(lab.run(&["--explain", "--rounds", "1"]));
    let path = lab.run_directory().join("traced.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let kept: Vec<&str> = whole.lines().take(2).collect();
    fs::write(&path, format!("{}\n{{\"torn", kept.join("\n"))).unwrap();
    succeeds(lab.syncline(&["run", "--resume", "run"]));
    let again = lines(&lab);
    assert_eq!(again.len(), TRACED);
    assert_eq!(lab.records().len(), RECORDS);
}

#[test]
fn a_dry_run_names_the_traced_trials() {
    let lab = Laboratory::new();
    let planned = document(&lab, &["run", "tiny.toml", "--explain", "--dir", "disk", "--dry-run"]);
    assert_eq!(planned["studies"][0]["traced"], TRACED);
    let planned = document(&lab, &["run", "tiny.toml", "--dir", "disk", "--dry-run"]);
    assert!(planned["studies"][0].get("traced").is_none());
}
