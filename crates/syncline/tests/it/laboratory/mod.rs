//! What the tests of the binary share: a directory on the real disk, a study that takes a second, the program.

#![allow(dead_code, reason = "each test file uses a part of this")]

pub(crate) mod calm;
pub(crate) mod made_up;
pub(crate) mod observing;
pub(crate) mod servers;
pub(crate) mod trial;
pub(crate) mod waiting;

use model::trial::TrialRecord;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Two configurations of forty commits: enough for a median, whatever the disk.
pub(crate) const STUDY: &str = r#"
question = "Does the program work?"
workload = "commit"
baseline = { mode = "buffered" }
[factors]
mode = ["buffered", "direct"]
[fixed]
record_size = "4KiB"
read_depth = 4
reads_per_commit = 2
data_size = "8MiB"
wal_size = "4MiB"
groups = 40
runtime = "0s"
[[ask]]
compare = "mode"
on = ["commits_per_s", "commit_latency_p50"]
[profile.quick]
rounds = 2
[profile.long]
rounds = 40
"#;

/// A budget that ends no run here. Under one a trial waits for a device that other tests keep busy for a fifth of a
/// second at most, and not for three. A study of six rounds or more may end after more of them.
pub(crate) const WITHOUT_WAITING: [&str; 2] = ["--budget", "1h"];

/// The user and the group nobody.
const NOBODY: u32 = 65_534;

/// The engines of the default features as arms of a study, by levels that no put waits for.
pub(crate) const ENGINE_ARMS: &str = r#"
[[arm]]
name = "fjall"
engine = "fjall"
durability = "buffer"
[[arm]]
name = "lmdb"
engine = "lmdb"
durability = "nosync"
[[arm]]
name = "redb"
engine = "redb"
durability = "none"
[[arm]]
name = "sqlite"
engine = "sqlite"
durability = "normal"
[[arm]]
name = "store"
engine = "store"
durability = "process"
"#;

/// A directory of its own on the disk that cargo builds on, with `disk/` to measure and a study file.
pub(crate) struct Laboratory {
    directory: TempDir,
}

