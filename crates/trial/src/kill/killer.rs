//! Starts the process, kills it, and judges what the recovering process finds.

use super::acknowledgements::Acknowledgements;
use super::settings::parameters;
use crate::refusal::Refusal;
use crate::site::Site;
use disk::kernel::executable;
use model::mechanism::Measured;
use model::trial::{TrialSpec, WorkerReply, WorkerRequest};
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The earliest time of the kill after the first acknowledgement; the latest is this plus the spread.
const KILL_EARLIEST: Duration = Duration::from_millis(5);
const KILL_SPAN_US: u64 = 45_000;
/// Syncline gives up a process that has acknowledged nothing after this time.
const FIRST_MAX: Duration = Duration::from_secs(20);
/// Keeps entries of the measured trial from being taken for those of the killed process.
const OTHER_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a kill showed.
#[derive(Debug, PartialEq)]
pub(crate) struct AfterKill {
    /// Acknowledged entries that are missing.
    pub(crate) lost: Measured<f64>,
    /// The reason, if the entries were not counted one by one.
    pub(crate) note: Option<String>,
}

/// Kills a process that appends as the trial does, and looks for the entries that it had acknowledged.
///
/// The result is unsupported if there was no kill, because nothing was acknowledged or the process ended by itself.
pub(crate) fn lost(spec: &TrialSpec) -> AfterKill {
    let spec = TrialSpec { parent_process: std::process::id(), seed: spec.seed ^ OTHER_SEED, ..spec.clone() };
    let after_kill = kill_and_recover(&spec);
    Acknowledgements::remove(&spec);
    after_kill.unwrap_or_else(|(Refusal::Failed(why) | Refusal::Unsupported(why))| AfterKill {
        lost: Measured::unsupported(why),
        note: None,
    })
}

fn kill_and_recover(spec: &TrialSpec) -> Result<AfterKill, Refusal> {
    let parameters = parameters(spec)?;
    let acknowledgements = Acknowledgements::create(spec, parameters.threads)?;
    let mut child = start(&WorkerRequest::Acknowledge(spec.clone()))?;
    let waited = wait_for_first(&acknowledgements, &mut child);
    if waited.is_ok() {
        thread::sleep(KILL_EARLIEST + Duration::from_micros(spec.seed % KILL_SPAN_US));
    }
    let killed = kill(child);
    waited?;
    killed?;
    let output = start(&WorkerRequest::Recover(spec.clone()))?.wait_with_output().map_err(Refusal::failed)?;
    if parameters.file().is_some() {
        give_back(&Site::find(spec)?);
    }
    Ok(judge(acknowledgements.by_thread().sum(), &output.stdout))
}

/// A store that can no longer be read has lost everything that was acknowledged, whatever the cause: it does not open,
/// a read fails, or the recovering process dies.
fn judge(acknowledged: u64, answer: &[u8]) -> AfterKill {
    let why = match serde_json::from_slice(answer) {
        Ok(WorkerReply::Recovered { missing, .. }) => {
            return AfterKill { lost: Measured::Value(missing as f64), note: None };
        }
        Ok(WorkerReply::Failed { why } | WorkerReply::Unsupported { why }) => why,
        Ok(
            WorkerReply::Prepared { .. }
            | WorkerReply::Measured(_)
            | WorkerReply::Waiting { .. }
            | WorkerReply::Turned(_),
        )
        | Err(_) => "the process that recovers gave no answer".to_owned(),
    };
    let note = format!(
        "after a kill the store cannot be read, so all {acknowledged} acknowledged entries count as lost: {why}"
    );
    AfterKill { lost: Measured::Value(acknowledged as f64), note: Some(note) }
}

/// Kills the process. If it has ended by itself, it was not killed: an engine may have written everything before it
/// exited, so the files prove nothing.
fn kill(mut child: Child) -> Result<(), Refusal> {
    let has_ended = child.try_wait().map_err(Refusal::failed)?.is_some();
    let _ = child.kill();
    let output = child.wait_with_output().map_err(Refusal::failed)?;
    if !has_ended {
        return Ok(());
    }
    let why = match serde_json::from_slice(&output.stdout) {
        Ok(WorkerReply::Failed { why } | WorkerReply::Unsupported { why }) => why,
        Ok(
            WorkerReply::Prepared { .. }
            | WorkerReply::Recovered { .. }
            | WorkerReply::Measured(_)
            | WorkerReply::Waiting { .. }
            | WorkerReply::Turned(_),
        )
        | Err(_) => "it gave no reason".to_owned(),
    };
    Err(Refusal::Failed(format!("the process ended before it was killed: {why}")))
}

fn start(request: &WorkerRequest) -> Result<Child, Refusal> {
    let mut command = Command::new(executable::OWN);
    command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(Refusal::failed)?;
    let stdin = child.stdin.take().ok_or_else(|| Refusal::Failed("the process has no input".to_owned()))?;
    serde_json::to_writer(stdin, request).map_err(Refusal::failed)?;
    Ok(child)
}

fn wait_for_first(acknowledgements: &Acknowledgements, child: &mut Child) -> Result<(), Refusal> {
    let started = Instant::now();
    while acknowledgements.by_thread().all(|entries| entries == 0) {
        let has_ended = child.try_wait().map_err(Refusal::failed)?.is_some();
        if has_ended {
            // `kill` reports the reason.
            return Ok(());
        }
        if started.elapsed() > FIRST_MAX {
            return Err(Refusal::Failed("the process to be killed acknowledged nothing".to_owned()));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Shrinks a file that grew until the kill to the size that its trial has room for, because the next file of its size
/// is made from it.
fn give_back(site: &Site) {
    for need in site.files() {
        let kept = if need.layout.is_reusable() { need.size_bytes } else { 0 };
        // If the file is gone or cannot be shrunk, the next preparation creates it or reports that; the number of lost
        // entries is known.
        let _ = File::options().write(true).open(site.path(need)).and_then(|file| file.set_len(kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_are_missed_one_by_one_are_the_figure() {
        let answer = serde_json::to_vec(&WorkerReply::Recovered { acknowledged: 500, missing: 3 }).unwrap();
        assert_eq!(judge(500, &answer), AfterKill { lost: Measured::Value(3.0), note: None });
    }

    /// The worst outcome, a store that does not open, once produced no figure at all.
    #[test]
    fn a_store_that_cannot_be_read_after_a_kill_has_lost_everything() {
        let failed = WorkerReply::Failed { why: "redb: open: corrupted".to_owned() };
        let unsupported = WorkerReply::Unsupported { why: "not now".to_owned() };
        for (answer, why) in [
            (serde_json::to_vec(&failed).unwrap(), "redb: open: corrupted"),
            (serde_json::to_vec(&unsupported).unwrap(), "not now"),
            (b"{\"recovered\":{\"ackn".to_vec(), "gave no answer"),
            (Vec::new(), "gave no answer"),
        ] {
            let after_kill = judge(500, &answer);
            assert_eq!(after_kill.lost, Measured::Value(500.0));
            let note = after_kill.note.unwrap();
            assert!(
                note.contains("all 500 acknowledged entries count as lost") && note.ends_with(why),
                "{note}"
            );
        }
    }
}
