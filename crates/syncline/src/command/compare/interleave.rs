//! Runs of two sides in turns: what is measured, by which program, in which order.
//!
//! A side's trials of one run are so close together that they share what the disk does at that time, so each side is
//! measured by many short runs. The runs of a pair follow each other at once, and the side that begins alternates (A B,
//! B A, …), which cancels a drift that is straight over two pairs. Each run is one process of `syncline run`: a build
//! can be measured that is not this one, and files get another place in each run.

use super::side;
use crate::arguments::CompareArguments;
use crate::failure::Failure;
use crate::output::tell;
use crate::repeat::quoted;
use crate::request::{dated_path, seed_from_clock};
use crate::signals::interrupted_by_signals;
use crate::studies;
use disk::kernel::executable;
use model::metric;
use model::study::Study;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use verdict::compare::Gate;

/// Rounds of a run: two, so that the baseline runs against itself in each.
const ROUNDS: u32 = 2;
/// The profile that is taken if the study has it, and the one otherwise.
const PROFILES: [&str; 2] = ["check", "quick"];
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a side is.
#[derive(Debug)]
enum Subject {
    /// This program measures the disk below it.
    Directory(PathBuf),
    /// It measures the current directory.
    Program(PathBuf),
}

/// All runs of both sides.
struct Runs<'a> {
    subjects: [Subject; 2],
    study: &'a str,
    profile: &'static str,
    seed: u64,
    folders: [PathBuf; 2],
    interrupted: &'a AtomicBool,
}

/// Measures both sides; returns the folders of their runs.
pub(super) fn measure(arguments: &CompareArguments) -> Result<[PathBuf; 2], Failure> {
    let interrupted = interrupted_by_signals()?;
    let subjects = subjects(&arguments.a, &arguments.b)?;
    let study = studies::find(&arguments.study)?;
    check_limits(&arguments.fail_if, &study)?;
    let default = || dated_path(&lab::host::now(), "interleave");
    let out = arguments.out.clone().unwrap_or_else(default);
    let folders = ["a", "b"].map(|side| out.join(side));
    create(&out, &folders)?;
    let profile = PROFILES.into_iter().find(|profile| study.profiles.contains_key(*profile));
    let runs = Runs {
        subjects,
        study: &arguments.study,
        profile: profile.unwrap_or(PROFILES[1]),
        seed: seed_from_clock(),
        folders,
        interrupted: &interrupted,
    };
    for pair in 0..arguments.pairs {
        tell(format!("pair {} of {}", pair + 1, arguments.pairs));
        let first = (pair % 2) as usize;
        runs.measure(first, pair)?;
        runs.measure(1 - first, pair)?;
    }
    Ok(runs.folders)
}

/// Makes the folders of both sides. One that exists has other runs, which belong to another comparison.
fn create(out: &Path, folders: &[PathBuf]) -> Result<(), Failure> {
    let cannot = |path: &Path, error: &io::Error| {
        let remedy = match error.kind() {
            io::ErrorKind::AlreadyExists => "; name another folder with --out",
            _ => "",
        };
        Failure::Runtime(format!("cannot create {}: {error}{remedy}", path.display()))
    };
    fs::create_dir_all(out).map_err(|error| cannot(out, &error))?;
    folders.iter().try_for_each(|folder| fs::create_dir(folder).map_err(|error| cannot(folder, &error)))
}

/// The command that measures both sides again.
pub(super) fn command(arguments: &CompareArguments) -> String {
    let CompareArguments { a, b, study, pairs, fail_if, .. } = arguments;
    let [a, b] = [a, b].map(|side| quoted(&side.display().to_string()));
    let limits: String = fail_if.iter().flat_map(|limit| [" --fail-if ".to_owned(), quoted(limit)]).collect();
    format!("syncline compare --interleave {a} {b} --study {} --pairs {pairs}{limits}", quoted(study))
}

/// A mistake in a limit is found before the first run.
fn check_limits(limits: &[String], study: &Study) -> Result<(), Failure> {
    let schema = workload::schema(&study.workload).map_err(Failure::usage)?;
    let families = metric::FAMILIES.iter().filter(|family| schema.metrics.contains(&family.name));
    let names: Vec<String> = families.flat_map(metric::of_family).map(|metric| metric.name()).collect();
    let refused = |why: String| Failure::Usage(format!("--fail-if {why}"));
    limits.iter().try_for_each(|text| Gate::parse(text, &names, "both runs").map(drop).map_err(refused))
}

