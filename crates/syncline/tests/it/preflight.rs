//! `syncline preflight`: what a pod, its kubelet and a pipeline read of it. Whether others disturb the disk meanwhile
//! is not in the hands of a test: a limit that every disk keeps is then not judged, and never broken.

use crate::laboratory::{Laboratory, program_for_anyone, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const RUNTIME: i32 = 1;
const USAGE: i32 = 2;
const IN_MEMORY: i32 = 3;
const NOT_DECIDED: i32 = 98;
const BROKEN: i32 = 99;

/// Six rounds of twenty commits.
const STUDY: &str = r#"
question = "Does the gate work?"
workload = "commit"
baseline = { mode = "buffered" }
[factors]
mode = ["buffered", "direct"]
[fixed]
ioengine = "psync"
read_depth = 0
record_size = "4KiB"
data_size = "1MiB"
wal_size = "1MiB"
groups = 20
runtime = "0s"
[[ask]]
compare = "mode"
on = ["commits_per_s"]
[profile.quick]
rounds = 6
warmup_rounds = 0
"#;

const PREFLIGHT: [&str; 10] = [
    "preflight",
    "gate.toml",
    "--limits",
    "limits.toml",
    "--dir",
    "disk",
    "--out",
    "run",
    "--termination-log",
    "message",
];

fn laboratory(limits: &[&str]) -> Laboratory {
    let lab = Laboratory::new();
    write_inputs(&lab, limits);
    lab
}

fn write_inputs(lab: &Laboratory, limits: &[&str]) {
    fs::write(lab.path().join("gate.toml"), STUDY).unwrap();
    fs::write(lab.path().join("limits.toml"), format!("limits = {limits:?}\n")).unwrap();
}

/// The event: the only line on standard output. The process ends as it says, and the message is the same line.
#[track_caller]
fn event(output: &Output, message: &Path) -> Value {
    let line = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(line.lines().count(), 1, "{}", text(output));
    let event: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(event["event"], "syncline-preflight");
    assert_eq!(event["exit_code"], output.status.code().unwrap(), "{}", text(output));
    assert_eq!(fs::read_to_string(message).unwrap(), line.trim_end());
    event
}

fn run(lab: &Laboratory, more: &[&str]) -> (Output, Value) {
    let output = lab.syncline(&PREFLIGHT).args(more).output().unwrap();
    let event = event(&output, &lab.path().join("message"));
    lab.assert_clean();
    (output, event)
}

#[test]
fn limits_that_every_disk_keeps_and_one_that_no_disk_keeps() {
    let lab = laboratory(&["commits_per_s >= 1", "commit_latency_p50 <= 1h"]);
    let (output, kept) = run(&lab, &["--junit", "junit.xml"]);
    let outcome = kept["outcome"].as_str().unwrap();
    let code = output.status.code().unwrap();
    assert!([("kept", 0), ("not_judged", NOT_DECIDED)].contains(&(outcome, code)), "{}", text(&output));
    assert_eq!(kept["limits"].as_array().unwrap().len(), 2);
    let judged = kept["limits"].as_array().unwrap().iter().filter(|limit| limit["outcome"] == "kept");
    assert!(judged.clone().all(|limit| limit["interval"].is_array() && limit["mean"].is_number()), "{kept}");
    assert!(kept["filesystem"].is_string() && kept["run"] == "run");
    let junit = fs::read_to_string(lab.path().join("junit.xml")).unwrap();
    assert_eq!(junit.matches("<testcase ").count(), 4, "{junit}");
    assert_eq!(junit.matches("<testsuite ").count(), 2);
    assert_eq!((junit.matches("<failure ").count(), junit.matches("<skipped ").count()), (0, 0), "{junit}");

    let lab = laboratory(&["commits_per_s >= 1", "commits_per_s >= 1000000000000"]);
    let (output, broken) = run(&lab, &["--junit", "junit.xml"]);
    let outcome = broken["outcome"].as_str().unwrap();
    let code = output.status.code().unwrap();
    assert!(
        [("broken", BROKEN), ("not_judged", NOT_DECIDED)].contains(&(outcome, code)),
        "{}",
        text(&output)
    );
    // The limit that decides comes first.
    if code == BROKEN {
        assert_eq!(broken["limits"][0]["limit"], "commits_per_s >= 1000000000000");
        let junit = fs::read_to_string(lab.path().join("junit.xml")).unwrap();
        assert!(junit.contains("<failure "), "{junit}");
    }
}

/// A pod measured for a minute and ended by a mistyped limit.
#[test]
fn a_wrong_limit_is_refused_before_anything_is_measured() {
    for limits in [
        &["comits_per_s >= 500"][..],
        &["commit_latency_p99 <= 10"],
        &["iops >= 500"],
        &["commits_per_s > 5"],
        &[],
    ] {
        let lab = laboratory(limits);
        let (output, event) = run(&lab, &[]);
        assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
        assert_eq!(event["outcome"], "not_measured");
        assert!(event["reason"].as_str().unwrap().contains("limits.toml"), "{event}");
        assert!(!lab.run_directory().exists());
    }
    let lab = laboratory(&["commits_per_s >= 1"]);
    fs::remove_file(lab.path().join("limits.toml")).unwrap();
    assert_eq!(run(&lab, &[]).0.status.code(), Some(USAGE));
}

#[test]
fn a_place_that_is_no_disk_and_files_that_cannot_be_written_have_an_event_too() {
    let lab = laboratory(&["commits_per_s >= 1"]);
    let absent = lab.syncline(&PREFLIGHT).args(["--dir", "absent"]).output().unwrap();
    assert_eq!(absent.status.code(), Some(USAGE), "--dir is given twice");
    let mut elsewhere = PREFLIGHT;
    elsewhere[5] = "absent";
    let output = lab.syncline(&elsewhere).output().unwrap();
    assert_eq!(event(&output, &lab.path().join("message"))["outcome"], "not_measured");
    if let Ok(memory) = tempfile::tempdir_in("/dev/shm") {
        elsewhere[5] = memory.path().to_str().unwrap();
        let output = lab.syncline(&elsewhere).output().unwrap();
        assert_eq!(event(&output, &lab.path().join("message"))["exit_code"], IN_MEMORY);
    }
    let (output, event) = run(&lab, &["--junit", "absent/junit.xml"]);
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
    assert_ne!(event["outcome"], "not_measured", "the disk was measured: {event}");
    let mut unwritable = PREFLIGHT;
    (unwritable[7], unwritable[9]) = ("again", "absent/message");
    let output = lab.syncline(&unwritable).output().unwrap();
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["exit_code"], RUNTIME);
}

