//! Faults by the thousand: kills at random moments over every workload, and run directories that somebody spoiled. In
//! small here, at length by `make soak`. A failure says its seed; `make soak SEED=… KILLS=1` makes it again.

mod kills;
mod leftovers;
mod planted;
mod spoiled;
mod storage;
mod workload;

use std::env;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// How often each workload is killed where every test has seconds.
const KILLS: u32 = 2;
const SEED: u64 = 12;
/// A killed run and its resumption mostly wait: for processes to start and to end, and for the disk.
const LIVES_AT_A_TIME: usize = 4;
const FREEZES: u64 = 3;
/// Coprime to the number of cases, so that each step is another one.
const PLANTED_STEP: u64 = 71;
const CASES_IN_SMALL: u64 = 60;

#[test]
fn kills_at_random_moments_lose_no_record_and_leave_nothing() {
    for (seed, workload) in (SEED..).zip(workload::ON_ANY_DISK) {
        kills::live(workload, seed, KILLS)
            .unwrap_or_else(|why| panic!("{}, seed {seed}: {why}", workload.name));
    }
}

#[test]
fn commands_end_with_a_documented_code_whatever_the_run_directory_holds() {
    let sound = spoiled::Sound::kept();
    for seed in SEED..SEED + 12 {
        spoiled::by_the_program(&sound, seed).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}

/// Each name with each plant, and the commands in turn.
#[test]
fn no_command_waits_for_or_writes_through_what_is_planted_in_a_run_directory() {
    let failures: Vec<String> = (0..CASES_IN_SMALL)
        .filter_map(|case| planted::one(case * PLANTED_STEP % planted::CASES).err())
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// What was done of a kind, and what went wrong.
struct Tally {
    kind: &'static str,
    executions: u64,
    seeds: std::ops::Range<u64>,
    failures: Vec<String>,
    took: Duration,
}

impl Tally {
    /// One execution after another until there are as many as requested; a panic is a failure too.
    fn of(
        kind: &'static str,
        executions: u64,
        first: u64,
        execute: impl Fn(u64) -> Result<u32, String> + Sync,
    ) -> Self {
        Self::of_several(1, kind, executions, first, execute)
    }

    /// Number of lives at a time; they wait most of their time.
    fn of_several(
        at_a_time: usize,
        kind: &'static str,
        executions: u64,
        first: u64,
        execute: impl Fn(u64) -> Result<u32, String> + Sync,
    ) -> Self {
        let started = Instant::now();
        let tally = Mutex::new(Self {
            kind,
            executions: 0,
            seeds: first..first,
            failures: Vec::new(),
            took: Duration::ZERO,
        });
        let next_seed = || {
            let mut tally = tally.lock().unwrap();
            let is_wanted = tally.executions < executions && tally.failures.len() < 20;
            is_wanted.then(|| {
                tally.seeds.end += 1;
                tally.seeds.end - 1
            })
        };
        let work = || {
            while let Some(seed) = next_seed() {
                // What panics here is reported by the panic itself; the lock is not held meanwhile.
                let ended = catch_unwind(AssertUnwindSafe(|| execute(seed)));
                let mut tally = tally.lock().unwrap();
                match ended {
                    // What fails at once may be all there is.
                    Ok(Ok(done)) => tally.executions += u64::from(done.max(1)),
                    Ok(Err(why)) => tally.fail(seed, &why),
                    Err(_) => tally.fail(seed, &"a panic, told above"),
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..at_a_time {
                scope.spawn(work);
            }
        });
        let mut tally = tally.into_inner().unwrap();
        tally.took = started.elapsed();
        println!("{}", tally.line());
        tally
    }

    fn fail(&mut self, seed: u64, why: &dyn Display) {
        self.executions += 1;
        println!("{}, seed {seed}: {why}", self.kind);
        self.failures.push(format!("{}, seed {seed}: {why}", self.kind));
    }

    fn line(&self) -> String {
        let Self { kind, executions, seeds, failures, took } = self;
        let (first, last) = (seeds.start, seeds.end.saturating_sub(1));
        let seconds = took.as_secs();
        format!(
            "soak: {kind}: {executions} executions, {} failures, seeds {first} to {last}, {seconds} s",
            failures.len()
        )
    }
}

/// A number that `make soak` was given.
fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
#[ignore = "half an hour: make soak"]
fn soak() {
    let (seed, kills, runs) =
        (number("SOAK_SEED", SEED), number("SOAK_KILLS", 1000), number("SOAK_RUNS", 10_000));
    let segments = leftovers::memory_segments();
    let mut tallies = Vec::new();
    let workloads: Vec<&workload::Workload> =
        workload::ON_ANY_DISK.iter().chain(workload::on_this_machine()).collect();
    tallies.push(Tally::of_several(LIVES_AT_A_TIME, "random kills", kills, seed, |seed| {
        let workload = workloads[(seed % workloads.len() as u64) as usize];
        kills::live(workload, seed, 8).map_err(|why| format!("{}: {why}", workload.name))
    }));
    tallies
        .push(Tally::of("planted run directories", planted::CASES, 0, |case| planted::one(case).map(|()| 1)));
    tallies.push(Tally::of("frozen file systems", FREEZES, 0, |_| storage::freeze().map(|()| 1)));
    let sound = spoiled::Sound::measured();
    let analysed = (runs * 9).div_ceil(10);
    tallies.push(Tally::of("spoiled run directories, analysed", analysed, seed, |seed| {
        spoiled::in_this_process(&sound, seed).map(|()| 1)
    }));
    tallies.push(Tally::of("spoiled run directories, by the program", runs - analysed, seed, |seed| {
        spoiled::by_the_program(&sound, seed).map(|()| 1)
    }));
    let left: Vec<_> = leftovers::memory_segments().difference(&segments).cloned().collect();
    println!();
    for tally in &tallies {
        println!("{}", tally.line());
    }
    let failures: Vec<&String> = tallies.iter().flat_map(|tally| &tally.failures).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(left.is_empty(), "System V segments that killed servers left: {left:?}");
}
