//! A worker process: one request in, one reply out, killed at its deadline.

use crate::death;
use crate::watch::Watch;
use model::trial::{Pause, WorkerReply, WorkerRequest};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How a worker ended.
#[derive(Debug)]
pub enum Ended {
    /// It answered.
    Replied(Box<WorkerReply>),
    /// It was killed at its deadline.
    Killed,
    /// It ended without an answer; why, in one sentence.
    Died(String),
    /// The lab was asked to stop; nothing is recorded of it.
    Interrupted,
}

/// A worker's whole life.
#[derive(Debug)]
pub struct Asked {
    /// How it ended.
    pub ended: Ended,
    /// When it did not run although nothing kept it waiting.
    pub pauses: Vec<Pause>,
}

/// How to start a worker.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// Program and arguments; the program is this very binary, behind whatever prefix sets up its memory cap.
    pub command: Vec<String>,
    /// CPU it is pinned to from birth.
    pub cpu: Option<usize>,
}

/// How often a worker under way is looked after: deadline, interrupt.
const POLL: Duration = Duration::from_millis(50);
/// How often one is whose output has ended.
const ENDING_POLL: Duration = Duration::from_millis(1);
const STDERR_BYTES_MAX: u64 = 64 << 10;
const REPLY_BYTES_MAX: u64 = 64 << 20;

impl WorkerCommand {
    /// Starts a worker, hands it the request, waits for the reply.
    pub fn ask(&self, request: &WorkerRequest, deadline: Duration, interrupted: &AtomicBool) -> Asked {
        let mut watch = Watch::start();
        let kills_before = death::out_of_memory_kills();
        let ended = match self.spawn() {
            Ok(mut child) => {
                let output = Output::collect(&mut child, request, kills_before);
                attend(child, output, deadline, interrupted, &mut watch)
            }
            Err(error) => Ended::Died(format!("cannot start a worker process: {error}")),
        };
        Asked { ended, pauses: watch.finish() }
    }

    /// A child inherits the affinity of the thread that starts it: pinned from birth, before its first instruction.
    ///
    /// This very thread starts it, and lives on: a worker's parent-death signal comes when the thread that started it
    /// ends, not the process.
    fn spawn(&self) -> std::io::Result<Child> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Some(cpu) = self.cpu else { return command.spawn() };
        let own = sched_getaffinity(None)?;
        let mut pinned = CpuSet::new();
        if cpu < CpuSet::MAX_CPU {
            pinned.set(cpu);
        }
        sched_setaffinity(None, &pinned).map_err(|error| {
            std::io::Error::other(format!("cpu {cpu} cannot be used ({error}): choose another --cpu"))
        })?;
        let child = command.spawn();
        if let Err(error) = sched_setaffinity(None, &own) {
            child.map(|mut child| kill(&mut child))?;
            return Err(error.into());
        }
        child
    }
}

/// Waits until a worker has ended.
fn attend(
    mut child: Child,
    output: Output,
    deadline: Duration,
    interrupted: &AtomicBool,
    watch: &mut Watch,
) -> Ended {
    let started = Instant::now();
    let status = loop {
        // The end of its output is the end of a worker: until then the lab sleeps, it must not disturb the trial.
        let pause = if output.stdout.is_finished() { ENDING_POLL } else { POLL };
        let (is_interrupted, is_late) = (interrupted.load(Ordering::Relaxed), started.elapsed() > deadline);
        // After them: what a worker that is about to be ended was waiting in has been seen.
        watch.look(child.id(), POLL);
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if is_interrupted => {
                kill(&mut child);
                return Ended::Interrupted;
            }
            Ok(None) if is_late => {
                kill(&mut child);
                return Ended::Killed;
            }
            Ok(None) => output.wait(pause),
            Err(error) => {
                kill(&mut child);
                return Ended::Died(format!("cannot wait for the worker: {error}"));
            }
        }
    };
    if interrupted.load(Ordering::Relaxed) && !status.success() {
        return Ended::Interrupted;
    }
    output.reply(status)
}

fn kill(child: &mut Child) {
    // It may have ended by itself meanwhile: both calls then do nothing.
    let _ = child.kill();
    let _ = child.wait();
}

/// Threads that feed and drain the worker's pipes, so that neither side waits for the other.
struct Output {
    stdout: thread::JoinHandle<Vec<u8>>,
    stderr: thread::JoinHandle<Vec<u8>>,
    /// Told when standard output has ended.
    ended: mpsc::Receiver<()>,
    /// Processes that the kernel had ended for want of memory when the worker was started.
    kills_before: Option<u64>,
}

impl Output {
    fn collect(child: &mut Child, request: &WorkerRequest, kills_before: Option<u64>) -> Self {
        if let Some(mut stdin) = child.stdin.take() {
            // A worker that died early has closed its end; its status tells more than this error would.
            let _ = serde_json::to_writer(&mut stdin, request).map(|()| stdin.write_all(b"\n"));
        }
        let (tell, ended) = mpsc::channel();
        Self {
            stdout: drain(child.stdout.take(), REPLY_BYTES_MAX, Some(tell)),
            stderr: drain(child.stderr.take(), STDERR_BYTES_MAX, None),
            ended,
            kills_before,
        }
    }

    /// Waits for the end of the output, at most so long.
    fn wait(&self, pause: Duration) {
        if self.ended.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Disconnected) {
            thread::sleep(pause);
        }
    }

    fn reply(self, status: ExitStatus) -> Ended {
        let stdout = self.stdout.join().unwrap_or_default();
        let stderr = self.stderr.join().unwrap_or_default();
        if let (true, Ok(reply)) = (status.success(), serde_json::from_slice(&stdout)) {
            return Ended::Replied(Box::new(reply));
        }
        let stderr = String::from_utf8_lossy(&stderr);
        let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended with code {code} and no answer"),
            (None, Some(signal)) => format!(
                "was ended by {}",
                death::signal(signal, self.kills_before, death::out_of_memory_kills())
            ),
            (None, None) => "ended".to_owned(),
        };
        Ended::Died(format!("the worker {how}: {last}"))
    }
}

fn drain(
    pipe: Option<impl Read + Send + 'static>,
    bytes_max: u64,
    ended: Option<mpsc::Sender<()>>,
) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is what there is to show.
            let _ = pipe.take(bytes_max).read_to_end(&mut bytes);
        }
        if let Some(ended) = ended {
            // Nobody waits any more if the worker was killed.
            let _ = ended.send(());
        }
        bytes
    })
}
