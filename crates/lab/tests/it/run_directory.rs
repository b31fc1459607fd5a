//! A run directory survives kills, and says what it cannot read.

use crate::toy;

use lab::next::{in_order, progress};
use lab::run_directory::{RunDirectory, RunError, read};
use model::host::HostFacts;
use model::mechanism::Measured;
use model::plan::Plan;
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use std::fs;
use std::io::Write;
use std::time::Duration;

pub(crate) fn host() -> HostFacts {
    HostFacts {
        name: "here".to_owned(),
        distribution: String::new(),
        kernel: "6.18".to_owned(),
        kernel_command_line: String::new(),
        processor: String::new(),
        cpus: 2,
        memory_bytes: 0,
        virtualisation: "none".to_owned(),
        governor: Measured::unsupported("untold"),
        clock_source: "tsc".to_owned(),
        dirty_settings: Vec::new(),
        memory_settings: Vec::new(),
        root: false,
        databases: None,
    }
}

fn plan() -> Plan {
    toy::plan(["one", "two"].map(|name| toy::study(name, 1, 2)).into())
}

/// For three seconds.
fn record(key: TrialKey) -> TrialRecord {
    toy::record(key, 3.0)
}

fn fill(directory: &mut RunDirectory, trials: usize) {
    for _ in 0..trials {
        let due = in_order(&directory.run().plan, &directory.run().records, None).expect("a trial is due");
        directory.append(record(due.key), None).unwrap();
    }
}

#[test]
fn a_run_is_resumed_where_it_stopped() {
    let temporary = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::create(temporary.path(), plan(), host(), None).unwrap();
    fill(&mut directory, 5);
    let due = in_order(&directory.run().plan, &directory.run().records, None);
    drop(directory);
    let mut resumed = RunDirectory::resume(temporary.path()).unwrap();
    assert_eq!(resumed.run().records.len(), 5);
    assert_eq!(in_order(&resumed.run().plan, &resumed.run().records, None), due);
    fill(&mut resumed, 13);
    assert_eq!(
        in_order(&resumed.run().plan, &resumed.run().records, None),
        None,
        "2 studies × 3 rounds × 3 trials"
    );
    assert_eq!(read(temporary.path()).unwrap(), *resumed.run());
}

/// A kill in the middle of a line: at whatever byte the file ends, whole lines count and the rest runs again.
#[test]
fn any_torn_line_is_dropped_and_said() {
    let temporary = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::create(temporary.path(), plan(), host(), None).unwrap();
    fill(&mut directory, 3);
    drop(directory);
    let trials = temporary.path().join("trials.jsonl");
    let whole = fs::read(&trials).unwrap();
    for length in 0..=whole.len() {
        fs::write(&trials, &whole[..length]).unwrap();
        let lines = whole[..length].split(|byte| *byte == b'\n').count() - 1;
        let torn = length > 0 && whole[length - 1] != b'\n';
        let run = read(temporary.path()).unwrap();
        assert_eq!(
            (run.records.len(), run.remarks.len()),
            (lines, usize::from(torn)),
            "cut at byte {length}"
        );
    }
    fs::write(&trials, &whole[..whole.len() - 5]).unwrap();
    let mut resumed = RunDirectory::resume(temporary.path()).unwrap();
    fill(&mut resumed, 1);
    assert!(fs::read(&trials).unwrap() == whole, "the trial that was torn is there again, once");
}