impl Laboratory {
    pub(crate) fn new() -> Self {
        Self::below(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    fn below(parent: &Path) -> Self {
        let directory = tempfile::tempdir_in(parent).unwrap();
        fs::create_dir(directory.path().join("disk")).unwrap();
        fs::write(directory.path().join("tiny.toml"), STUDY).unwrap();
        Self { directory }
    }

    /// The same where every user may go, for [`Laboratory::unprivileged`]: what cargo builds in may be closed to
    /// others. `/var/tmp` is on a disk also if `/tmp` is in memory.
    pub(crate) fn open_to_all() -> Self {
        let laboratory = Self::below(Path::new("/var/tmp"));
        for path in [laboratory.path(), &laboratory.disk()] {
            fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
        }
        laboratory
    }

    /// `syncline …` in this directory by the user nobody; `None`, with the reason printed, if only root can become
    /// that.
    pub(crate) fn unprivileged(&self, arguments: &[&str]) -> Option<Command> {
        if !rustix::process::geteuid().is_root() {
            skip::because("to become another user needs root");
            return None;
        }
        let mut command = Command::new(program_for_anyone(self.path()));
        command.args(arguments).current_dir(self.path()).uid(NOBODY).gid(NOBODY);
        command.env_remove("HOME").env_remove("XDG_RUNTIME_DIR");
        Some(command)
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn disk(&self) -> PathBuf {
        self.path().join("disk")
    }

    pub(crate) fn run_directory(&self) -> PathBuf {
        self.path().join("run")
    }

    /// `syncline …` in this directory.
    pub(crate) fn syncline(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncline"));
        // What the user of this machine prefers is not what is tested.
        command
            .args(arguments)
            .current_dir(self.path())
            .env("XDG_CONFIG_HOME", self.path().join("configuration"));
        command
    }

    /// `syncline run tiny.toml --dir disk --out run …`.
    pub(crate) fn run(&self, more: &[&str]) -> Command {
        let mut command = self.syncline(&["run", "tiny.toml", "--dir", "disk", "--out", "run"]);
        command.args(WITHOUT_WAITING).args(more);
        command
    }

    /// Nothing of Syncline's is left on the disk that was measured.
    pub(crate) fn assert_clean(&self) {
        let left: Vec<_> =
            fs::read_dir(self.disk()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    /// Every record of the run `run`.
    pub(crate) fn records(&self) -> Vec<TrialRecord> {
        self.records_of("run")
    }

    /// Every record of a run by its directory's name; one that is being written is none yet.
    pub(crate) fn records_of(&self, run: &str) -> Vec<TrialRecord> {
        let text = fs::read_to_string(self.path().join(run).join("trials.jsonl")).unwrap();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs this study, one trial after another so that figures count every operation, and gives the records.
    pub(crate) fn measure(&self, study: &str) -> Vec<TrialRecord> {
        self.measure_with(study, "off")
    }

    /// The same, its trials in turns as far as they can.
    pub(crate) fn measure_in_turns(&self, study: &str) -> Vec<TrialRecord> {
        self.measure_with(study, "auto")
    }

    fn measure_with(&self, study: &str, interleave: &str) -> Vec<TrialRecord> {
        fs::write(self.path().join("study.toml"), study).unwrap();
        let arguments = ["run", "study.toml", "--dir", "disk", "--out", "run", "--seed", "1"];
        let mut command = self.syncline(&arguments);
        let output = command.args(["--interleave", interleave]).args(WITHOUT_WAITING).output().unwrap();
        // An audit may fail on a busy machine; the measurement itself must not.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
        self.assert_clean();
        self.records()
    }

    /// What a command wrote, with `[dir]` in the place of this directory's path.
    pub(crate) fn lines(&self, written: &[u8]) -> String {
        String::from_utf8_lossy(written).replace(&*self.path().to_string_lossy(), "[dir]")
    }

    /// Whole lines of `trials.jsonl`.
    pub(crate) fn trials(&self) -> usize {
        let text = fs::read_to_string(self.run_directory().join("trials.jsonl")).unwrap_or_default();
        text.matches('\n').count()
    }
}

/// Holds the disk that all tests share against other tests of `syncline watch`: one at a time probes a disk. `None`,
/// with the reason recorded, if this machine's own service watches it.
pub(crate) fn watching() -> Option<MutexGuard<'static, ()>> {
    static DISK: Mutex<()> = Mutex::new(());
    let held = DISK.lock().unwrap_or_else(PoisonError::into_inner);
    let disk = watch::load::whole_disk(Path::new(env!("CARGO_TARGET_TMPDIR")));
    if let Err(in_use) = watch::disk_lock::hold(&disk) {
        skip::because(in_use);
        return None;
    }
    Some(held)
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of the program in a directory that everybody may enter, for a test that becomes another user: the build's own
/// directory may be closed to it, and so may that of the RocksDB it is linked with, which it finds beside itself.
pub(crate) fn program_for_anyone(directory: &Path) -> PathBuf {
    let program = directory.join("syncline");
    fs::copy(env!("CARGO_BIN_EXE_syncline"), &program).unwrap();
    let library = option_env!("ROCKSDB_LIB_DIR").map(|directory| Path::new(directory).join("librocksdb.so"));
    if let Some(library) = library.filter(|library| library.exists()) {
        fs::copy(library, directory.join("librocksdb.so")).unwrap();
    }
    program
}

/// `fio …` in this directory; `None`, with the reason printed, if fio is not installed.
pub(crate) fn fio(laboratory: &Laboratory, arguments: &[&str]) -> Option<Output> {
    let output = Command::new("fio").args(arguments).current_dir(laboratory.path()).output().ok();
    if output.is_none() {
        skip::because("fio is not installed (make tools)");
    }
    output
}

/// Both outputs as text, for messages.
pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A command that must fail with this code and this one line after the name of the program; nothing is left behind.
#[track_caller]
pub(crate) fn refuses(laboratory: &Laboratory, command: &mut Command, code: i32, expected: &str) {
    let output = command.output().unwrap();
    let stderr = laboratory.lines(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    let is_prefixed = |line: &&str| line.starts_with("syncline: ") || line.starts_with("error: ");
    let prefixed: Vec<&str> = stderr.lines().filter(is_prefixed).collect();
    let [line] = prefixed[..] else { panic!("one clear line, not: {stderr}") };
    assert_line(line.split_once(": ").unwrap().1, expected);
    laboratory.assert_clean();
}

/// Whether a line is the expected one, in which `[..]` stands for what this machine or this moment decides.
pub(crate) fn is_line(line: &str, expected: &str) -> bool {
    let Some((before, after)) = expected.split_once("[..]") else { return line == expected };
    line.strip_prefix(before).is_some_and(|rest| {
        (0..=rest.len()).any(|at| rest.get(at..).is_some_and(|rest| is_line(rest, after)))
    })
}

/// A line is the expected one.
#[track_caller]
pub(crate) fn assert_line(line: &str, expected: &str) {
    assert!(is_line(line, expected), "{line}\nis not: {expected}");
}

/// Every line that a command printed on standard error, with `[dir]` in the place of the laboratory's path.
pub(crate) fn remarks(laboratory: &Laboratory, output: &Output) -> Vec<String> {
    laboratory.lines(&output.stderr).lines().map(str::to_owned).collect()
}

/// One line of what a command prints is this one.
#[track_caller]
pub(crate) fn prints(laboratory: &Laboratory, output: &Output, expected: &str) {
    let printed = laboratory.lines(text(output).as_bytes());
    assert!(printed.lines().any(|line| is_line(line, expected)), "{printed}\nhas no line: {expected}");
}
