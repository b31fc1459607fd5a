//! A call: the process of a command, its messages while it runs, and what ends it early.

use super::bounds::Bounds;
use super::moved::moved_bytes;
use crate::failure::Failure;
use crate::message::{Message, Step};
use disk::kernel::child::{self, DeathSignal};
use disk::kernel::executable::OWN;
use model::units::{format_bytes_approximate, format_elapsed};
use rmcp::schemars::JsonSchema;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long an end of the process, a cancellation or a bound may wait.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Reading the counters of all processes costs a millisecond of a CPU, so a measurement has it once a second.
const COUNT_EVERY: Duration = Duration::from_secs(1);
/// The largest document that is passed on. That of a run of all studies has a few megabytes.
const DOCUMENT_BYTES_MAX: u64 = 64 << 20;

/// Why a call was ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(crate = "rmcp::schemars")]
pub(super) enum Stopped {
    /// The client cancelled it, or is gone.
    Cancelled,
    /// It reached the server's --max-time.
    MaxTime,
    /// It reached the server's --max-bytes.
    MaxBytes,
}

impl Stopped {
    /// As a clause.
    pub(super) fn words(self, bounds: Bounds) -> String {
        match self {
            Self::Cancelled => "the client cancelled it".to_owned(),
            Self::MaxTime => {
                format!("it reached --max-time of this server, {}", format_elapsed(bounds.time.as_secs_f64()))
            }
            Self::MaxBytes => {
                let size = format_bytes_approximate(bounds.bytes as f64);
                format!("it reached --max-bytes of this server, {size}")
            }
        }
    }
}

/// A command that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// Standard output.
    pub(super) output: Vec<u8>,
    pub(super) remarks: Vec<String>,
    pub(super) errors: Vec<String>,
    pub(super) stopped: Option<Stopped>,
}

/// Runs a command of this program in a directory. The calling thread has to live until it has ended: the kernel
/// interrupts the command if the thread ends.
pub(super) fn conduct(
    words: &[OsString],
    directory: &Path,
    bounds: Bounds,
    is_over: &dyn Fn() -> bool,
    mut step: impl FnMut(Step) + Send,
) -> Result<Ended, Failure> {
    let mut command = Command::new(OWN);
    command.args(words).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        child::spawn(command, None, DeathSignal::Interrupt, Vec::new()).map_err(Failure::runtime)?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let output = scope.spawn(|| document(output));
        let messages = scope.spawn(|| messages(errors, &mut step));
        let (status, stopped) = supervise(&mut child, bounds, is_over)?;
        // A thread that only reads does not panic.
        let output = output.join().unwrap_or_default();
        let (remarks, errors) = messages.join().unwrap_or_default();
        Ok(Ended { status, output, remarks, errors, stopped })
    })
}

/// Waits for the end; interrupts the process once if something ends it early.
fn supervise(
    child: &mut Child,
    bounds: Bounds,
    is_over: &dyn Fn() -> bool,
) -> Result<(ExitStatus, Option<Stopped>), Failure> {
    let (begun, mut counted) = (Instant::now(), Instant::now());
    let mut stopped = None;
    loop {
        if let Some(status) = child.try_wait().map_err(Failure::runtime)? {
            return Ok((status, stopped));
        }
        if stopped.is_none() {
            let is_due = counted.elapsed() >= COUNT_EVERY;
            stopped = if is_over() {
                Some(Stopped::Cancelled)
            } else if begun.elapsed() >= bounds.time {
                Some(Stopped::MaxTime)
            } else if is_due && moved_bytes(Path::new("/proc"), child.id()) >= bounds.bytes {
                Some(Stopped::MaxBytes)
            } else {
                None
            };
            if is_due {
                counted = Instant::now();
            }
            if stopped.is_some() {
                // Not yet waited for, so the number is still this process's. One that has just ended needs no signal.
                let _ = kill_process(Pid::from_child(child), Signal::INT);
            }
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Standard output, to its end: a process that nobody reads would wait.
fn document(output: Option<impl Read>) -> Vec<u8> {
    let Some(mut output) = output else { return Vec::new() };
    let mut document = Vec::new();
    // What cannot be read is missing from the document, which is then no JSON.
    let _ = output.by_ref().take(DOCUMENT_BYTES_MAX).read_to_end(&mut document);
    let _ = std::io::copy(&mut output, &mut std::io::sink());
    document
}

/// The remarks and errors; steps are passed on.
fn messages(errors: Option<impl Read>, step: &mut impl FnMut(Step)) -> (Vec<String>, Vec<String>) {
    let (mut remarks, mut failures) = (Vec::new(), Vec::new());
    for line in errors.into_iter().flat_map(|errors| BufReader::new(errors).split(b'\n')) {
        let Ok(line) = line else { break };
        match Message::of_line(&String::from_utf8_lossy(&line)) {
            Message::Progress(found) => step(found),
            Message::Remark(text) => remarks.push(text),
            Message::Error(text) => failures.push(text),
        }
    }
    (remarks, failures)
}
