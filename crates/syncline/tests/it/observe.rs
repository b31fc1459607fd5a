//! `syncline observe`: programs that are observed while they read, write and sync.

use crate::laboratory;

use laboratory::observing::{Observing, assert_agree, class, is_possible, number};
use laboratory::{Laboratory, WITHOUT_WAITING, refuses, text};
use model::trial::TrialOutcome;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const COMMITS: u64 = 200;
const READS: u64 = 300;

/// Commits to a log, and reads of it.
fn commit_and_read(folder: &Path) {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(true);
    let log = options.open(folder.join("log")).unwrap();
    for commit in 0..COMMITS {
        log.write_all_at(&[1; 4096], commit * 8192).unwrap();
        log.write_all_at(&[2; 4096], commit * 8192 + 4096).unwrap();
        log.sync_data().unwrap();
    }
    for read in 0..READS {
        log.read_exact_at(&mut [0; 512], (read * 7919) % COMMITS * 8192).unwrap();
    }
}

#[test]
fn operations_below_a_directory_are_counted() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let observing = Observing::start(&lab, &["--dir", "disk"]);
    commit_and_read(&lab.disk());
    std::fs::remove_file(lab.disk().join("log")).unwrap();
    let Some(seen) = observing.stop() else { return };
    let [reads, writes, syncs] = ["read", "write", "sync"].map(|name| class(&seen, name));
    assert_agree("writes", number(&writes["operations"]), 2.0 * COMMITS as f64);
    assert_agree("syncs", number(&syncs["operations"]), COMMITS as f64);
    assert_agree("reads", number(&reads["operations"]), READS as f64);
    assert_eq!((&writes["sizes"][0]["bytes"], &reads["sizes"][0]["bytes"]), (&4096.into(), &512.into()));
    assert!(number(&writes["sequential_share"]) > 0.95, "{writes:#}");
    assert!(number(&reads["sequential_share"]) < 0.05, "{reads:#}");
    assert_agree("bytes between syncs", number(&seen["syncs"]["bytes_between_mean"]), 8192.0);
    for of in [reads, writes, syncs] {
        let [law, counted] = ["depth_by_littles_law", "depth_counted"].map(|name| number(&of[name]));
        assert!((law - counted).abs() <= 0.05 * counted, "{law} by Little's law, {counted} counted");
    }
    lab.assert_clean();
}

/// Between two windows nothing is seen of reads and writes. A sync is seen always, so that a slow one is never missed.
#[test]
fn calls_are_recorded_in_windows_and_syncs_of_ext4_always() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let observing = Observing::start_in_windows(&lab, &["--dir", "disk"]);
    let begun = Instant::now();
    let log = File::create(lab.disk().join("log")).unwrap();
    let mut commits = 0_u64;
    while begun.elapsed() < Duration::from_secs(1) {
        log.write_all_at(&[1; 4096], 0).unwrap();
        log.sync_data().unwrap();
        commits += 1;
    }
    std::fs::remove_file(lab.disk().join("log")).unwrap();
    let Some(seen) = observing.stop() else { return };
    if seen["recording"]["windows"].is_null() {
        return skip::because("the thread that reads had no turn in a second");
    }
    let [writes, syncs] = ["write", "sync"].map(|name| class(&seen, name));
    assert!(number(&writes["seen_share"]) < 1.0, "{seen:#}");
    assert!(number(&writes["operations"]) < commits as f64, "{commits} commits, {seen:#}");
    if number(&syncs["seen_share"]) < 1.0 {
        return skip::because("this file system does not report syncs");
    }
    assert_eq!(number(&syncs["operations"]) as u64, commits, "{seen:#}");
    let [files, not_seen] = ["files", "not_seen"].map(|part| &seen[part]);
    assert_eq!((files[0]["syncs"].as_u64(), &not_seen["lost_records"]), (Some(commits), &0.into()));
}

/// A table of a database with a write-ahead log.
fn wal_of_sqlite(lab: &Laboratory) -> rusqlite::Connection {
    let database = rusqlite::Connection::open(lab.disk().join("users.db")).unwrap();
    database
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a);")
        .unwrap();
    database
}

fn insert(database: &rusqlite::Connection, rows: u64) {
    for row in 0..rows {
        database.execute("INSERT INTO t VALUES (?1)", [row as i64]).unwrap();
    }
}

