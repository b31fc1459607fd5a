//! Run directories that somebody spoiled: what the commands make of them in this process, and what the program does.

use crate::laboratory::{Laboratory, root, waiting};
use hostile::random::Random;
use hostile::run::{Files, analyse};
use lab::run_directory::RunFiles;
use model::run::Run;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use verdict::Verdict;

/// A report of a few trials takes a second if nothing else runs.
const DEADLINE: Duration = Duration::from_mins(5);
/// Address space of a command, bytes: a report takes a tenth of it.
const MEMORY_KIB: u64 = 4 << 20;

/// Runs that nobody has spoiled yet.
pub(super) struct Sound {
    runs: Vec<(Files, (Run, Verdict))>,
    /// The first of them, as it is.
    directory: PathBuf,
    _lab: Option<Laboratory>,
}

impl Sound {
    /// The run that is kept beside the mutations.
    pub(super) fn kept() -> Self {
        let directory = root().join("crates/hostile/seeds/run");
        Self { runs: vec![of(&directory)], directory, _lab: None }
    }

    /// That one, and a run of every workload on this disk.
    pub(super) fn measured() -> Self {
        let mut runs = vec![of(&root().join("crates/hostile/seeds/run"))];
        let lab = Laboratory::new();
        for workload in super::workload::ON_ANY_DISK {
            fs::write(lab.path().join("study.toml"), workload.study).unwrap();
            let arguments = [
                "run",
                "study.toml",
                "--dir",
                "disk",
                "--seed",
                "1",
                "--rounds",
                "6",
                "--out",
                workload.name,
            ];
            let ended = lab.syncline(&arguments).stdout(Stdio::null()).status().unwrap();
            assert!(matches!(ended.code(), Some(0 | 3)), "{}: {ended}", workload.name);
            runs.push(of(&lab.path().join(workload.name)));
        }
        Self { runs, directory: lab.path().join("commit"), _lab: Some(lab) }
    }

    fn any(&self, seed: u64) -> &(Files, (Run, Verdict)) {
        &self.runs[(seed % self.runs.len() as u64) as usize]
    }
}

fn of(directory: &Path) -> (Files, (Run, Verdict)) {
    let opened = RunFiles::open(directory).unwrap();
    let run = opened.run().unwrap();
    let verdict = verdict::analyse(&run, &|key| opened.sidecar(key));
    (Files::read(directory).unwrap(), (run, verdict))
}

/// What `report`, `export`, `advise`, `compare` and `audit` do, without a process for each.
pub(super) fn in_this_process(sound: &Sound, seed: u64) -> Result<(), String> {
    let (files, of_sound) = sound.any(seed);
    let directory = tempfile::tempdir().unwrap();
    let (spoiled, what) = files.spoiled(seed);
    spoiled.write(directory.path()).unwrap();
    let started = Instant::now();
    let ended = std::panic::catch_unwind(|| analyse(directory.path(), of_sound));
    match ended {
        Err(_) => Err(format!("a panic, told above: {what}")),
        Ok(_) if started.elapsed() > DEADLINE => Err(format!("it took {:?}: {what}", started.elapsed())),
        Ok(_) => Ok(()),
    }
}

/// One command of the program with a spoiled run.
pub(super) fn by_the_program(sound: &Sound, seed: u64) -> Result<(), String> {
    let lab = Laboratory::new();
    let (spoiled, what) = sound.any(seed).0.spoiled(seed);
    spoiled.write(&lab.run_directory()).unwrap();
    of_a_user(&lab);
    let other = sound.directory.to_string_lossy();
    let commands: [&[&str]; 9] = [
        &["report", "run"],
        &["advise", "run"],
        &["advise", "run", "--current", "user/postgresql.conf"],
        &["compare", "run", &other],
        &["compare", &other, "run", "--fail-if", "commits_per_s<-5%", "--format", "json"],
        &["audit", "run"],
        &["export", "run", "--format", "markdown"],
        &["export", "run", "--format", "json"],
        &["export", "run", "--format", "fio"],
    ];
    let arguments = Random::new(seed).one_of(&commands).copied().unwrap_or_default();
    ends_clearly(&lab, arguments).map_err(|why| format!("{why}: {what}"))
}

/// What a user has beside the run.
pub(super) fn of_a_user(lab: &Laboratory) {
    fs::create_dir(lab.path().join("user")).unwrap();
    for name in ["postgresql.conf", "my.cnf", "report.html"] {
        fs::write(lab.path().join("user").join(name), "wal_sync_method = fdatasync\n").unwrap();
    }
}

/// A command that ends in time and memory, with a documented code and at most one clear line, and changes nothing but
/// the run.
pub(super) fn ends_clearly(lab: &Laboratory, arguments: &[&str]) -> Result<(), String> {
    let before = outside(lab);
    let said = limited(lab, arguments).map_err(|why| format!("{arguments:?}: {why}"))?;
    let now = outside(lab);
    if before != now {
        return Err(format!("{arguments:?} changed what is not the run's: {before:?} {now:?}"));
    }
    is_clear(&said).map_err(|why| format!("{arguments:?}: {why}"))
}

/// Files beside the run directory, with their sizes and times.
fn outside(lab: &Laboratory) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    let mut files = BTreeMap::new();
    let mut directories = vec![lab.path().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let facts = fs::symlink_metadata(&path).unwrap();
            if path == lab.run_directory() || path == lab.path().join("said") {
                continue;
            }
            if facts.is_dir() {
                directories.push(path);
            } else {
                files.insert(path, (facts.size(), facts.modified().unwrap()));
            }
        }
    }
    files
}

struct Said {
    code: Option<i32>,
    status: String,
    stderr: String,
}

/// Runs a command in bounded memory and time.
fn limited(lab: &Laboratory, arguments: &[&str]) -> Result<Said, String> {
    let mut command = Command::new("sh");
    let limit = format!("ulimit -v {MEMORY_KIB} && exec \"$@\"");
    command
        .args(["-c", &limit, "sh", env!("CARGO_BIN_EXE_syncline")])
        .args(arguments)
        .current_dir(lab.path());
    let stderr = fs::File::create(lab.path().join("said")).unwrap();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
    let Some(status) = waiting::for_end(&mut child, DEADLINE) else {
        child.kill().unwrap();
        child.wait().unwrap();
        return Err(format!("it has not ended in {DEADLINE:?}"));
    };
    let stderr = String::from_utf8_lossy(&fs::read(lab.path().join("said")).unwrap()).into_owned();
    Ok(Said { code: status.code(), status: status.to_string(), stderr })
}

/// A documented exit code, and for an error one line that cannot control a terminal.
fn is_clear(said: &Said) -> Result<(), String> {
    let Said { code, status, stderr } = said;
    if !matches!(code, Some(0 | 1 | 2 | 3 | 98 | 99)) || stderr.contains("panicked") {
        return Err(format!("it ended with {status}: {stderr}"));
    }
    let errors = stderr.lines().filter(|line| line.starts_with("syncline: ")).count();
    if errors != usize::from(matches!(code, Some(1 | 2))) {
        return Err(format!("one clear line where it fails ({status}): {stderr}"));
    }
    match stderr.chars().find(|letter| letter.is_control() && *letter != '\n') {
        Some(letter) => Err(format!("{letter:?} reaches the terminal: {stderr:?}")),
        None => Ok(()),
    }
}
