//! PostgreSQL through the whole program: measured, missing, mistaken, killed.

#![allow(clippy::float_cmp, reason = "shares and counts are exact")]
#![cfg(feature = "postgresql")]

use crate::laboratory;

use laboratory::servers::{
    assert_empties, assert_empty, kill, postmaster_and_worker, processes_of, reachable, wait_for,
};
use laboratory::{Laboratory, WITHOUT_WAITING, assert_line, prints, refuses, text};
use model::plan::{Plan, Skipped};
use model::trial::{TrialOutcome, TrialRecord};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn study(fixed: &str, headroom: &str) -> String {
    format!(
        "workload = \"pool\"\nbaseline = {{ headroom = {} }}\n[factors]\nsubject = [\"postgres\"]\nheadroom = {headroom}\n\
         [fixed]\n{fixed}\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n",
        headroom.trim_start_matches('[').split([',', ']']).next().unwrap()
    )
}

/// `syncline run study.toml` on the disk.
fn run(lab: &Laboratory, disk: &Path, study: &str, more: &[&str]) -> Command {
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "study.toml", "--out", "run", "--seed", "1", "--dir"]);
    command.arg(disk).args(WITHOUT_WAITING).args(more);
    command
}

fn figure(record: &TrialRecord, name: &str) -> f64 {
    record.figure(name).unwrap_or_else(|| panic!("{name}: {:?}, {:?}", record.outcome, record.metric(name)))
}

#[test]
fn headroom_decides_whether_the_second_read_finds_everything() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let study = study("blocks = 256\ncache = \"warm\"", "[1.0, 1.1]");
    let output = run(&lab, disk.path(), &study, &[]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_empty(disk.path());
    let records = lab.records();
    assert_eq!(records.len(), 2);
    for record in &records {
        let exact = record.values.number("headroom").unwrap() < 1.05;
        assert_eq!(figure(record, "second_read_hit_share"), if exact { 0.0 } else { 1.0 });
        assert_eq!(figure(record, "second_read_evictions"), if exact { 256.0 } else { 0.0 });
        assert!(figure(record, "page_read_us") > 0.0 && figure(record, "page_write_us") > 0.0);
        assert_eq!(figure(record, "wal_bytes_per_page"), 0.0);
        let measurement = record.measurement.as_ref().unwrap();
        let server = measurement.phases[0].mechanism.server.as_ref().unwrap();
        println!("{server:?}");
        let told = measurement.notes.iter().any(|note| note.starts_with("PostgreSQL 18."));
        assert!(told, "{:?}", measurement.notes);
    }
}

#[test]
fn a_cold_table_is_read_from_the_device() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let study = study("blocks = 512\ncache = \"cold\"\naccess = \"random\"\ntable = \"permanent\"", "[4.0]");
    let output = run(&lab, disk.path(), &study, &[]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let record = &lab.records()[0];
    assert_eq!(figure(record, "full_page_images_per_page"), 1.0);
    let phases = &record.measurement.as_ref().unwrap().phases;
    let first = phases.iter().find(|phase| phase.name == "first_read").unwrap();
    let device = first.mechanism.device.value().unwrap();
    assert!(device.read_bytes >= 512 * 8192, "{device:?}");
}

#[test]
fn what_the_user_names_has_to_be_there() {
    let lab = Laboratory::new();
    let warm = study("blocks = 128\ncache = \"warm\"", "[1.1]");
    let study = study("blocks = 128", "[1.1]");
    let disk = lab.disk();
    let dsn = ["--dsn", "host=/nowhere user=x"];
    refuses(
        &lab,
        &mut run(&lab, &disk, &warm, &dsn),
        1,
        "cannot connect to the server: error connecting to server: No such file or directory (os error 2); --dsn or --dsn-file names it",
    );
    // The server is not asked for what no session of it can have.
    refuses(
        &lab,
        &mut run(&lab, &disk, &study, &dsn),
        2,
        "cache = cold is not possible on the user's server: Syncline does not know where it keeps its files, so it cannot evict them from the page cache; measure cache = warm",
    );
    let programs = ["--pg-bin", "/nowhere"];
    refuses(
        &lab,
        &mut run(&lab, &disk, &study, &programs),
        2,
        "/nowhere has no initdb that runs (No such file or directory (os error 2)): name the directory of postgres and initdb; --pg-bin DIR names programs",
    );
    let both = ["--pg-bin", "/nowhere", "--dsn", "x"];
    let output = run(&lab, &disk, &study, &both).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    refuses(
        &lab,
        &mut lab.run(&["--pg-bin", "/nowhere"]),
        2,
        "no configuration has subject = postgres: leave --pg-bin and --dsn out, or add --vary subject=postgres",
    );
}

