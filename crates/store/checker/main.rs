//! Kills a store again and again and looks for every write that it acknowledged.
//!
//! A life is a process of its own: it opens the store with options from the whole space, writes from up to six threads
//! (puts, deletes, batches, large values, syncs), in half of the lives with several writes of each under way, and says
//! through a pipe which operations returned. It is killed with SIGKILL at a random moment, often while it opens the
//! store. Then this process opens the store with yet other options. Each thread's keys must be what a number of its
//! operations made of them: all that returned, and none, some or all of those that were under way. In class `none`, all
//! that a sync covers.

mod journal;
mod life;
mod operations;
mod options;
mod random;

use journal::Journal;
use life::{Life, NOT_HERE, open};
use operations::{Content, Operations, thread_of};
use random::Random;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufReader, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use store::{DurabilityClass, Keys, Options, Store, verify};

const THREADS_MAX: u8 = 6;
const USAGE: &str = "usage: store-checker DIRECTORY [none|process|power [CYCLES [SEED]]]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["life"] => {
            return serde_json::from_reader::<_, Life>(std::io::stdin())
                .map_or(ExitCode::FAILURE, |life| life.live());
        }
        [directory] => check(directory, "process", "100", "1"),
        [directory, class] => check(directory, class, "100", "1"),
        [directory, class, cycles] => check(directory, class, cycles, "1"),
        [directory, class, cycles, seed] => check(directory, class, cycles, seed),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the cycles; returns the number of failures.
fn check(directory: &str, class: &str, cycles: &str, seed: &str) -> Result<u64, Box<dyn Error>> {
    let class: DurabilityClass = serde_json::from_value(class.into()).map_err(|_| USAGE)?;
    let (cycles, seed): (u64, u64) = (cycles.parse()?, seed.parse()?);
    std::fs::create_dir_all(directory)?;
    let mut checker = Checker::new(Path::new(directory), seed, class);
    let (mut failures, mut returned, mut killed) = (0, 0, 0);
    for number in 0..cycles {
        match checker.cycle(number) {
            Ok(cycle) => {
                returned += cycle.returned;
                killed += u64::from(cycle.is_killed);
            }
            Err(error) => {
                failures += 1;
                let kept = Path::new(directory).join(format!("failure-{seed}-{number}"));
                std::fs::rename(&checker.directory, &kept)?;
                println!("seed {seed}, cycle {number}: {error}; the store is in {}", kept.display());
                checker = Checker::new(Path::new(directory), seed, class);
            }
        }
    }
    std::fs::remove_dir_all(&checker.directory)?;
    println!(
        "store-checker: {cycles} cycles, {failures} failures, {killed} killed, {returned} operations returned, class {class}, seed {seed}"
    );
    Ok(failures)
}

/// A store and what it must have.
struct Checker {
    directory: PathBuf,
    seed: u64,
    class: DurabilityClass,
    partitions: usize,
    expected: Vec<Content>,
}

/// What a cycle was.
struct Cycle {
    returned: u64,
    is_killed: bool,
}

impl Checker {
    fn new(directory: &Path, seed: u64, class: DurabilityClass) -> Self {
        let partitions = Random::new(seed, u64::MAX).choose(&[1, 2, 5]);
        let expected = vec![Content::new(); THREADS_MAX.into()];
        Self { directory: directory.join("store"), seed, class, partitions, expected }
    }

    fn draw(&self, random: &mut Random) -> Options {
        options::draw(random, self.class, self.partitions)
    }

    /// One life and what it left.
    fn cycle(&mut self, number: u64) -> Result<Cycle, Box<dyn Error>> {
        let mut random = Random::new(self.seed, 1 << 63 | number);
        let threads = 1 + random.below(THREADS_MAX.into()) as u8;
        let (mut life, ended) = loop {
            let life = Life {
                directory: self.directory.clone(),
                seed: self.seed,
                number,
                threads,
                operations: random.choose(&[50, 300, 1000]),
                under_way: random.choose(&[1, 1, 4, 16]),
                options: self.draw(&mut random),
            };
            match live_and_kill(&life, &mut random)? {
                Ended::NotHere => {}
                ended => break (life, ended),
            }
        };
        let (journal, is_killed) = match ended {
            Ended::Killed(journal) => (journal, true),
            Ended::ByItself(journal) => (journal, false),
            Ended::NotHere => (Journal::default(), false),
        };
        let written = life.options;
        let store = loop {
            life.options = self.draw(&mut random);
            if let Some(store) = open(&self.directory, &life.options).map_err(|error| {
                format!("{error}; written with {}, opened with {}", json(&written), json(&life.options))
            })? {
                break store;
            }
        };
        self.compare(&store, &journal, &life).map_err(|what| {
            format!("{what}; written with {}, opened with {}", json(&written), json(&life.options))
        })?;
        if random.chance(4) {
            store.drain()?;
        }
        if random.chance(4) {
            store.close()?;
        } else {
            drop(store);
        }
        let problems = verify(&self.directory)?.problems;
        if let Some(problem) = problems.first() {
            return Err(format!("{problem}; written with {}", json(&written)).into());
        }
        Ok(Cycle { returned: journal.returned, is_killed })
    }

