//! A run that is killed while it writes: whatever is there afterwards is nothing yet or whole, and somebody can
//! continue it.

use super::names::{PLAN, SIDECARS};
use super::*;
use crate::open_directory::kill;
use model::FORMAT_VERSION;
use model::mechanism::Measured;
use model::plan::StudyPlan;
use model::shared::Skew;
use model::trial::{TrialKey, TrialOutcome};
use model::{Configuration, sidecar::Sidecar};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

fn plan() -> Plan {
    let study = StudyPlan {
        name: "one".to_owned(),
        workload: "toy".to_owned(),
        profile: "quick".to_owned(),
        configurations: vec![Configuration::default(); 2],
        rounds: 2,
        ..StudyPlan::default()
    };
    Plan { directory: "/data".into(), seed: 7, studies: vec![study], ..Plan::default() }
}

fn host() -> HostFacts {
    HostFacts { governor: Measured::unsupported("untold"), ..crate::host::facts() }
}

fn record(round: u32) -> TrialRecord {
    TrialRecord {
        format_version: FORMAT_VERSION,
        key: TrialKey { study: "one".to_owned(), round, configuration: 0, duplicate: false, block: 0 },
        position: 0,
        warmup: false,
        session: 1,
        values: Configuration::default(),
        seed: 1,
        ensemble: Vec::new(),
        started_at: String::new(),
        wall_s: 1.0,
        prepare_s: 0.0,
        canary: None,
        pauses: None,
        outcome: TrialOutcome::Unsupported("a toy measures nothing".to_owned()),
        measurement: None,
    }
}

/// Below two directories that do not exist either.
fn path_in(temporary: &tempfile::TempDir) -> PathBuf {
    temporary.path().join("syncline-runs/today/run")
}

/// Issue: plan.json was written in place by 418 writes, and a kill inside left a directory that neither `--resume` nor
/// `--out` took.
#[test]
fn a_kill_at_any_step_of_the_beginning_is_no_dead_end() {
    for changes in 0.. {
        let temporary = tempfile::tempdir().unwrap();
        let path = path_in(&temporary);
        let (begun, survived) = kill::after(changes, || RunDirectory::create(&path, plan(), host(), None));
        assert_eq!(begun.is_ok(), survived, "after {changes} changes");
        drop(begun);
        if path.join(PLAN).exists() {
            assert_eq!(RunDirectory::resume(&path).unwrap().run().plan, plan(), "after {changes} changes");
        } else {
            let resumed = RunDirectory::resume(&path);
            assert!(
                matches!(resumed, Err(RunError::NotARun { .. } | RunError::Unbegun { .. })),
                "{resumed:?}"
            );
            RunDirectory::create(&path, plan(), host(), None).unwrap();
            assert_eq!(read(&path).unwrap().plan, plan());
        }
        let sound = [HOST, PLAN, SIDECARS, TRIALS].map(std::ffi::OsString::from);
        let mut names = RunFiles::open(&path).unwrap().directory().names().unwrap();
        names.sort();
        assert_eq!(names, sound, "nothing else is left after {changes} changes");
        if survived {
            assert!(changes > 15, "{changes}");
            return;
        }
    }
}

#[test]
fn a_kill_at_any_step_of_recording_loses_at_most_the_trial_under_way() {
    for changes in 0.. {
        let temporary = tempfile::tempdir().unwrap();
        let path = path_in(&temporary);
        let mut run = RunDirectory::create(&path, plan(), host(), None).unwrap();
        run.append(record(0), Some(&Sidecar::default())).unwrap();
        let (recorded, survived) = kill::after(changes, || run.append(record(1), Some(&Sidecar::default())));
        assert_eq!(recorded.is_ok(), survived, "after {changes} changes");
        drop(run);
        let mut resumed = RunDirectory::resume(&path).unwrap();
        let kept = resumed.run().records.len();
        assert!(kept == 2 || (kept == 1 && !survived), "after {changes} changes: {kept} records");
        if kept == 1 {
            resumed.append(record(1), Some(&Sidecar::default())).unwrap();
        }
        let run = read(&path).unwrap();
        assert_eq!(run.records, [record(0), record(1)], "after {changes} changes");
        assert!(run.records.iter().all(|record| resumed.files().sidecar(&record.key).is_some()));
        assert_eq!(fs::read_dir(path.join(SIDECARS)).unwrap().count(), 2, "no part is left");
        if survived {
            return;
        }
    }
}

#[test]
fn the_program_is_recorded_and_old_runs_have_none() {
    let temporary = tempfile::tempdir().unwrap();
    let path = path_in(&temporary);
    let program = Program { version: "1".to_owned(), sha256: "ab".repeat(32) };
    let run = RunDirectory::create(&path, plan(), host(), Some(&program)).unwrap();
    assert_eq!(run.files().program().unwrap(), Some(program));
    assert_eq!(read(&path).unwrap().host, host(), "beside it");
    drop(run);
    fs::write(path.join(HOST), serde_json::to_string(&host()).unwrap()).unwrap();
    assert_eq!(RunFiles::open(&path).unwrap().program().unwrap(), None);
}

/// What a directory that `--out` names can hold, and whether a run begins there.
#[test]
fn only_an_empty_or_unfinished_directory_is_taken() {
    let sound = serde_json::to_string(&host()).unwrap();
    for (name, content, is_taken) in [
        (".syncline-part-1-0", "half a pl", true),
        (TRIALS, "", true),
        (HOST, sound.as_str(), true),
        (TRIALS, "a line\n", false),
        (HOST, "mine", false),
        ("notes.txt", "", false),
        (PLAN, "", false),
    ] {
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join(name), content).unwrap();
        let begun = RunDirectory::create(temporary.path(), plan(), host(), None);
        assert_eq!(begun.is_ok(), is_taken, "{name} with {content:?}: {begun:?}");
        if !is_taken {
            assert_eq!(fs::read_to_string(temporary.path().join(name)).unwrap(), content);
            assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1, "nothing was made beside {name}");
        }
    }
    let temporary = tempfile::tempdir().unwrap();
    assert!(matches!(RunDirectory::resume(temporary.path()), Err(RunError::Unbegun { .. })));
}

/// The process was killed after it had written what all ranks measured, and before the records: the trial ran again.
#[test]
fn of_two_lines_about_one_shared_trial_the_later_counts() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(&path_in(&temporary), plan(), host(), None).unwrap();
    assert!(directory.files().shared().unwrap().is_empty(), "no other run has such a file");
    let mut trial = SharedTrial {
        format_version: FORMAT_VERSION,
        key: record(0).key,
        ranks: 2,
        clocks: Vec::new(),
        slices: 1,
        apart: 0,
        common_s: 1.0,
        rates: BTreeMap::from([("iops".to_owned(), 10.0)]),
        start_skew: Skew::default(),
        end_skew: Skew::default(),
        latency_p99_us: BTreeMap::new(),
        by_rank: Vec::new(),
    };
    directory.append_shared(&trial).unwrap();
    trial.rates.insert("iops".to_owned(), 20.0);
    directory.append_shared(&trial).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(directory.path().join(SHARED)).unwrap();
    file.write_all(b"{\"format_version\":1,\"key\"").unwrap();
    let read: Vec<SharedTrial> = directory.files().shared().unwrap().into_values().collect();
    assert_eq!(read, [trial]);
}
