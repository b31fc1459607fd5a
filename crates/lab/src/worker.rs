//! A worker process: a request in, a reply out, turns in between if it takes any; killed at its deadline.

use crate::death;
use crate::watch::Watch;
use model::trial::{Pause, WorkerReply, WorkerRequest};
use model::turns::TurnOrder;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
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
/// A worker that takes turns and is stopped by a signal is to be continued within this: the others do not wait longer.
const STOPPED_MAX: Duration = Duration::from_secs(1);
const STDERR_BYTES_MAX: u64 = 64 << 10;
const REPLY_BYTES_MAX: usize = 64 << 20;

impl WorkerCommand {
    /// Starts a worker and hands it the request.
    pub fn start(&self, request: &WorkerRequest) -> Result<Worker, Ended> {
        let kills_before = death::out_of_memory_kills();
        let cannot = |error: std::io::Error| Ended::Died(format!("cannot start a worker process: {error}"));
        let mut child = self.spawn().map_err(cannot)?;
        let mut orders = child.stdin.take();
        if let Some(orders) = &mut orders {
            // A worker that died early has closed its end; its status tells more than this error would.
            let _ = serde_json::to_writer(&mut *orders, request).map(|()| orders.write_all(b"\n"));
        }
        let replies = child.stdout.take();
        let stderr = drain(child.stderr.take());
        let watch = Watch::start();
        // Alone it may be continued whenever its user likes: the record says so.
        let takes_turns = matches!(request, WorkerRequest::Trial(spec) if spec.takes_turns);
        let stopped_max = takes_turns.then_some(STOPPED_MAX);
        // If no order follows, its input ends.
        let orders = orders.filter(|_| takes_turns);
        Ok(Worker {
            child,
            orders,
            replies,
            heard: Vec::new(),
            searched: 0,
            stderr,
            kills_before,
            watch,
            stopped_max,
        })
    }

    /// Asks a worker that takes no turns, until it has ended.
    pub fn ask(&self, request: &WorkerRequest, deadline: Duration, interrupted: &AtomicBool) -> Asked {
        match self.start(request) {
            Ok(mut worker) => match worker.hear(deadline, interrupted) {
                Ok(reply) => worker.end(reply, deadline, interrupted),
                Err(ended) => Asked { ended, pauses: worker.pauses() },
            },
            Err(ended) => Asked { ended, pauses: Vec::new() },
        }
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
            std::io::Error::other(format!("cpu {cpu} cannot be used ({error}): choose another one"))
        })?;
        let child = command.spawn();
        if let Err(error) = sched_setaffinity(None, &own) {
            child.map(|mut child| kill(&mut child))?;
            return Err(error.into());
        }
        child
    }
}

/// A worker that is alive. One that is dropped is killed.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    orders: Option<ChildStdin>,
    replies: Option<ChildStdout>,
    /// The part of its next line that has arrived, and how much of that is known to hold no end of a line.
    heard: Vec<u8>,
    searched: usize,
    stderr: thread::JoinHandle<Vec<u8>>,
    /// Processes that the kernel had ended for want of memory when it was started.
    kills_before: Option<u64>,
    watch: Watch,
    /// How long it may be stopped while others wait for it.
    stopped_max: Option<Duration>,
}

impl Worker {
    /// Gives it an order. One that has ended meanwhile is found out when it is listened to.
    pub fn tell(&mut self, order: &TurnOrder) {
        self.watch.resume();
        if let Some(orders) = &mut self.orders {
            let line = serde_json::to_vec(order).map(|mut line| {
                line.push(b'\n');
                line
            });
            // Its status tells more than this error would.
            let _ = line.map(|line| orders.write_all(&line));
        }
    }

    /// Looks after it from now on: until now nobody had to.
    pub(crate) fn attend(&mut self) {
        self.watch.resume();
    }

    /// Waits for its next reply: its output wakes the lab, which otherwise looks after it a few times a second. An
    /// error says how it ended without one.
    pub fn hear(&mut self, deadline: Duration, interrupted: &AtomicBool) -> Result<WorkerReply, Ended> {
        let started = Instant::now();
        loop {
            if let Some(reply) = self.next_line() {
                return serde_json::from_slice(&reply).map_err(|error| {
                    kill(&mut self.child);
                    Ended::Died(format!("unexpected message from the worker: {error}"))
                });
            }
            if interrupted.load(Ordering::Relaxed) {
                kill(&mut self.child);
                return Err(Ended::Interrupted);
            }
            if started.elapsed() > deadline {
                kill(&mut self.child);
                return Err(Ended::Killed);
            }
            if self.stopped_max.is_some_and(|most| self.watch.stopped() > most) {
                kill(&mut self.child);
                return Err(Ended::Died(STOPPED.to_owned()));
            }
            match self.listen() {
                Ok(true) => {}
                // Nothing follows: how it ended is in its status.
                Ok(false) => return Err(self.died(deadline, interrupted)),
                Err(error) => {
                    kill(&mut self.child);
                    return Err(Ended::Died(format!("cannot hear the worker: {error}")));
                }
            }
            self.watch.look(self.child.id(), POLL);
        }
    }