    /// Compares what the store has with what it must have, which it then is.
    fn compare(&mut self, store: &Store, journal: &Journal, life: &Life) -> Result<(), Box<dyn Error>> {
        let mut found = vec![Content::new(); THREADS_MAX.into()];
        let mut stranger = None;
        store.scan(&Keys::all(), |key, value| {
            match thread_of(key).and_then(|thread| found.get_mut(usize::from(thread))) {
                Some(content) => drop(content.insert(key.to_vec(), value.to_vec())),
                None => stranger = Some(key.to_vec()),
            }
            ControlFlow::Continue(())
        })?;
        if let Some(key) = stranger {
            return Err(format!("nobody wrote the key {}", key.escape_ascii()).into());
        }
        for (thread, found) in (0..THREADS_MAX).zip(found) {
            for (key, value) in &found {
                if store.get(key)?.as_ref() != Some(value) {
                    return Err(format!("a get of {} is not what a scan finds", key.escape_ascii()).into());
                }
            }
            let (returned, synced) = journal.of(thread);
            let least = if self.class == DurabilityClass::None { synced } else { returned };
            let most = if thread < life.threads { returned + life.under_way as u64 } else { 0 };
            let state = &mut self.expected[usize::from(thread)];
            let mut operations = Operations::new(self.seed, life.number, thread);
            let mut done = 0;
            while done < least || *state != found {
                if done == most {
                    return Err(different(thread, least, most, state, &found).into());
                }
                if let Some(operation) = operations.next() {
                    operation.apply(state);
                }
                done += 1;
            }
        }
        Ok(())
    }
}

fn json(options: &Options) -> String {
    serde_json::to_string(options).unwrap_or_default()
}

fn different(thread: u8, least: u64, most: u64, state: &Content, found: &Content) -> String {
    let keys: BTreeMap<_, _> = state.iter().chain(found).collect();
    let differ = keys.keys().filter(|key| state.get(**key) != found.get(**key)).count();
    let mut out = format!("thread {thread} has not what {least} to {most} of its operations made");
    let _ = write!(out, ": {differ} of {} keys differ from the last of these states", keys.len());
    out
}

enum Ended {
    Killed(Journal),
    ByItself(Journal),
    /// The machine does not have what the options need.
    NotHere,
}

/// Starts a life and kills it: after some time, often while it opens the store, or after some operations.
fn live_and_kill(life: &Life, random: &mut Random) -> Result<Ended, Box<dyn Error>> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("life")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(&serde_json::to_vec(life)?)?;
    }
    let mut output = BufReader::new(child.stdout.take().ok_or("a life has no standard output")?);
    let mut journal = Journal::new(life.threads);
    let operations = u64::from(life.threads) * life.operations as u64;
    let (after, returned_max) = match random.below(3) {
        0 => (Duration::from_micros(random.below(20_000)), u64::MAX),
        _ => (Duration::from_secs(20), 1 + random.below(operations)),
    };
    let (done, is_done) = channel::<()>();
    let journal = thread::scope(|scope| {
        let child = &mut child;
        let killer = scope.spawn(move || -> std::io::Result<()> {
            match is_done.recv_timeout(after) {
                // Its life ended, or it has done enough.
                Ok(()) | Err(RecvTimeoutError::Timeout) => child.kill(),
                Err(RecvTimeoutError::Disconnected) => Ok(()),
            }
        });
        let mut done = Some(done);
        while journal.receive(&mut output)?.is_some() {
            if journal.returned >= returned_max
                && let Some(done) = done.take()
            {
                // Nobody waits if the time was up before.
                let _ = done.send(());
            }
        }
        drop(done);
        killer.join().map_err(|_| "the thread that kills panicked")??;
        Ok::<_, Box<dyn Error>>(journal)
    })?;
    let status = child.wait()?;
    ended(status, journal)
}

fn ended(status: std::process::ExitStatus, journal: Journal) -> Result<Ended, Box<dyn Error>> {
    match status.code() {
        None => Ok(Ended::Killed(journal)),
        Some(0) => Ok(Ended::ByItself(journal)),
        Some(code) if code == i32::from(NOT_HERE) => Ok(Ended::NotHere),
        Some(code) => Err(format!("a life ended with exit code {code}").into()),
    }
}