/// One round has no interval: what is undecided or not judged never passes.
#[test]
fn the_usual_studies_measure_commits_and_reads_without_io_uring() {
    let lab = laboratory(&["commits_per_s >= 1", "iops >= 1"]);
    let output = lab
        .syncline(&["preflight", "--limits", "limits.toml", "--dir", "disk", "--out", "run"])
        .args(["--rounds", "1", "--fix", "runtime=100ms", "--termination-log", "message"])
        .output()
        .unwrap();
    let event = event(&output, &lab.path().join("message"));
    assert_eq!(output.status.code(), Some(NOT_DECIDED), "{}", text(&output));
    assert_eq!(event["outcome"], "not_judged");
    lab.assert_clean();
    let records = lab.records();
    let studies = |name: &str| records.iter().filter(|record| record.key.study == name).count();
    assert!(studies("commit-modes") > 0);
    if studies("depth") == 0 {
        skip::because("this disk has no O_DIRECT");
        return;
    }
    assert!(records.iter().all(|record| record.values.is("ioengine", "psync")));
}

/// As `examples/kubernetes` starts it: another user, no capabilities, no environment, every file system read only but
/// the volume and the folder of the run.
#[test]
fn an_unprivileged_pod_with_a_read_only_root_measures() {
    if !rustix::process::geteuid().is_root() {
        skip::because("to become another user needs root");
        return;
    }
    let lab = Laboratory::open_to_all();
    write_inputs(&lab, &["commits_per_s >= 1"]);
    program_for_anyone(lab.path());
    let script = "set -e; mount --make-rprivate /; mount --bind \"$1\" \"$1\"; mount -o remount,bind,ro /; cd \"$1\"; \
        shift; exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=-all \
        --inh-caps=-all env -i ./syncline --no-defaults \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]).arg(lab.path()).args(PREFLIGHT);
    let output = command.output().unwrap();
    let is_refused = output.stdout.is_empty();
    if is_refused {
        skip::because(format!("no namespace with a read-only root: {}", text(&output).trim()));
        return;
    }
    let event = event(&output, &lab.path().join("message"));
    assert!(["kept", "not_judged"].contains(&event["outcome"].as_str().unwrap()), "{}", text(&output));
    lab.assert_clean();
}
