//! Turns on a real disk: what records and sidecars report, and what one worker's or the lab's death does.

use crate::laboratory;

use lab::run_directory::{RunFiles, read};
use laboratory::{Laboratory, is_line, prints, refuses, text, waiting};
use model::trial::{TrialOutcome, TrialRecord};
use model::turns::Slice;
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Trials of a round: two configurations and the A/A arm.
const TRIALS: usize = 3;
/// Rounds: the one that warms up, and one.
const ROUNDS: usize = 2;

/// A laboratory whose study `timed.toml` measures each trial for so long.
fn timed(runtime: &str) -> Laboratory {
    let lab = Laboratory::new();
    let timed = format!("groups = 0\nruntime = \"{runtime}\"");
    fs::write(
        lab.path().join("timed.toml"),
        laboratory::STUDY.replace("groups = 40\nruntime = \"0s\"", &timed),
    )
    .unwrap();
    lab
}

const RUN: [&str; 11] =
    ["run", "timed.toml", "--dir", "disk", "--out", "run", "--quiet", "--rounds", "1", "--budget", "1h"];

fn run(lab: &Laboratory, arguments: &[&str]) -> Vec<TrialRecord> {
    let output = lab.syncline(arguments).output().unwrap();
    // An audit may fail on a busy machine; the measurement itself must not.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    lab.assert_clean();
    lab.records()
}

/// The slices of a trial's only phase.
fn slices(lab: &Laboratory, record: &TrialRecord) -> Vec<Slice> {
    let sidecar = RunFiles::open(&lab.run_directory()).unwrap().sidecar(&record.key).unwrap();
    sidecar.slices.into_values().flatten().collect()
}

#[test]
fn records_and_sidecars_say_how_turns_were_taken() {
    let lab = timed("150ms");
    let records = run(&lab, &RUN);
    assert_eq!(records.len(), ROUNDS * TRIALS);
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok);
        assert!(record.ensemble.len() == TRIALS && record.ensemble.contains(&record.key.arm()));
        let phase = &record.measurement.as_ref().unwrap().phases[0];
        let (taken, slices) = (phase.turns.as_ref().unwrap(), slices(&lab, record));
        let measured: Vec<_> = slices.iter().filter(|slice| slice.window_s > 0.0).collect();
        assert_eq!(taken.slices as usize, measured.len());
        assert!(phase.duration_s >= 0.15 && taken.turns_s > phase.duration_s);
        let windows_s: f64 = measured.iter().map(|slice| slice.window_s).sum();
        assert!((windows_s - phase.duration_s).abs() < 1e-6, "{windows_s} and {}", phase.duration_s);
        assert!(taken.operations > phase.operations);
        assert!(slices.iter().zip(0..).all(|(slice, cycle)| slice.turn.cycle == cycle), "one in each cycle");
    }
    for round in 0..ROUNDS as u32 {
        let of_round = records.iter().filter(|record| record.key.round == round);
        let mut all: Vec<_> = of_round.flat_map(|record| slices(&lab, record)).collect();
        all.sort_by(|a, b| a.began_s.total_cmp(&b.began_s));
        for pair in all.windows(2) {
            let ended_s = pair[0].began_s + pair[0].window_s + pair[0].drain_s;
            assert!(ended_s <= pair[1].began_s, "two at the same time: {pair:?}");
        }
    }
    // A round that lost a record is repeated whole.
    let trials = lab.run_directory().join("trials.jsonl");
    let recorded = fs::read_to_string(&trials).unwrap();
    let lines: Vec<_> = recorded.split_inclusive('\n').collect();
    fs::write(&trials, lines[..lines.len() - 1].concat()).unwrap();
    run(&lab, &["run", "--resume", "run", "--quiet"]);
    let records = read(&lab.run_directory()).unwrap().records;
    let sessions: Vec<_> = [0, 1]
        .map(|round| {
            let of_round = records.iter().filter(|record| record.key.round == round);
            of_round.map(|record| record.session).collect::<Vec<_>>()
        })
        .into();
    assert_eq!(sessions, [[1; TRIALS], [2; TRIALS]]);
}

/// So few files may be open that two workers are alive at a time: the baseline, and in turns with it the A/A arm or the
/// other.
#[test]
fn a_machine_that_has_too_little_for_a_round_runs_it_in_blocks() {
    let lab = timed("100ms");
    let run = |arguments: &[&str]| {
        let mut limited = Command::new("prlimit");
        limited.arg("--nofile=70:70").arg(env!("CARGO_BIN_EXE_syncline")).args(arguments);
        let output = limited.current_dir(lab.path()).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
        (lab.records(), output)
    };
    let (records, output) = run(&[&RUN[..6], &RUN[7..]].concat());
    prints(&lab, &output, "[..]in 2 blocks a round: together they need 73 open files and have 70[..]");
    // The baseline twice as often.
    assert_eq!(records.len(), ROUNDS * (TRIALS + 1));
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok);
        assert!(record.ensemble.len() == 2 && record.ensemble.contains(&record.key.arm()));
        assert!(record.ensemble.iter().any(|arm| arm.configuration == 0 && !arm.duplicate));
        assert!(!slices(&lab, record).is_empty(), "a sidecar of its own");
    }
    // A block that lost a record is repeated whole, and no other.
    let trials = lab.run_directory().join("trials.jsonl");
    let recorded = fs::read_to_string(&trials).unwrap();
    let lines: Vec<_> = recorded.split_inclusive('\n').collect();
    fs::write(&trials, lines[..lines.len() - 1].concat()).unwrap();
    run(&["run", "--resume", "run"]);
    let mut records = read(&lab.run_directory()).unwrap().records;
    records.sort_by_key(|record| (record.key.round, record.key.block));
    let sessions: Vec<u32> = records.iter().map(|record| record.session).collect();
    assert_eq!(sessions, [1, 1, 1, 1, 1, 1, 2, 2], "the last block of the last round");
}

