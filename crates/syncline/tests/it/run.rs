//! Whole runs on the real disk: from a study file to a report; stopped, killed and resumed.

use crate::laboratory;

use laboratory::trial::figure;
use laboratory::{Laboratory, prints, text, waiting};
use model::trial::{Phase, TrialOutcome, TrialRecord};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Two configurations and the A/A arm.
const TRIALS_PER_ROUND: usize = 3;
/// Reads for each of the study's forty commits, which is a write and a sync.
const READS_PER_COMMIT: u64 = 2;
const OPERATIONS: u64 = 40 * (READS_PER_COMMIT + 2);
/// No disk is this slow: what takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(5);

fn wait_for_trials(lab: &Laboratory, trials: usize, child: &mut Child) {
    assert!(waiting::for_trials(lab, trials, child), "it ended by itself");
}

fn assert_complete(lab: &Laboratory, rounds: usize) {
    let records = lab.records();
    let keys: BTreeSet<_> = records.iter().map(|record| record.key.clone()).collect();
    assert_eq!((records.len(), keys.len()), (rounds * TRIALS_PER_ROUND, rounds * TRIALS_PER_ROUND));
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok, "{record:?}");
    }
    lab.assert_clean();
}

/// Exact pacing bounds counts, not a ratio: of the few commits that a window has on a slow disk, one more changes the
/// ratio by much. A commit starts once its reads have completed, and no read is issued beyond those of the next one. So
/// the reads are ahead of the acknowledged commits by those of none to two, at both edges of each window.
fn assert_paced_in_windows(record: &TrialRecord, phase: &Phase) {
    assert_eq!(phase.counted_operations(), OPERATIONS, "over the whole trial pacing is exact: {phase:?}");
    let windows = phase.turns.as_ref().unwrap().slices;
    let count = |rate: &str| figure(record, rate) * phase.duration_s;
    let ahead = count("reads_per_s") - READS_PER_COMMIT as f64 * count("commits_per_s");
    let ahead_max = f64::from(windows) * 2.0 * READS_PER_COMMIT as f64;
    assert!(ahead.abs() < ahead_max + 0.5, "reads are {ahead} ahead in {windows} windows: {phase:?}");
}

