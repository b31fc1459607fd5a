//! A run under a budget, what a machine does not permit, and the check of half a minute.

use crate::laboratory;

use laboratory::{Laboratory, prints, refuses, text, waiting};
use model::trial::TrialRecord;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

const RUNTIME: i32 = 1;
const USAGE: i32 = 2;

/// One arm against another whose every commit is four: nobody needs a second look.
const PLAIN: &str = r#"
    question = "Does a group of four commit more?"
    workload = "commit"
    baseline = { group_size = 1 }
    [factors]
    group_size = [1, 4]
    [fixed]
    ioengine = "psync"
    read_depth = 0
    data_size = "1MiB"
    wal_size = "4MiB"
    groups = 20
    runtime = "0s"
    [[ask]]
    compare = "group_size"
    on = ["transactions_per_s"]
    [profile.quick]
    rounds = 6
    warmup_rounds = 0
"#;

#[test]
fn a_budget_gives_looks_and_a_resumed_run_keeps_to_it() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("plain.toml"), PLAIN).unwrap();
    let arguments = ["run", "plain.toml", "--dir", "disk", "--out", "run", "--budget", "1h"];
    let output = lab.syncline(&arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    prints(&lab, &output, "Measuring or preparing files: [..] % of [..].");
    lab.assert_clean();
    let plan: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(lab.run_directory().join("plan.json")).unwrap()).unwrap();
    assert_eq!(plan["budget_s"], 3600.0);
    assert_eq!(plan["studies"][0]["looks"], serde_json::json!([6, 9, 12, 18]));
    // Three trials a round, and every round that was begun is complete.
    let trials = lab.trials();
    assert!(trials >= 18 && trials.is_multiple_of(3), "{trials}");
    // The same records give the same verdict, and nothing is missing of a study that was decided.
    let again = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&again["remarks"], &again["studies"][0]["trials"]["missing"]), (&json!([]), &json!(0)));
}

/// Killed in the middle of its first look, a run goes on where it was, by the same looks.
#[test]
fn a_killed_run_keeps_its_looks() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("plain.toml"), PLAIN).unwrap();
    let arguments = ["run", "plain.toml", "--dir", "disk", "--out", "run", "--budget", "1h"];
    let mut child = lab.syncline(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(waiting::for_trials(&lab, 4, &mut child), "it ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
    let read = |name: &str| fs::read_to_string(lab.run_directory().join(name)).unwrap();
    let (plan, records) = (read("plan.json"), read("trials.jsonl"));
    let whole = &records[..=records.rfind('\n').unwrap()];

    let resumed = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    assert!(matches!(resumed.status.code(), Some(0 | 3)), "{}", text(&resumed));
    assert_eq!(read("plan.json"), plan, "looks are fixed before the first trial");
    assert!(read("trials.jsonl").starts_with(whole), "what was recorded stays as it was");
    let records = lab.records();
    let keys: BTreeSet<_> = records.iter().map(|record| record.key.clone()).collect();
    let sessions: BTreeSet<_> = records.iter().map(|record| record.session).collect();
    assert_eq!(sessions, BTreeSet::from([1, 2]));
    // Trials that took turns with one that has no record are run again.
    assert!(records.len() - keys.len() < 3, "{} lines, {} trials", records.len(), keys.len());
    assert!([6, 9, 12, 18].contains(&(keys.len() / 3)) && keys.len().is_multiple_of(3));
    lab.assert_clean();
}

#[test]
fn a_round_that_does_not_fit_is_not_begun() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("plain.toml"), PLAIN).unwrap();
    let arguments = ["run", "plain.toml", "--dir", "disk", "--out", "run", "--budget", "1ms"];
    let output = lab.syncline(&arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_eq!(lab.trials(), 3, "one round was begun before the time was looked at");
    let resumed = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    prints(&lab, &resumed, "the budget of this run is used up: to continue, add more with --budget");
    assert_eq!(lab.trials(), 3);
    let more = lab.syncline(&["run", "--resume", "run", "--budget", "1h"]).output().unwrap();
    assert!(matches!(more.status.code(), Some(0 | 3)), "{}", text(&more));
    assert!(lab.trials() >= 18, "{}", text(&more));
    lab.assert_clean();
}

