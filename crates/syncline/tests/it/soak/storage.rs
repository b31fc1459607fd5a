//! A file system that is frozen and a device that answers with errors, under a whole run: an ext4 on a loop device, in
//! a mount namespace that ends with the run.

use super::kills;
use crate::laboratory::{Laboratory, STUDY, text, waiting};
use lab::run_directory::RunFiles;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

const IMAGE_BYTES: u64 = 64 << 20;

/// Starts the study on an ext4 of its own, mounted at `disk` with the image beside it. `None`, with the reason printed,
/// if nobody may mount.
fn start_on_a_loop_device(lab: &Laboratory, rounds: u32) -> Option<Child> {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
        return None;
    }
    fs::File::create(lab.path().join("image")).unwrap().set_len(IMAGE_BYTES).unwrap();
    let script = "mkfs.ext4 -q -F image && mount -o loop,nodiscard image disk || exit 77\nexec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_syncline"), "run", "tiny.toml"]);
    command.args(["--dir", "disk", "--out", "run", "--rounds", &rounds.to_string()]);
    let piped = command.stdout(Stdio::null()).stderr(Stdio::piped()).current_dir(lab.path());
    Some(piped.spawn().unwrap())
}

/// How it ended; `None`, with the reason printed, if nothing can be mounted.
fn ended(run: Child) -> Option<Output> {
    let output = run.wait_with_output().unwrap();
    if output.status.code() == Some(77) {
        skip::because(format_args!("nothing can be mounted here: {}", text(&output)));
        return None;
    }
    Some(output)
}

/// The image loses its end while the run goes on: the device answers reads behind it with EIO.
#[test]
fn a_device_that_answers_with_errors_fails_its_trials_and_not_the_run() {
    let lab = Laboratory::new();
    let Some(mut run) = start_on_a_loop_device(&lab, 4) else { return };
    assert!(waiting::for_trials(&lab, 3, &mut run), "it ended by itself");
    fs::File::options().write(true).open(lab.path().join("image")).unwrap().set_len(1 << 20).unwrap();
    let Some(output) = ended(run) else { return };
    let said = text(&output);
    assert!(matches!(output.status.code(), Some(1 | 3)), "{said}");
    let records = lab.records();
    let failed =
        |record: &&model::trial::TrialRecord| matches!(record.outcome, model::trial::TrialOutcome::Failed(_));
    assert!(records.iter().any(|record| failed(&record)), "{said}");
    assert!(records.iter().filter(|record| !failed(record)).count() >= 3, "what was measured before is kept");
}

/// Freezes the file system once under every process of a run that writes, for longer than its trial was to take: no
/// process is stopped and the device has nothing to do, yet the run has to say that its time has a hole. `make soak`
/// alone does it, because a machine that is busy enough may miss the moment.
pub(super) fn freeze() -> Result<(), String> {
    let lab = Laboratory::new();
    let timed = STUDY.replace("groups = 40\nruntime = \"0s\"", "groups = 0\nruntime = \"1s\"");
    fs::write(lab.path().join("tiny.toml"), timed).unwrap();
    let Some(mut run) = start_on_a_loop_device(&lab, 1) else { return Ok(()) };
    let mut frozen = BTreeSet::new();
    while run.try_wait().unwrap().is_none() {
        for pid in kills::descendants(run.id()).into_iter().filter(|pid| writes(*pid)) {
            if frozen.insert(pid) {
                let disk = format!("/proc/{pid}/root{}", lab.disk().display());
                if Command::new("fsfreeze").args(["-f", &disk]).status().is_ok_and(|status| status.success())
                {
                    // How long the disk answers nothing is what is tested.
                    sleep(Duration::from_secs(3));
                    // Through the lab's own namespace: the worker may have been killed meanwhile.
                    let disk = format!("/proc/{}/root{}", run.id(), lab.disk().display());
                    let thawed = Command::new("fsfreeze").args(["-u", &disk]).status();
                    assert!(thawed.unwrap().success(), "{disk} stays frozen");
                }
            }
        }
        // That a process has begun to write is in its counters only.
        sleep(Duration::from_millis(1));
    }
    let Some(output) = ended(run) else { return Ok(()) };
    let run = RunFiles::open(&lab.run_directory())
        .and_then(|files| files.run())
        .map_err(|error| error.to_string())?;
    let audits = verdict::analyse(&run, &|_| None).studies.remove(0).audits;
    let failed =
        |audit: &verdict::Audit| audit.name == "interruption" && audit.status == verdict::Status::Fail;
    match output.status.code() {
        Some(3) if audits.iter().any(failed) => Ok(()),
        code => Err(format!(
            "frozen under {} processes, and it ended with {code:?}: {}",
            frozen.len(),
            text(&output)
        )),
    }
}

/// Whether a process has had something written by now.
fn writes(pid: u32) -> bool {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let written = io.lines().find_map(|line| line.strip_prefix("write_bytes: ")?.parse::<u64>().ok());
    written.is_some_and(|bytes| bytes >= 16 << 10)
}
