//! Whole runs on the real disk: from a study file to a report; stopped, killed and resumed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod laboratory;

use laboratory::{Laboratory, text};
use model::trial::{Outcome, TrialRecord};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Two configurations and the A/A arm.
const TRIALS_PER_ROUND: usize = 3;
const PATIENCE: Duration = Duration::from_mins(1);

fn records(lab: &Laboratory) -> Vec<TrialRecord> {
    let text = fs::read_to_string(lab.run_directory().join("trials.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn wait_for_trials(lab: &Laboratory, trials: usize, child: &mut Child) {
    let started = Instant::now();
    while lab.trials() < trials {
        assert!(started.elapsed() < PATIENCE, "no trial after {PATIENCE:?}");
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(5));
    }
}

fn assert_complete(lab: &Laboratory, rounds: usize) {
    let records = records(lab);
    let keys: BTreeSet<_> = records.iter().map(|record| record.key.clone()).collect();
    assert_eq!((records.len(), keys.len()), (rounds * TRIALS_PER_ROUND, rounds * TRIALS_PER_ROUND));
    for record in &records {
        assert_eq!(record.outcome, Outcome::Ok, "{record:?}");
    }
    lab.assert_clean();
}

#[test]
fn a_run_ends_in_a_report_that_can_be_rebuilt() {
    let lab = Laboratory::new();
    let output = lab.run(&[]).output().unwrap();
    let said = text(&output);
    // An audit may fail on a busy machine; the measurement itself must not.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    assert_complete(&lab, 3);
    assert!(said.contains("report.html"), "{said}");

    let records = records(&lab);
    assert_eq!(records.iter().filter(|record| record.warmup).count(), TRIALS_PER_ROUND);
    for record in &records {
        let figure =
            |name: &str| record.figure(name).unwrap_or_else(|| panic!("{name}: {:?}", record.metric(name)));
        assert!(figure("commits_per_s") > 0.0 && figure("commit_latency_p50_us") > 0.0);
        let ratio = figure("realised_reads_per_commit");
        assert!((ratio / 2.0 - 1.0).abs() < 0.2, "exact pacing came to {ratio} reads a commit");
        let measurement = record.measurement.as_ref().unwrap();
        assert!(
            measurement.files.iter().all(|file| file.cached_share_before.value() == Some(&0.0)),
            "not proven cold"
        );
        assert!(measurement.sidecar.is_none(), "the sidecar belongs beside the record");
        assert!(lab.run_directory().join("sidecars").join(record.key.sidecar_name()).exists());
    }

    let report = lab.run_directory().join("report.html");
    let first = fs::read(&report).unwrap();
    fs::remove_file(&report).unwrap();
    assert!(matches!(lab.syncline(&["report", "run"]).output().unwrap().status.code(), Some(0 | 3)));
    assert!(fs::read(&report).unwrap() == first, "the report is a function of the records");

    let csv = lab.syncline(&["export", "run", "--format", "long"]).output().unwrap();
    assert!(String::from_utf8_lossy(&csv.stdout).lines().count() > records.len());
    let csv = lab.syncline(&["export", "run"]).output().unwrap();
    let csv = String::from_utf8_lossy(&csv.stdout).into_owned();
    assert!(csv.starts_with("rpc,gs,mode,n,commits_mean,commits_ci,"), "{csv}");
}

#[test]
fn an_interrupt_leaves_a_resumable_run_and_no_files() {
    let lab = Laboratory::new();
    let mut child = lab.run(&[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_trials(&lab, 2, &mut child);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    assert!(text(&output).contains("go on with: syncline run --resume run"), "{}", text(&output));
    lab.assert_clean();
    assert!(lab.trials() < 3 * TRIALS_PER_ROUND);
    assert!(matches!(lab.syncline(&["run", "--resume", "run"]).output().unwrap().status.code(), Some(0 | 3)));
    assert_complete(&lab, 3);
    assert!(records(&lab).iter().any(|record| record.session == 2));
}

/// Ten kills, each at another moment of preparing, measuring or recording; nothing recorded is lost, nothing is left.
#[test]
fn ten_kills_at_random_moments_and_a_resume_make_a_complete_run() {
    let lab = Laboratory::new();
    let rounds = ["--rounds", "9"];
    let mut before = 0;
    for attempt in 0_u64..10 {
        let mut command =
            if attempt == 0 { lab.run(&rounds) } else { lab.syncline(&["run", "--resume", "run"]) };
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if attempt == 0 {
            wait_for_trials(&lab, 1, &mut child);
        }
        // Spread over a trial's length by a fixed sequence: the moment is arbitrary, not the test.
        sleep(Duration::from_millis(20 + (attempt * 0x9e37) % 311));
        child.kill().unwrap();
        child.wait().unwrap();
        let whole = lab.trials();
        assert!(whole >= before, "a record was lost: {before} before, {whole} after");
        before = whole;
    }
    let output = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert!(text(&output).contains("removed what a killed run left"), "{}", text(&output));
    assert_complete(&lab, 10);
}

#[test]
fn a_second_program_keeps_off_a_run_under_way() {
    let lab = Laboratory::new();
    let mut child =
        lab.run(&["--profile", "long"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_trials(&lab, 1, &mut child);
    let output = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("is in use by another syncline"), "{}", text(&output));
    let output = lab.syncline(&["run", "tiny.toml", "--dir", "disk", "--out", "other"]).output().unwrap();
    assert!(
        !text(&output).contains("removed what"),
        "it took a live work directory for abandoned: {}",
        text(&output)
    );
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    lab.assert_clean();
}

#[test]
fn a_torn_record_is_dropped_said_and_run_again() {
    let lab = Laboratory::new();
    lab.run(&[]).output().unwrap();
    let path = lab.run_directory().join("trials.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 100]).unwrap();
    let output = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    assert!(text(&output).contains("was torn"), "{}", text(&output));
    assert_complete(&lab, 3);
}

#[test]
fn another_file_system_is_a_factor() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: mounting needs root");
        return;
    }
    let lab = Laboratory::new();
    let output = lab
        .run(&["--fix", "mode=direct", "--vary", "filesystem=host,ext4", "--rounds", "1"])
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_complete(&lab, 2);
    let on = |filesystem: &str| {
        let found =
            records(&lab).into_iter().find(|record| record.values.is("filesystem", filesystem)).unwrap();
        found.measurement.unwrap().placement
    };
    assert_eq!(on("ext4").filesystem, "ext4");
    assert!(on("ext4").device.value().unwrap().starts_with("loop"));
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains("syncline-work"), "a mount is left: {mounts}");
}

#[test]
fn a_memory_cap_and_a_cpu_are_kept() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: control groups need root");
        return;
    }
    let lab = Laboratory::new();
    let more = [
        "--fix",
        "memory_cap=64MiB",
        "--fix",
        "cache=warm",
        "--fix",
        "committers=2",
        "--cpu",
        "0",
        "--rounds",
        "1",
    ];
    let output = lab.run(&more).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_complete(&lab, 2);
}

#[test]
fn completions_and_help_are_there() {
    let lab = Laboratory::new();
    for (arguments, expected) in [
        (vec!["--help"], "Exit codes"),
        (vec!["run", "--help"], "--resume"),
        (vec!["completions", "bash"], "_syncline"),
        (vec!["studies"], "wal-layout"),
        (vec!["studies", "commit"], "commit_latency"),
        (vec!["doctor", "--dir", "disk"], "O_DIRECT"),
    ] {
        let output = lab.syncline(&arguments).output().unwrap();
        assert!(
            output.status.success() && text(&output).contains(expected),
            "{arguments:?}: {}",
            text(&output)
        );
    }
    lab.assert_clean();
}