/// `run commit --budget 5` took 11 s for its warm-up round, analysed 0 of 63 trials and exited with 0.
#[test]
fn a_budget_that_holds_no_answer_is_refused_with_the_least_that_does() {
    let lab = Laboratory::new();
    let mut short = lab.syncline(&["run", "commit", "--dir", "disk", "--out", "run", "--budget", "5"]);
    refuses(
        &lab,
        &mut short,
        USAGE,
        "a budget of 5s is too short for study commit: its rounds, 1 to warm up and 6 to analyse, are [..] trials that take at least [..] s; use --budget [..]s, plus the time to create [..] GiB of files and to wait for a quiet device, or fewer --rounds",
    );
    let said = String::from_utf8(short.output().unwrap().stderr).unwrap();
    let least: u64 = said.split_once("use --budget ").unwrap().1.split_once('s').unwrap().0.parse().unwrap();
    assert!(least > 5, "{said}");
    assert!(!lab.run_directory().exists(), "refused before the first trial");
    let below = format!("{}s", least - 1);
    let mut short = lab.syncline(&["run", "commit", "--dir", "disk", "--out", "run", "--budget", &below]);
    refuses(
        &lab,
        &mut short,
        USAGE,
        "a budget of [..]s is too short for study commit: its rounds, 1 to warm up and 6 to analyse, are [..] trials that take at least [..] s; use --budget [..]s, plus the time to create [..] GiB of files and to wait for a quiet device, or fewer --rounds",
    );
    // Nobody needs an interval of a single round.
    fs::write(lab.path().join("plain.toml"), PLAIN).unwrap();
    let arguments = ["run", "plain.toml", "--dir", "disk", "--out", "run", "--budget", "1", "--rounds", "1"];
    let output = lab.syncline(&arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
}

/// `commit --profile seed --budget 8m` spent four minutes on its warm-up round, and analysed no trial.
#[test]
fn a_budget_shorter_than_what_a_profile_states_is_refused_with_that_time() {
    let lab = Laboratory::new();
    let seed = ["run", "commit", "--profile", "seed", "--dir", "disk", "--out", "run"];
    let mut short = lab.syncline(&seed);
    refuses(
        &lab,
        short.args(["--budget", "8m"]),
        USAGE,
        "a budget of 480s is too short for study commit: its rounds, 1 to warm up and 6 to analyse, are [..] trials that end within 25 min 00 s, as the profile seed states; use --budget 1510s or fewer --rounds",
    );
    let said = String::from_utf8(short.output().unwrap().stderr).unwrap();
    let least = said.split_once("use --budget ").unwrap().1.split_once(' ').unwrap().0.to_owned();
    let json = |more: &[&str]| -> serde_json::Value {
        let output = lab.syncline(&seed).args(["--dry-run", "--format", "json"]).args(more).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(json(&[])["studies"][0]["stated_s"], json(&["--budget", &least])["studies"][0]["stated_s"]);
    assert_eq!(json(&["--fix", "runtime=1s"])["studies"][0]["stated_s"], serde_json::Value::Null);
    assert!(!lab.run_directory().exists(), "refused before the first trial");
}

/// A dry run counted the operations of one job of twelve, and ignored a runtime beside a count.
#[test]
fn a_dry_run_counts_the_operations_of_all_jobs_and_their_time() {
    let lab = Laboratory::new();
    let planned = |study: &str, fix: &[&str]| -> serde_json::Value {
        let mut run =
            lab.syncline(&["run", study, "--dir", "disk", "--dry-run", "--format", "json", "--rounds", "6"]);
        let output = run.args(fix.iter().flat_map(|fix| ["--fix", fix])).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        document["studies"][0].clone()
    };
    let read = |study: &serde_json::Value| study["counted_read_bytes"].as_u64().unwrap();
    let one = planned("depth", &["number_ios=100", "numjobs=1"]);
    let twelve = planned("depth", &["number_ios=100", "numjobs=12"]);
    assert_eq!(read(&twelve), 12 * read(&one));
    assert_eq!(one["trials_counted"], 0, "the profile's runtime ends what the count does not");
    assert!(one["measuring_s_min"] == 0.0 && one["measuring_s_max"].as_f64().unwrap() > 1.0, "{one}");

    let written = |study: &serde_json::Value| study["counted_written_bytes"].as_u64().unwrap();
    let groups = |more: &[&str]| written(&planned("committers", &[&["groups=50"], more].concat()));
    assert_eq!(groups(&["group_size=4"]), 4 * groups(&["group_size=1"]));
}

/// A run that was stopped in its warm-up round has analysed nothing, which is not a success.
#[test]
fn a_run_without_an_analysed_trial_is_no_success() {
    let lab = Laboratory::new();
    let output = lab.run(&["--rounds", "1"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let path = lab.run_directory().join("trials.jsonl");
    let records = fs::read_to_string(&path).unwrap();
    let is_of_warmup = |line: &&str| serde_json::from_str::<TrialRecord>(line).unwrap().warmup;
    let warmup: String = records.split_inclusive('\n').filter(is_of_warmup).collect();
    assert!(!warmup.is_empty() && warmup.len() < records.len(), "{records}");
    for (left, said) in [
        (
            warmup.as_str(),
            "nothing was analysed: of 6 trials only 3 warm-up trials succeeded; continue with syncline run --resume, with more --budget if the run had one",
        ),
        ("", "nothing was analysed: none of 6 trials has run; continue with syncline run --resume"),
    ] {
        fs::write(&path, left).unwrap();
        refuses(&lab, &mut lab.syncline(&["report", "run"]), RUNTIME, said);
    }
}

#[test]
fn budgets_that_make_no_sense_are_refused() {
    for budget in ["0s", "soon", "-1s"] {
        let lab = Laboratory::new();
        let budget = format!("--budget={budget}");
        refuses(
            &lab,
            &mut lab.syncline(&["run", "--dir", "disk", &budget]),
            USAGE,
            "invalid value '[..]' for '--budget <TIME>': write it as 90s, 5m or 1h30m",
        );
    }
    let lab = Laboratory::new();
    let mut fixed = lab.syncline(&["run", "--dir", "disk", "--fix", "runtime=1s"]);
    refuses(&lab, &mut fixed, USAGE, "the following required arguments were not provided:");
}

#[test]
fn the_check_fits_a_screen() {
    let lab = Laboratory::new();
    let output = lab.syncline(&["check", "--dir", "disk", "--out", "run", "--rounds", "1"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let screen = String::from_utf8(output.stdout).unwrap();
    for told in ["durable commits", "commit p99", "flushes", "random reads"] {
        assert!(screen.contains(told), "{screen}");
    }
    // The last word of the first column is the database; the grades name etcd too.
    let judged = screen.lines().find_map(|line| line.trim_start().strip_prefix("etcd  ")).unwrap();
    assert_ne!(judged, "not measured", "{screen}");
    assert!(screen.contains("an interval needs 6"), "{screen}");
    assert!(screen.contains("of 1 trial"), "{screen}");
    // One trial has no interval, and so no grade; what the grades mean is there.
    assert!(screen.contains("not rated") && screen.contains("etcd's hardware guide"), "{screen}");
    // `check` told medians and its report means: 10 816/s and 9 910/s. What others publish was on the screen alone.
    let page = fs::read_to_string(lab.run_directory().join("report.html")).unwrap();
    let plain = |text: &str| text.replace(['\u{202f}', '\u{2009}', '\u{a0}'], " ");
    let (page, screen) = (plain(&page), plain(&screen));
    for line in ["durable commits", "commit p99"] {
        let (_, told) = screen.lines().find_map(|told| told.split_once(line)).unwrap();
        // `4 521/s (no interval: …)`: a disk that is too slow for a p99 says so instead.
        let point = told.trim().split_once(" (").map(|(point, _)| point.trim());
        let point = point.filter(|point| point.starts_with(|first: char| first.is_ascii_digit()));
        assert!(point.is_none_or(|point| page.contains(point)), "{line}: {told}");
    }
    let published = "Random reads beside published figures";
    let is_published = screen.lines().any(|line| line.trim_start().starts_with("Random reads/s beside"));
    assert!(!is_published || page.contains(published), "{screen}");
    // A busy machine adds reasons to distrust the figures, and records that the trace lost; they are worth more than
    // the length of the screen.
    let is_trace = |part: &&str| part.trim_start().starts_with("trace  ");
    let parts = screen.split("\n\n").filter(|part| !part.contains("noise floor") && !is_trace(part));
    let lines: usize = parts.map(|part| part.lines().count() + 1).sum();
    assert!(lines <= 36, "{screen}");
    let trace = screen.split("\n\n").find(is_trace).unwrap_or_default();
    let (trace, _) = trace.split_once("The kernel lost").unwrap_or((trace, ""));
    assert!(trace.lines().count() <= 6, "{screen}");
    assert!(lab.run_directory().join("report.html").is_file());
    lab.assert_clean();
}

/// `--for` runs what the settings of one database rest on, and nothing that it prints is about another one.
#[test]
fn a_run_for_a_database_is_about_its_settings_alone() {
    let lab = Laboratory::new();
    let unknown = &mut lab.syncline(&["run", "--for", "oracle", "--dir", "disk"]);
    refuses(
        &lab,
        unknown,
        USAGE,
        "unknown database \"oracle\"; there are: postgresql, rocksdb, mysql, mariadb, sqlite, etcd, data-loader, linux",
    );
    let arguments = ["run", "--for", "etcd", "--dir", "disk", "--out", "run", "--rounds", "1"];
    let output = lab.syncline(&arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let plan = fs::read_to_string(lab.run_directory().join("plan.json")).unwrap();
    let plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["database"], "etcd");
    let studies: Vec<&str> =
        plan["studies"].as_array().unwrap().iter().map(|study| study["name"].as_str().unwrap()).collect();
    assert_eq!(studies, ["wal-layout"]);
    let report = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let advised: Vec<&serde_json::Value> =
        report["advice"].as_array().unwrap().iter().map(|advice| &advice["id"]).collect();
    assert_eq!(advised, ["etcd"]);
    lab.assert_clean();
}