#[test]
fn what_cannot_be_read_says_where_and_what_to_do() {
    let temporary = tempfile::tempdir().unwrap();
    assert!(matches!(read(temporary.path()), Err(RunError::NotARun { .. })));
    let mut directory = RunDirectory::create(temporary.path(), plan(), host(), None).unwrap();
    fill(&mut directory, 1);
    assert!(matches!(RunDirectory::resume(temporary.path()), Err(RunError::InUse { .. })));
    drop(directory);
    assert!(matches!(
        RunDirectory::create(temporary.path(), plan(), host(), None),
        Err(RunError::Occupied { .. })
    ));

    let trials = temporary.path().join("trials.jsonl");
    let line = fs::read_to_string(&trials).unwrap();
    for (text, expected_line, expected) in [
        ("hello\n".to_owned(), 1, "expected value at column 1"),
        ("{\"a\":1}\n".to_owned(), 1, "it has no format_version"),
        (format!("{line}[1,2]\n"), 2, "trailing characters at column 4"),
        ("\u{0}\u{0}\u{0}\n".to_owned(), 1, "expected value at column 1"),
    ] {
        fs::write(&trials, text).unwrap();
        let error = read(temporary.path()).unwrap_err();
        let RunError::Foreign { path, line, what } = error else { panic!("{error}") };
        assert_eq!((path, line), (trials.clone(), Some(expected_line)));
        assert_eq!(what, expected);
    }
    fs::write(&trials, line.replace("\"format_version\":1", "\"format_version\":99")).unwrap();
    let error = read(temporary.path()).unwrap_err();
    assert!(matches!(error, RunError::Newer { line: Some(1), found: 99, .. }), "{error}");
}

#[test]
fn a_failed_trial_is_due_again_and_its_record_is_replaced_not_lost() {
    let temporary = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::create(temporary.path(), plan(), host(), None).unwrap();
    let due = in_order(&directory.run().plan, &[], None).unwrap();
    let failed = TrialRecord { outcome: TrialOutcome::Failed("EIO".to_owned()), ..record(due.key.clone()) };
    directory.append(failed, None).unwrap();
    let next = in_order(&directory.run().plan, &directory.run().records, None).unwrap();
    assert_ne!(next.key, due.key, "within a session a failed trial is not tried over and over");
    drop(directory);
    let mut resumed = RunDirectory::resume(temporary.path()).unwrap();
    assert_eq!(in_order(&resumed.run().plan, &resumed.run().records, None).unwrap(), due);
    resumed.append(record(due.key), None).unwrap();
    drop(resumed);
    let run = read(temporary.path()).unwrap();
    assert_eq!(run.records.len(), 1);
    assert!(matches!(run.records[0].outcome, TrialOutcome::Unsupported(_)), "the later record counts");
    assert_eq!(fs::read_to_string(temporary.path().join("trials.jsonl")).unwrap().lines().count(), 2);
}

#[test]
fn a_repeated_trial_counts_once() {
    let temporary = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::create(temporary.path(), plan(), host(), None).unwrap();
    fill(&mut directory, 1);
    drop(directory);
    let trials = temporary.path().join("trials.jsonl");
    let line = fs::read(&trials).unwrap();
    fs::OpenOptions::new().append(true).open(&trials).unwrap().write_all(&line).unwrap();
    let run = read(temporary.path()).unwrap();
    assert_eq!(run.records.len(), 1);
    insta::assert_snapshot!(run.remarks[0], @"trials.jsonl line 2 repeats a recorded trial and is left out");
}

#[test]
fn a_round_is_begun_only_if_it_fits_the_time_left() {
    let plan = plan();
    let first = in_order(&plan, &[], Some(Duration::ZERO)).expect("how long a trial takes is not known yet");
    let records = vec![record(first.key)];
    // The round has begun and is finished, whatever the time; the next one would take 9 s.
    let second = in_order(&plan, &records, Some(Duration::ZERO)).unwrap();
    let records = vec![records[0].clone(), record(second.key)];
    let third = in_order(&plan, &records, Some(Duration::ZERO)).unwrap();
    let records = [records, vec![record(third.key)]].concat();
    let next =
        |seconds| in_order(&plan, &records, Some(Duration::from_secs(seconds))).map(|due| due.key.round);
    assert_eq!(next(10), Some(1));
    assert_eq!(
        in_order(&plan, &records, Some(Duration::from_secs(8))).map(|due| due.key.study),
        Some("two".to_owned())
    );
}

#[test]
fn the_remaining_time_is_extrapolated() {
    let plan = plan();
    assert_eq!(progress(&plan, &[]).left_s, None);
    let first = in_order(&plan, &[], None).unwrap();
    let progress = progress(&plan, &[record(first.key)]);
    assert_eq!((progress.done, progress.total, progress.left_s), (1, 18, Some(51.0)));
}