#[test]
fn commits_of_sqlite_sync_its_log() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let database = wal_of_sqlite(&lab);
    let observing = Observing::start(&lab, &["--dir", "disk"]);
    insert(&database, COMMITS);
    let seen = observing.stop();
    drop(database);
    std::fs::remove_dir_all(lab.disk()).unwrap();
    std::fs::create_dir(lab.disk()).unwrap();
    let Some(seen) = seen else { return };
    let files = seen["files"].as_array().unwrap();
    let log = files.iter().find(|file| file["role"] == "log").unwrap_or_else(|| panic!("{seen:#}"));
    assert_eq!((&log["database"], &log["direct"]), (&"SQLite".into(), &false.into()));
    assert_agree("syncs of the log", number(&log["syncs"]), COMMITS as f64);
}

#[test]
fn it_ends_with_the_process_that_it_observes() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    // It reads until its input is closed.
    let mut process = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let observing = Observing::start(&lab, &["--pid", &process.id().to_string()]);
    drop(process.stdin.take());
    process.wait().unwrap();
    let seen = observing.end();
    assert!(seen["target"].as_str().unwrap().starts_with("process "), "{seen:#}");
    assert_eq!(seen["processes"], 0, "a pipe is not a file: {seen:#}");
}

/// What was observed is measured again, as a study, and both figures are in its result. How near they are depends on
/// how busy this machine is at either time.
#[test]
fn a_study_of_the_load_runs() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let observing = Observing::start(&lab, &["--dir", "disk", "--study", "load.toml"]);
    commit_and_read(&lab.disk());
    std::fs::remove_file(lab.disk().join("log")).unwrap();
    let Some(seen) = observing.stop() else { return };
    let mut command = lab.syncline(&["run", "load.toml", "--dir", "disk", "--out", "run", "--rounds", "1"]);
    // The study has the rates and shapes of the load; here it is small.
    command
        .args(["--fix", "runtime=50ms", "--fix", "size=1MiB", "--interleave", "off"])
        .args(WITHOUT_WAITING);
    let output = command.output().unwrap();
    // An audit may fail on a busy machine; the measurement itself must not.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let records = lab.records();
    assert!(records.iter().all(|record| record.outcome == TrialOutcome::Ok), "{records:#?}");
    let arms: BTreeSet<String> =
        records.iter().filter_map(|record| record.values.get("arm").map(ToString::to_string)).collect();
    assert_eq!(arms.into_iter().collect::<Vec<_>>(), ["as_observed", "flat_out"]);
    lab.assert_clean();

    let output = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let replayed = report["studies"][0]["replayed"].as_array().unwrap();
    let of = |metric: &str| {
        replayed.iter().find(|of| of["metric"] == metric).unwrap_or_else(|| panic!("{report:#}"))
    };
    for (metric, name) in [("read_iops", "read"), ("write_iops", "write"), ("syncs_per_s", "sync")] {
        let (of, seen) = (of(metric), number(&class(&seen, name)["operations_per_s"]));
        assert!((number(&of["observed"]) / seen - 1.0).abs() < 1e-9, "{seen} of {of:#}");
        assert!(number(&of["replayed"]["point"]) >= 0.0, "{of:#}");
    }
    for (metric, name) in [("read_latency_p50_us", "read"), ("sync_latency_p50_us", "sync")] {
        let (of, seen) = (of(metric), number(&class(&seen, name)["latency"]["p50_us"]));
        assert!((number(&of["observed"]) / seen - 1.0).abs() < 1e-9, "{seen} of {of:#}");
    }
    let sizes = of("bytes_per_operation");
    if let Some(replayed) = sizes["replayed"]["point"].as_f64() {
        assert!((512.0..=4096.0).contains(&replayed), "{sizes:#}");
    }
    of("in_flight_mean");
}

#[test]
fn a_run_of_the_disk_stands_beside_what_is_seen() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let output = lab.run(&["--interleave", "off"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let arguments = ["observe", "--dir", "disk", "--run", "run", "--for", "100ms", "--format", "json"];
    let output = lab.syncline(&arguments).output().unwrap();
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    // The audits of a busy machine withhold its commits, and what the run advises is shown nevertheless.
    let against = &seen["against"];
    let is_withheld = against["withheld_by"].as_array().is_some_and(|audits| !audits.is_empty());
    let commits = against["commits_per_s"]["mean"].as_f64();
    assert!(commits.is_none() || !is_withheld, "{seen:#}");
    assert!(commits.is_none_or(|commits| commits > 0.0), "{seen:#}");
    assert!(seen.get("advice").is_none(), "no database was seen: {seen:#}");
    // The advice of a database that is seen, limited to what its load does.
    let database = wal_of_sqlite(&lab);
    let observing = Observing::start(&lab, &["--dir", "disk", "--run", "run"]);
    insert(&database, COMMITS);
    let seen = observing.stop();
    drop(database);
    let Some(seen) = seen else { return };
    let advice = seen["advice"].as_array().unwrap();
    let [sqlite] = &advice[..] else { panic!("{seen:#}") };
    let names: Vec<&Value> =
        sqlite["settings"].as_array().unwrap().iter().map(|setting| &setting["name"]).collect();
    assert_eq!(
        (&sqlite["id"], names.contains(&&"journal_mode".into())),
        (&"sqlite".into(), true),
        "{sqlite:#}"
    );
}

#[test]
fn signals_end_it_with_the_result() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let observing = Observing::start(&lab, &["--dir", "disk"]);
        observing.signal(signal);
        assert_eq!(observing.end()["classes"], Value::Array(Vec::new()));
    }
}