#[test]
fn without_turns_there_are_none() {
    let lab = timed("20ms");
    for record in run(&lab, &[&RUN[..], &["--interleave", "off", "--vary", "mode=direct"]].concat()) {
        assert!(record.ensemble.is_empty());
        assert!(record.measurement.as_ref().unwrap().phases[0].turns.is_none());
        assert!(slices(&lab, &record).is_empty());
    }
}

#[test]
fn a_slice_that_is_too_long_is_refused() {
    let lab = Laboratory::new();
    for length in ["2s", "0s", "often"] {
        refuses(
            &lab,
            &mut lab.run(&["--interleave", length]),
            2,
            "invalid value '[..]' for '--interleave <HOW>': write it as auto, off, or the time of a slice up to 1s, such as 25ms",
        );
    }
}

#[test]
fn one_cpu_is_enough() {
    let lab = timed("50ms");
    let records = thread::scope(|scope| {
        let pinned = scope.spawn(|| {
            let own = sched_getaffinity(None).unwrap();
            let mut one = CpuSet::new();
            one.set((0..CpuSet::MAX_CPU).find(|cpu| own.is_set(*cpu)).unwrap());
            sched_setaffinity(None, &one).unwrap();
            run(&lab, &RUN)
        });
        pinned.join().unwrap()
    });
    assert!(
        records.iter().all(|record| record.outcome == TrialOutcome::Ok && record.ensemble.len() == TRIALS)
    );
}

fn can_see_children() -> bool {
    let can = Path::new(&format!("/proc/{0}/task/{0}/children", std::process::id())).exists();
    if !can {
        skip::because("this kernel does not tell a process's children (CONFIG_PROC_CHILDREN)");
    }
    can
}

/// Waits until the workers of a round are all alive; none of them is one of `before`.
fn ensemble(program: &mut Child, before: &BTreeSet<i32>) -> BTreeSet<i32> {
    loop {
        let children = format!("/proc/{0}/task/{0}/children", program.id());
        let children = fs::read_to_string(children).unwrap_or_default();
        let alive: BTreeSet<i32> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        if alive.len() == TRIALS && alive.is_disjoint(before) {
            return alive;
        }
        assert!(program.try_wait().unwrap().is_none(), "it ended before");
        // A process's new children are no event.
        thread::sleep(Duration::from_millis(1));
    }
}

fn signal(worker: i32, signal: Signal) {
    kill_process(Pid::from_raw(worker).unwrap(), signal).unwrap();
}

#[test]
fn a_worker_that_is_killed_or_stopped_fails_alone() {
    if !can_see_children() {
        return;
    }
    let lab = timed("700ms");
    let mut program = lab.syncline(&RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let first = ensemble(&mut program, &BTreeSet::new());
    signal(*first.first().unwrap(), Signal::KILL);
    let second = ensemble(&mut program, &first);
    signal(*second.first().unwrap(), Signal::STOP);
    program.wait().unwrap();
    lab.assert_clean();
    let records = lab.records();
    assert_eq!(records.len(), ROUNDS * TRIALS);
    for (round, how) in
        [(0, "the worker was ended by signal 9 (SIGKILL: [..]"), (1, "[..]stopped by a signal[..]")]
    {
        let of_round = || records.iter().filter(|record| record.key.round == round);
        assert_eq!(of_round().filter(|record| record.outcome == TrialOutcome::Ok).count(), TRIALS - 1);
        let fails =
            |record: &&TrialRecord| matches!(&record.outcome, TrialOutcome::Failed(why) if is_line(why, how));
        assert_eq!(
            of_round().filter(fails).count(),
            1,
            "{:?}",
            of_round().map(|r| &r.outcome).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_lab_that_is_killed_leaves_nothing_and_is_resumed() {
    if !can_see_children() {
        return;
    }
    let lab = timed("300ms");
    let mut program = lab.syncline(&RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let workers = ensemble(&mut program, &BTreeSet::new());
    program.kill().unwrap();
    program.wait().unwrap();
    for worker in workers {
        let worker = Pid::from_raw(worker).unwrap();
        assert!(waiting::for_end_of(worker, Duration::from_mins(5)), "a worker outlives the lab");
    }
    assert_eq!(lab.trials(), 0, "the round was not over");
    let records = run(&lab, &["run", "--resume", "run", "--quiet"]);
    assert_eq!(records.len(), ROUNDS * TRIALS);
    assert!(records.iter().all(|record| record.outcome == TrialOutcome::Ok));
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&*lab.path().to_string_lossy()), "{mounts}");
}
