//! A run that is killed again and again, and then resumed to its end.

use super::leftovers;
use super::workload::Workload;
use crate::laboratory::{Laboratory, waiting};
use hostile::random::Random;
use model::plan::Plan;
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

/// So old a work directory is removed that nobody marked: before, its maker may be about to.
const UNMARKED_AGE: Duration = Duration::from_secs(11);
/// Longer than a run of a second takes on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(10);

/// The process that is killed.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Lab,
    /// A worker, or what it started; soon after it the lab.
    Worker,
    Group,
}

/// Runs a workload's study, kills it at most so often, resumes it and looks at what there is. Returns how often it was
/// killed.
pub(super) fn live(workload: &Workload, seed: u64, kills: u32) -> Result<u32, String> {
    let run = Run::new(workload);
    let mut random = Random::new(seed);
    let mut recorded = Vec::new();
    let mut killed = 0;
    while killed < kills {
        let mut child = run.start();
        if let Some(status) = ended_within(&mut child, random.below(workload.span_ms)) {
            run.is_documented(status)?;
            break;
        }
        let victim = random.one_of(&[Victim::Lab, Victim::Worker, Victim::Group]).copied();
        let status = kill(victim.unwrap_or(Victim::Lab), child, workload.span_ms, &mut random);
        killed += 1;
        leftovers::wait_for_none(run.lab.path())?;
        leftovers::wait_for_none(&run.disk)?;
        recorded = run.kept(&recorded).map_err(|why| format!("after kill {killed} ({victim:?}): {why}"))?;
        if let Some(status) = status {
            run.is_documented(status)?;
        }
    }
    if run.holds_unmarked() {
        // Whoever starts keeps what may be another start's: only its age tells.
        sleep(UNMARKED_AGE);
    }
    let mut last = run.start();
    let ended = ended_within(&mut last, PATIENCE.as_millis() as usize);
    let Some(status) = ended else {
        last.kill().unwrap();
        return Err(format!("it has not ended in {PATIENCE:?}: {}", run.said()));
    };
    if !matches!(status.code(), Some(0 | 3)) {
        return Err(format!("it was not resumed to its end ({status}): {}", run.said()));
    }
    leftovers::wait_for_none(run.lab.path())?;
    leftovers::wait_for_none(&run.disk)?;
    run.kept(&recorded)?;
    run.is_complete()?;
    Ok(killed)
}

/// How a process ended, if it did so in time.
fn ended_within(child: &mut Child, milliseconds: usize) -> Option<ExitStatus> {
    waiting::for_end(child, Duration::from_millis(milliseconds as u64))
}

/// Kills; the status is that of a lab that came to its end without one of its workers.
fn kill(victim: Victim, mut child: Child, span_ms: usize, random: &mut Random) -> Option<ExitStatus> {
    let lab = Pid::from_child(&child);
    // What has ended meanwhile needs no signal.
    let mut status = None;
    match victim {
        Victim::Lab => drop(kill_process(lab, Signal::KILL)),
        Victim::Group => drop(kill_process_group(lab, Signal::KILL)),
        Victim::Worker => {
            let below = descendants(child.id());
            if let Some(worker) = random.one_of(&below).and_then(|pid| Pid::from_raw(pid.cast_signed())) {
                let _ = kill_process(worker, Signal::KILL);
            }
            status = ended_within(&mut child, random.below(span_ms));
            if status.is_none() {
                let _ = kill_process(lab, Signal::KILL);
            }
        }
    }
    child.wait().unwrap();
    status
}

/// The processes below one.
pub(super) fn descendants(of: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    let children: Vec<u32> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    let below: Vec<u32> = children.iter().flat_map(|child| descendants(*child)).collect();
    [children, below].concat()
}

/// A run directory, the disk that it measures, and what was printed.
struct Run {
    lab: Laboratory,
    disk: PathBuf,
    _reachable: Option<TempDir>,
}

impl Run {
    fn new(workload: &Workload) -> Self {
        let lab = Laboratory::new();
        fs::write(lab.path().join("study.toml"), workload.study).unwrap();
        let reachable = workload.is_servers.then(|| tempfile::tempdir().unwrap());
        if let Some(directory) = &reachable {
            fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        }
        let disk = reachable.as_ref().map_or_else(|| lab.disk(), |directory| directory.path().to_owned());
        Self { lab, disk, _reachable: reachable }
    }

    /// Begins the run, or continues it, in a process group of its own.
    fn start(&self) -> Child {
        let mut command = if self.lab.run_directory().join("plan.json").exists() {
            self.lab.syncline(&["run", "--resume", "run"])
        } else {
            let mut command =
                self.lab.syncline(&["run", "study.toml", "--out", "run", "--seed", "1", "--dir"]);
            // Under a budget no trial waits long for a disk that others keep busy; this one binds nothing else.
            command.arg(&self.disk).args(["--budget", "1h"]);
            command
        };
        let said = File::options().create(true).append(true).open(self.lab.path().join("said")).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).process_group(0).spawn().unwrap()
    }

    fn said(&self) -> String {
        let said = fs::read_to_string(self.lab.path().join("said")).unwrap_or_default();
        let last: Vec<&str> = said.lines().rev().take(5).collect();
        last.into_iter().rev().collect::<Vec<_>>().join(" / ")
    }

    /// A lab whose worker was killed ends as it does if a trial fails.
    fn is_documented(&self, status: ExitStatus) -> Result<(), String> {
        match status.code() {
            Some(0 | 1 | 3) => Ok(()),
            Some(_) | None => Err(format!("it ended with {status}: {}", self.said())),
        }
    }

    /// The whole lines of `trials.jsonl`, which begin with those that were there before.
    fn kept(&self, before: &[u8]) -> Result<Vec<u8>, String> {
        let mut now = fs::read(self.lab.run_directory().join("trials.jsonl")).unwrap_or_default();
        let whole = now.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        now.truncate(whole);
        if now.starts_with(before) {
            Ok(now)
        } else {
            Err(format!(
                "a record was lost: {} bytes before, {} now: {}",
                before.len(),
                now.len(),
                self.said()
            ))
        }
    }

    fn holds_unmarked(&self) -> bool {
        directories(&self.disk).iter().any(|directory| {
            let marker = directory.join("SYNCLINE-WORK-DIRECTORY");
            !fs::metadata(marker).is_ok_and(|marker| marker.len() > 0)
        })
    }

    /// Every trial of the plan has succeeded, and nothing is left on the disk.
    fn is_complete(&self) -> Result<(), String> {
        let text = fs::read_to_string(self.lab.run_directory().join("plan.json")).unwrap();
        let plan: Plan = serde_json::from_str(&text).unwrap();
        let expected: usize =
            plan.studies.iter().map(|study| study.rounds_total() as usize * study.trials_per_round()).sum();
        let last: BTreeMap<TrialKey, TrialRecord> =
            self.lab.records().into_iter().map(|record| (record.key.clone(), record)).collect();
        if last.len() != expected {
            return Err(format!("{} of {expected} trials are recorded: {}", last.len(), self.said()));
        }
        if let Some(record) = last.values().find(|record| record.outcome != TrialOutcome::Ok) {
            return Err(format!("{:?}: {:?}", record.key, record.outcome));
        }
        match directories(&self.disk) {
            left if left.is_empty() => Ok(()),
            left => Err(format!("left behind: {left:?}: {}", self.said())),
        }
    }
}

/// What is in a directory.
fn directories(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}