/// Two directories, or two programs.
fn subjects(a: &Path, b: &Path) -> Result<[Subject; 2], Failure> {
    match [subject(a)?, subject(b)?] {
        [Subject::Directory(_), Subject::Program(_)] | [Subject::Program(_), Subject::Directory(_)] => {
            Err(Failure::Usage(format!(
                "--interleave takes two directories or two programs: {} and {} are one of each",
                a.display(),
                b.display()
            )))
        }
        alike => Ok(alike),
    }
}

fn subject(path: &Path) -> Result<Subject, Failure> {
    let shown = path.display();
    let refused = |what: &str| Err(Failure::Usage(format!("--interleave {shown}: {what}")));
    let facts =
        fs::metadata(path).map_err(|error| Failure::Usage(format!("--interleave {shown}: {error}")))?;
    let kind = facts.file_type();
    if kind.is_dir() {
        if side::is_run(path) {
            return refused("it is a run directory; compare runs without --interleave");
        }
        return Ok(Subject::Directory(path.to_owned()));
    }
    if kind.is_block_device() || kind.is_char_device() {
        return refused(
            "it is a device, but Syncline measures a disk through files that it creates: name a directory on a file \
             system of that disk",
        );
    }
    if kind.is_file() && facts.permissions().mode() & 0o111 != 0 {
        let absolute = fs::canonicalize(path).map_err(Failure::runtime)?;
        return Ok(Subject::Program(absolute));
    }
    refused("it is neither a directory nor a program")
}

impl Runs<'_> {
    /// One run of a side. One whose audits fail is a run: its answers are withheld where it is judged.
    fn measure(&self, side: usize, pair: u32) -> Result<(), Failure> {
        let directory = self.folders[side].join(format!("{:03}", pair + 1));
        let seed = self.seed.wrapping_add(2 * u64::from(pair) + side as u64);
        let own = Path::new(executable::OWN);
        let (program, dir) = match &self.subjects[side] {
            Subject::Directory(dir) => (own, Some(dir)),
            Subject::Program(program) => (program.as_path(), None),
        };
        let mut command = Command::new(program);
        command.args(["run", self.study, "--profile", self.profile, "--rounds", &ROUNDS.to_string()]);
        command.args(["--seed", &seed.to_string(), "--out"]).arg(&directory);
        if let Some(dir) = dir {
            command.arg("--dir").arg(dir);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let name = ['A', 'B'][side];
        let cannot = |error: io::Error| {
            Failure::Runtime(format!("run {} of {name}: {}: {error}", pair + 1, program.display()))
        };
        let (code, last_line) = command.spawn().and_then(|child| self.wait(child)).map_err(cannot)?;
        if self.interrupted.load(Ordering::Relaxed) {
            let [a, b] = self.folders.each_ref().map(|folder| folder.display());
            return Err(Failure::Interrupted(format!(
                "compare the runs so far with: syncline compare {a} {b}"
            )));
        }
        match code {
            Some(0 | EXIT_AUDIT_FAILED) if side::is_run(&directory) => Ok(()),
            _ => Err(Failure::Runtime(format!("run {} of {name} failed: {last_line}", pair + 1))),
        }
    }

    /// Waits until a run ends, which a signal asks it to do; its exit code, and the last line of its errors.
    fn wait(&self, mut child: Child) -> io::Result<(Option<i32>, String)> {
        let errors = child.stderr.take();
        let reader = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = errors.map(|mut errors| errors.read_to_end(&mut text));
            text
        });
        let mut is_asked = false;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if self.interrupted.load(Ordering::Relaxed) && !is_asked {
                is_asked = true;
                // One that has ended meanwhile is found out by the next look.
                let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            }
            thread::sleep(LOOK_EVERY);
        };
        let text = reader.join().unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
        Ok((status.code(), last.trim_start_matches("syncline: ").to_owned()))
    }
}

/// The exit code of a run whose audits failed.
const EXIT_AUDIT_FAILED: i32 = crate::failure::EXIT_AUDIT_FAILED as i32;