    /// Waits until a worker that has given its last reply has ended: only then the reply counts.
    pub fn end(mut self, reply: WorkerReply, deadline: Duration, interrupted: &AtomicBool) -> Asked {
        drop(self.orders.take());
        let ended = match self.status(deadline, interrupted) {
            Ok(status) if status.success() => Ended::Replied(Box::new(reply)),
            Ok(status) => self.explain(status),
            Err(ended) => ended,
        };
        Asked { ended, pauses: self.pauses() }
    }

    /// When it did not run although nothing kept it waiting.
    pub fn pauses(&mut self) -> Vec<Pause> {
        self.watch.finish()
    }

    /// The next whole line, if it has been heard.
    fn next_line(&mut self) -> Option<Vec<u8>> {
        let end = self.heard[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.heard.len();
            return None;
        };
        self.searched = 0;
        let rest = self.heard.split_off(end + 1);
        Some(std::mem::replace(&mut self.heard, rest))
    }

    /// Waits for output, at most [`POLL`], and takes it; `false` if there will be none.
    fn listen(&mut self) -> std::io::Result<bool> {
        let Some(replies) = &mut self.replies else { return Ok(false) };
        let timeout = Timespec { tv_sec: 0, tv_nsec: POLL.as_nanos() as i64 };
        let ready = match poll(&mut [PollFd::new(replies, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) => ready,
            Err(Errno::INTR) => 0,
            Err(error) => return Err(error.into()),
        };
        if ready == 0 {
            return Ok(true);
        }
        let mut bytes = [0; 8 << 10];
        let read = replies.read(&mut bytes)?;
        self.heard.extend_from_slice(&bytes[..read]);
        if self.heard.len() > REPLY_BYTES_MAX {
            return Err(std::io::Error::other("its reply is longer than any reply"));
        }
        Ok(read > 0)
    }

    /// How it ended without a reply.
    fn died(&mut self, deadline: Duration, interrupted: &AtomicBool) -> Ended {
        match self.status(deadline, interrupted) {
            Ok(status) => self.explain(status),
            Err(ended) => ended,
        }
    }

    /// Waits until it has ended.
    fn status(&mut self, deadline: Duration, interrupted: &AtomicBool) -> Result<ExitStatus, Ended> {
        let started = Instant::now();
        loop {
            let (is_interrupted, is_late) =
                (interrupted.load(Ordering::Relaxed), started.elapsed() > deadline);
            // After them: what a worker that is about to be ended was waiting in has been seen.
            self.watch.look(self.child.id(), POLL);
            match self.child.try_wait() {
                Ok(Some(status)) if is_interrupted && !status.success() => return Err(Ended::Interrupted),
                Ok(Some(status)) => return Ok(status),
                Ok(None) if is_interrupted => {
                    kill(&mut self.child);
                    return Err(Ended::Interrupted);
                }
                Ok(None) if is_late => {
                    kill(&mut self.child);
                    return Err(Ended::Killed);
                }
                Ok(None) => thread::sleep(ENDING_POLL),
                Err(error) => {
                    kill(&mut self.child);
                    return Err(Ended::Died(format!("cannot wait for the worker: {error}")));
                }
            }
        }
    }

    fn explain(&mut self, status: ExitStatus) -> Ended {
        let stderr = std::mem::replace(&mut self.stderr, thread::spawn(Vec::new)).join().unwrap_or_default();
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

impl Drop for Worker {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

const STOPPED: &str = "the worker was stopped by a signal (SIGSTOP or SIGTSTP) and not continued within a second: it \
                       was ended, so that the other trials of its round could go on";

fn kill(child: &mut Child) {
    // It may have ended by itself meanwhile: both calls then do nothing.
    let _ = child.kill();
    let _ = child.wait();
}

/// Takes what a worker writes to standard error, so that it never waits for a reader.
fn drain(pipe: Option<ChildStderr>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error is what there is to show.
            let _ = pipe.take(STDERR_BYTES_MAX).read_to_end(&mut bytes);
        }
        bytes
    })
}