/// Nobody listens at the proxy: as without a network.
fn without_network(command: &mut Command, cache: &Path) {
    command.env("XDG_CACHE_HOME", cache).env("ALL_PROXY", "http://127.0.0.1:1");
    command.env_remove("NO_PROXY").env_remove("no_proxy");
}

#[test]
fn without_postgresql_and_network_the_study_runs_on_our_pool_and_says_what_is_missing() {
    let (lab, cache) = (Laboratory::new(), tempfile::tempdir().unwrap());
    let both = "workload = \"pool\"\nbaseline = { subject = \"ours\" }\n[factors]\nsubject = [\"ours\", \"postgres\"]\n[fixed]\n\
                blocks = 128\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    let disk = lab.disk();
    let mut command = run(&lab, &disk, both, &[]);
    without_network(&mut command, cache.path());
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    prints(
        &lab,
        &output,
        "PostgreSQL is not cached and cannot be downloaded from [..]; name installed programs or a server, or try again with a network; --pg-bin DIR names programs, --dsn a server; 1 of 2 configurations are recorded as unsupported",
    );
    for record in lab.records() {
        match &record.outcome {
            TrialOutcome::Ok => assert!(record.values.is("subject", "ours")),
            TrialOutcome::Unsupported(why) => assert_line(
                why,
                "PostgreSQL is not cached and cannot be downloaded from [..]; name installed programs or a server, or try again with a network; --pg-bin DIR names programs, --dsn a server",
            ),
            other => panic!("{other:?}"),
        }
    }
    lab.assert_clean();
    // Alone it has nothing to run on.
    let lab = Laboratory::new();
    let mut command = run(&lab, &lab.disk(), &study("blocks = 128", "[1.1]"), &[]);
    without_network(&mut command, cache.path());
    refuses(
        &lab,
        &mut command,
        1,
        "PostgreSQL is not cached and cannot be downloaded from [..]; name installed programs or a server, or try again with a network; --pg-bin DIR names programs, --dsn a server",
    );
}

/// `run --for postgresql` recorded the pool's four configurations as unsupported, trial by trial.
#[test]
fn without_postgresql_and_network_a_run_for_its_settings_leaves_out_what_needs_it() {
    let (lab, cache) = (Laboratory::new(), tempfile::tempdir().unwrap());
    let arguments = ["--dir", "disk", "--out", "run", "--rounds", "1", "--budget=6s"];
    let mut command = lab.syncline(&["run", "--for", "postgresql"]);
    command.args(arguments);
    without_network(&mut command, cache.path());
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let plan = fs::read_to_string(lab.run_directory().join("plan.json")).unwrap();
    let Plan { studies, skipped, .. } = serde_json::from_str(&plan).unwrap();
    let skipped: Vec<&Skipped> = skipped.iter().filter(|skipped| skipped.study == "temp-buffers").collect();
    let [Skipped { why, .. }] = skipped[..] else { panic!("{}", text(&output)) };
    assert_line(
        why,
        "it needs PostgreSQL: PostgreSQL is not cached and cannot be downloaded from [..]; name installed programs or a server, or try again with a network; --pg-bin DIR names programs, --dsn a server",
    );
    let mut configurations = studies.iter().flat_map(|study| &study.configurations);
    assert!(!configurations.any(|values| values.is("subject", "postgres")));
    assert!(lab.records().iter().all(|record| record.outcome == TrialOutcome::Ok), "{}", text(&output));
    lab.assert_clean();
}

/// A run of many trials, and its server while it is measured.
fn start(lab: &Laboratory, disk: &Path) -> (Child, u32, u32) {
    let study =
        study("blocks = 8192\ncache = \"warm\"", "[1.1, 1.25]").replace("rounds = 1\n", "rounds = 4\n");
    let child = run(lab, disk, &study, &[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (postmaster, worker) = wait_for("a server", || postmaster_and_worker(disk));
    (child, postmaster, worker)
}

#[test]
fn a_worker_that_is_killed_takes_its_server_along() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let (mut child, postmaster, worker) = start(&lab, disk.path());
    kill(worker);
    wait_for("the server's end", || (!processes_of(disk.path()).contains(&postmaster)).then_some(()));
    // The run continues a fresh cluster.
    wait_for("the failure's record", || (lab.trials() >= 2).then_some(()));
    let records = lab.records();
    let TrialOutcome::Failed(why) = &records[0].outcome else { panic!("{:?}", records[0].outcome) };
    assert_line(why, "the worker was ended by signal 9 (SIGKILL: [..]): it said nothing");
    assert_eq!(records[1].outcome, TrialOutcome::Ok);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_empties(disk.path());
}

#[test]
fn a_server_that_is_killed_fails_its_trial_in_one_line() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let (mut child, postmaster, _) = start(&lab, disk.path());
    kill(postmaster);
    wait_for("the failure's record", || (lab.trials() >= 1).then_some(()));
    let TrialOutcome::Failed(why) = &lab.records()[0].outcome else {
        panic!("{:?}", lab.records()[0].outcome)
    };
    assert_line(why, "[..]PostgreSQL[..]");
    assert_eq!(why.lines().count(), 1, "{why}");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    child.wait().unwrap();
    assert_empties(disk.path());
}