/// There was no load to write a study of, and the minute of observation was lost with it.
#[test]
fn what_was_observed_is_printed_although_it_makes_no_study() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let arguments = ["--dir", "disk", "--for", "1s", "--study", "my.toml", "--format", "json"];
    let output = lab.syncline(&[&["observe"], &arguments[..]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(seen["classes"], Value::Array(Vec::new()));
    assert!(!lab.path().join("my.toml").exists());
}

#[test]
fn a_name_that_steers_a_terminal_is_escaped() {
    if !is_possible() {
        return;
    }
    let lab = Laboratory::new();
    let hostile = "\u{1b}[31mred\n\u{202e}<script>|`";
    for format in ["text", "markdown"] {
        let arguments = ["--dir", "disk", "--for", "1h", "--html", "page.html", "--format", format];
        let mut command = lab.syncline(&[&["observe"], &arguments[..]].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut remarks = BufReader::new(child.stderr.take().unwrap());
        remarks.read_line(&mut String::new()).unwrap();
        let path = lab.disk().join(hostile);
        let file = File::create(&path).unwrap();
        file.write_all_at(b"one", 0).unwrap();
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let output = child.wait_with_output().unwrap();
        std::fs::remove_file(path).unwrap();
        let page = std::fs::read_to_string(lab.path().join("page.html")).unwrap();
        for shown in [&text(&output), &page] {
            assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
        }
        assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<script>"), "{page}");
        assert_eq!(text(&output).contains("# Operations of"), format == "markdown");
    }
}

#[test]
fn what_cannot_be_observed_is_one_line() {
    let lab = Laboratory::new();
    let none = (u32::MAX >> 1).to_string();
    for (arguments, code, line) in [
        (vec!["--pid", &none], 2, "there is no process 2147483647"),
        (vec!["--pid", "2"], 2, "[..]"),
        (vec!["--pid", "0"], 2, "[..]"),
        (vec!["--pid", "postgres"], 2, "[..]"),
        (
            vec!["--device", "no-such-disk"],
            2,
            "there is no block device \"no-such-disk\"; this machine has [..]",
        ),
        (vec!["--device", "\u{1b}[2J"], 2, "there is no block device [..]; this machine has [..]"),
        (vec!["--dir", "nowhere"], 2, "nowhere: no such directory"),
        (vec!["--dir", "tiny.toml"], 2, "tiny.toml: no such directory"),
        (
            vec!["--unit", "no-such-unit"],
            2,
            "no control group below /sys/fs/cgroup is named no-such-unit: no unit of that name runs",
        ),
        (vec!["--unit", "../.."], 2, "a unit has a name, not \"../..\""),
        (vec!["--dir", "disk", "--for", "0s"], 2, "[..]"),
        (vec!["--dir", "disk", "--spikes", "fast"], 2, "[..]"),
        (vec!["--dir", "disk", "--study", "load"], 2, "--study load: a study's file ends in .toml"),
        (vec!["--dir", "disk", "--study", "nowhere/load.toml"], 2, "--study nowhere/load.toml: [..]"),
        (vec!["--dir", "disk", "--html", "nowhere/load.html"], 2, "--html nowhere/load.html: [..]"),
        (vec!["--dir", "disk", "--html", "disk"], 2, "--html disk: [..]"),
        (vec!["--dir", "disk", "--run", "nowhere"], 1, "[..]"),
        (vec!["--pid", "1", "--dir", "disk"], 2, "[..]"),
        (vec![], 2, "[..]"),
    ] {
        let mut words = vec!["observe"];
        words.extend(arguments);
        refuses(&lab, &mut lab.syncline(&words), code, line);
    }
}

#[test]
fn without_the_privilege_one_line_says_what_gives_it() {
    let lab = Laboratory::open_to_all();
    let Some(mut command) = lab.unprivileged(&["observe", "--dir", "disk"]) else { return };
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("syncline: ")).collect();
    let [line] = lines[..] else { panic!("{said}") };
    assert!(["mount -t tracefs", "setcap"].iter().any(|command| line.contains(command)), "{line}");
}