#[test]
fn a_run_ends_in_a_report_that_can_be_rebuilt() {
    let lab = Laboratory::new();
    let output = lab.run(&[]).output().unwrap();
    let said = text(&output);
    // An audit may fail on a busy machine; the measurement itself must not.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    assert_complete(&lab, 3);

    let records = lab.records();
    assert_eq!(records.iter().filter(|record| record.warmup).count(), TRIALS_PER_ROUND);
    for record in &records {
        let measurement = record.measurement.as_ref().unwrap();
        assert_paced_in_windows(record, &measurement.phases[0]);
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

    let csv = lab.syncline(&["export", "run"]).output().unwrap();
    assert!(String::from_utf8_lossy(&csv.stdout).lines().count() > records.len());
    let csv = lab.syncline(&["export", "run", "--format", "csv"]).output().unwrap();
    let csv = String::from_utf8_lossy(&csv.stdout).into_owned();
    assert!(csv.starts_with("rpc,gs,mode,n,commits_mean,commits_ci,"), "{csv}");
}

#[test]
fn an_interrupt_leaves_a_resumable_run_and_no_files() {
    let lab = Laboratory::new();
    let mut run = lab.run(&["--rounds", "5", "--fix", "groups=0", "--fix", "runtime=150ms"]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_trials(&lab, 2, &mut child);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    prints(&lab, &output, "syncline: stopped; continue with: syncline run --resume run");
    lab.assert_clean();
    assert!(lab.trials() < 6 * TRIALS_PER_ROUND);
    assert!(matches!(lab.syncline(&["run", "--resume", "run"]).output().unwrap().status.code(), Some(0 | 3)));
    assert_complete(&lab, 6);
    assert!(lab.records().iter().any(|record| record.session == 2));
}

/// The handler used to take the place of what nohup(1) had set, so that the end of a session ended the run.
#[test]
fn a_run_under_nohup_survives_its_terminal() {
    let lab = Laboratory::new();
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_syncline")).current_dir(lab.path());
    command.args(["run", "tiny.toml", "--dir", "disk", "--out", "run", "--rounds", "1", "--budget", "1h"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_trials(&lab, 1, &mut child);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_complete(&lab, 2);
}

#[test]
fn a_second_program_keeps_off_a_run_under_way() {
    let lab = Laboratory::new();
    let mut child = lab
        .run(&["--profile", "long", "--fix", "groups=0", "--fix", "runtime=1s"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_trials(&lab, 1, &mut child);
    let output = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    prints(&lab, &output, "syncline: run is in use by another syncline: wait for it to end");
    let live: Vec<PathBuf> = fs::read_dir(lab.disk()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!live.is_empty());
    let output = lab
        .syncline(&["run", "tiny.toml", "--dir", "disk", "--out", "other", "--budget", "1h"])
        .output()
        .unwrap();
    assert!(
        live.iter().all(|directory| directory.exists()),
        "it took a live work directory for abandoned: {}",
        text(&output)
    );
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    lab.assert_clean();
}

#[test]
fn without_turns_exact_pacing_gives_its_ratio() {
    let lab = Laboratory::new();
    let records = lab.measure(laboratory::STUDY);
    assert_eq!(records.len(), 3 * TRIALS_PER_ROUND);
    for record in &records {
        assert!((figure(record, "realised_reads_per_commit") - READS_PER_COMMIT as f64).abs() < 1e-9);
        assert!(figure(record, "commits_per_s") > 0.0 && figure(record, "commit_latency_mean_us") > 0.0);
    }
}

#[test]
fn a_torn_record_is_dropped_said_and_run_again() {
    let lab = Laboratory::new();
    lab.run(&["--interleave", "off"]).output().unwrap();
    let path = lab.run_directory().join("trials.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 100]).unwrap();
    let output = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    prints(
        &lab,
        &output,
        "  note  the last line of trials.jsonl is incomplete ([..] bytes, written by a killed process) and is",
    );
    assert_complete(&lab, 3);
}

#[test]
fn another_file_system_is_a_factor() {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
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
            lab.records().into_iter().find(|record| record.values.is("filesystem", filesystem)).unwrap();
        found.measurement.unwrap().placement
    };
    assert_eq!(on("ext4").filesystem, "ext4");
    assert!(on("ext4").device.value().unwrap().starts_with("loop"));
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&lab.path().display().to_string()), "a mount is left: {mounts}");
}

/// Whatever a kill interrupts, mounts and loop devices end with the last process and the next start removes the rest.
#[test]
fn a_kill_leaves_no_mount_and_no_loop_device() {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
        return;
    }
    let lab = Laboratory::new();
    let more = ["--fix", "filesystem=ext4", "--profile", "long"];
    let mut child = lab.run(&more).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_trials(&lab, 1, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    let started = Instant::now();
    let place = lab.path().display().to_string();
    while loop_devices_below(&place) > 0 {
        assert!(started.elapsed() < PATIENCE, "a loop device is left");
        // The kernel detaches it after the last process of the mount namespace, and no event says so here.
        sleep(Duration::from_millis(20));
    }
    assert!(!fs::read_to_string("/proc/self/mounts").unwrap().contains(&place), "a mount is left");
    let other = ["run", "tiny.toml", "--dir", "disk", "--out", "other", "--rounds", "1", "--budget", "1h"];
    let output = lab.syncline(&other).output().unwrap();
    prints(&lab, &output, "removed the files of a killed run: [dir]/disk/.syncline-work-[..]");
    lab.assert_clean();
}

fn loop_devices_below(place: &str) -> usize {
    let devices = fs::read_dir("/sys/block").unwrap().flatten();
    let images =
        devices.filter_map(|device| fs::read_to_string(device.path().join("loop/backing_file")).ok());
    images.filter(|image| image.contains(place)).count()
}

/// Page 000's "journal tax": it comes with the layout of the log, in buffered and direct alike.
#[test]
fn a_growing_or_preallocated_log_flushes_twice_on_a_journaling_file_system() {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
        return;
    }
    let lab = Laboratory::new();
    let arguments = "run wal-layout --dir disk --out run --rounds 1 --vary filesystem=ext4,xfs \
                     --vary mode=buffered,direct --fix wal_size=4MiB --fix groups=100 --fix runtime=0s --budget 1h";
    let output = lab.syncline(&arguments.split_whitespace().collect::<Vec<_>>()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    for record in lab.records().iter().filter(|record| !record.warmup) {
        let expected = if record.values.is("wal_layout", "prefilled") { 1.0 } else { 2.0 };
        let flushes = record.figure("device_flushes_per_commit").unwrap_or_else(|| panic!("{record:?}"));
        // The journal has commits of its own every 5 s, which are more the longer the disk takes.
        assert!((flushes - expected).abs() < 0.4, "{}: {flushes} flushes a commit", record.values);
    }
    assert!(lab.records().len() >= 2 * 12);
    lab.assert_clean();
}

#[test]
fn failed_trials_run_again_on_resume() {
    let lab = Laboratory::new();
    lab.run(&["--interleave", "off"]).output().unwrap();
    let path = lab.run_directory().join("trials.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let failed = whole.replacen("\"outcome\":\"ok\"", "\"outcome\":{\"failed\":\"EIO\"}", 1);
    fs::write(&path, &failed).unwrap();
    let output = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    prints(&lab, &output, "1 trial that failed or were killed run again");
    assert_eq!(lab.trials(), 3 * TRIALS_PER_ROUND + 1, "the failed record is kept");
    let report = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let trials = &report["studies"][0]["trials"];
    assert_eq!(
        (&trials["failed"], &trials["missing"]),
        (&0.into(), &0.into()),
        "the later record takes its place"
    );
}

/// A run in which nothing can be measured is an error, not a report of nothing.
#[test]
fn a_run_without_any_figure_is_an_error() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let path = lab.run_directory().join("trials.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replace("\"outcome\":\"ok\"", "\"outcome\":{\"unsupported\":\"no such thing\"}"))
        .unwrap();
    let output = lab.syncline(&["report", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    prints(&lab, &output, "syncline: no trial succeeded: no such thing");
}

#[test]
fn a_memory_cap_a_cpu_and_a_scheduler_are_taken() {
    if !rustix::process::geteuid().is_root() {
        skip::because("control groups and SCHED_FIFO need root");
        return;
    }
    let lab = Laboratory::new();
    let capped = "--fix memory_cap=48MiB --fix cache=warm --fix data_size=128MiB --fix committers=2 --fix realtime=true \
                  --cpu 0 --rounds 1";
    let output = lab.run(&capped.split_whitespace().collect::<Vec<_>>()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_complete(&lab, 2);
    for record in lab.records().iter().filter(|record| record.values.is("mode", "buffered")) {
        let phase = &record.measurement.as_ref().unwrap().phases[0];
        if let Some(pages) = phase.mechanism.page_cache.value() {
            assert!(
                pages.cached_bytes > 0 && pages.cached_bytes < 48 << 20,
                "the cap did not bind: {pages:?}"
            );
        }
    }
}

#[test]
fn completions_help_and_lists_are_there() {
    let lab = Laboratory::new();
    for arguments in [
        &["--help"][..],
        &["run", "--help"],
        &["completions", "bash"],
        &["studies"],
        &["doctor", "--dir", "disk"],
    ] {
        let output = lab.syncline(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output));
        assert!(!output.stdout.is_empty(), "{arguments:?}");
    }
    let study = lab.syncline(&["studies", "commit", "--format", "json"]).output().unwrap();
    let study: serde_json::Value = serde_json::from_slice(&study.stdout).unwrap();
    assert_eq!(study["name"], "commit");
    lab.assert_clean();
}