#[test]
fn a_lab_that_is_killed_leaves_a_cluster_that_the_next_start_removes() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let (mut child, ..) = start(&lab, disk.path());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the server's end", || processes_of(disk.path()).is_empty().then_some(()));
    assert!(fs::read_dir(disk.path()).unwrap().count() > 0, "a kill cleans up nothing");
    let lab = Laboratory::new();
    let study = study("blocks = 128\ncache = \"warm\"", "[1.1]");
    let output = run(&lab, disk.path(), &study, &[]).output().unwrap();
    prints(&lab, &output, "removed the files of a killed run: [..]/.syncline-work-[..]");
    assert_empty(disk.path());
}

#[test]
fn root_is_told_who_cannot_reach_the_directory() {
    if !rustix::process::geteuid().is_root() {
        skip::because("a server runs as its user, who reaches its own directories");
        return;
    }
    let (lab, disk) = (Laboratory::new(), reachable());
    fs::set_permissions(disk.path(), PermissionsExt::from_mode(0o700)).unwrap();
    let mut command = run(&lab, disk.path(), &study("blocks = 128", "[1.1]"), &[]);
    refuses(
        &lab,
        &mut command,
        1,
        "Syncline does not run PostgreSQL as root, and user nobody cannot reach [..]: [..] is closed to others; choose another place, or run Syncline as another user; --dir names another place",
    );
    assert_empty(disk.path());
}

/// What lies in another user's cache, which `sudo -E` leads root to, ran as root.
#[test]
fn a_cache_that_another_user_has_changed_is_not_run() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root can give a file away");
        return;
    }
    let lab = Laboratory::open_to_all();
    let cache = lab.path().join("cache");
    let programs = cache.join("syncline/postgresql-18.6.0/bin");
    fs::create_dir_all(&programs).unwrap();
    for name in ["initdb", "postgres"] {
        let script =
            format!("#!/bin/sh\ntouch {}/ran\necho 'postgres (PostgreSQL) 18.6'\n", lab.path().display());
        fs::write(programs.join(name), script).unwrap();
        fs::set_permissions(programs.join(name), Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::chown(&cache, Some(65_534), None).unwrap();
    let mut doctor = lab.syncline(&["doctor", "--format", "json"]);
    let output = doctor.env("XDG_CACHE_HOME", &cache).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let server = &found["checks"]["servers"][0];
    assert_eq!(server["sign"], "bad");
    assert_line(
        &lab.lines(server["fact"].as_str().unwrap().as_bytes()),
        "[dir]/cache/syncline/postgresql-18.6.0 does not hold the PostgreSQL that was downloaded: its files have SHA-256 [..], not [..]; remove the directory, or name installed programs",
    );
    assert!(!lab.path().join("ran").exists());
}

/// `doctor` found nothing wrong with a directory in which a proof then could not start its server.
#[test]
fn doctor_reports_a_directory_that_the_servers_user_cannot_reach() {
    if !rustix::process::geteuid().is_root() {
        skip::because("only root's server has another user");
        return;
    }
    let places = |lab: &Laboratory| -> Vec<Value> {
        let output = lab.syncline(&["doctor", "--dir", "disk", "--format", "json"]).output().unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        found["checks"]["servers"].as_array().unwrap()[1..].to_vec()
    };
    let lab = Laboratory::open_to_all();
    assert_eq!(places(&lab), Vec::<Value>::new());
    fs::set_permissions(lab.path(), Permissions::from_mode(0o700)).unwrap();
    let [place] = &places(&lab)[..] else { panic!("the server's user cannot reach it") };
    assert_eq!(place["sign"], "note");
    assert!(place["fact"].as_str().unwrap().contains(lab.path().to_str().unwrap()), "{place}");
}
