//! A server's process: started, awaited, killed with all that it started.

use crate::{Client, Home, Programs, Server, ServerError};
use disk::kernel::child::{self, DeathSignal};
use rustix::process::{Pid, Signal, kill_process};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const START_PAUSE: Duration = Duration::from_millis(2);
const END_LIMIT: Duration = Duration::from_secs(20);
const END_PAUSE: Duration = Duration::from_millis(2);
/// How the names of PostgreSQL's POSIX shared memory begin (`dsm_impl.c`); Linux has them as files.
const POSTGRESQL_SEGMENT: &str = "/dev/shm/PostgreSQL.";

/// A running server. Dropping it kills it.
pub struct Running<'s> {
    server: &'s dyn Server,
    home: &'s Home,
    process: Child,
}

impl<'s> Running<'s> {
    /// Starts a server on a home and waits until it answers, at most `limit`. It ends with the calling thread.
    pub fn start(
        server: &'s dyn Server,
        programs: &Programs,
        home: &'s Home,
        settings: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Self, ServerError> {
        Self::start_in(Vec::new(), server, programs, home, settings, limit)
    }

    /// The same with its processes in the control groups whose `cgroup.procs` are given.
    pub fn start_in(
        entrances: Vec<File>,
        server: &'s dyn Server,
        programs: &Programs,
        home: &'s Home,
        settings: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Self, ServerError> {
        let mut running = Self::begin_in(entrances, server, programs, home, settings)?;
        running.await_ready(limit)?;
        Ok(running)
    }

    /// Starts a server and does not wait.
    pub fn begin(
        server: &'s dyn Server,
        programs: &Programs,
        home: &'s Home,
        settings: &[(&str, &str)],
    ) -> Result<Self, ServerError> {
        Self::begin_in(Vec::new(), server, programs, home, settings)
    }

    fn begin_in(
        entrances: Vec<File>,
        server: &'s dyn Server,
        programs: &Programs,
        home: &'s Home,
        settings: &[(&str, &str)],
    ) -> Result<Self, ServerError> {
        let path = home.log();
        let log = File::create(&path).map_err(ServerError::on("create", &path))?;
        let again = log.try_clone().map_err(ServerError::on("open", &path))?;
        // The socket of a killed server is in the way of the next.
        let _ = fs::remove_file(home.socket());
        server.configure(home, settings)?;
        let mut command = server.command(programs, home, settings);
        command.stdout(again).stderr(log);
        own_shared_memory();
        let account = home.account().filter(|_| !server.is_ours());
        let process = child::spawn(command, account, server.death_signal(), entrances)?;
        Ok(Self { server, home, process })
    }

    /// Waits until it answers.
    pub fn await_ready(&mut self, limit: Duration) -> Result<(), ServerError> {
        let begun = Instant::now();
        loop {
            let Err(why) = self.server.connect(self.home) else { return Ok(()) };
            let server = self.server.title();
            if self.has_ended() {
                return Err(ServerError::Start { server, why: self.last_words() });
            }
            if begun.elapsed() > limit {
                return Err(ServerError::NoAnswer { server, seconds: limit.as_secs(), why: why.to_string() });
            }
            thread::sleep(START_PAUSE);
        }
    }

    /// A new connection.
    pub fn connect(&self) -> Result<Box<dyn Client>, ServerError> {
        self.server.connect(self.home)
    }

    /// Whether its main process is not there any more.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// The process id of its main process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Stops all that it does, until [`Running::resume`]: its threads stand still, after the system call that each has
    /// begun.
    pub fn pause(&self) -> Result<(), ServerError> {
        self.signal("pause", Signal::STOP)
    }

    /// Lets it go on.
    pub fn resume(&self) -> Result<(), ServerError> {
        self.signal("resume", Signal::CONT)
    }

    fn signal(&self, operation: &'static str, signal: Signal) -> Result<(), ServerError> {
        let Some(pid) = Pid::from_raw(self.process.id() as i32) else { return Ok(()) };
        let process = PathBuf::from(format!("/proc/{}", self.process.id()));
        kill_process(pid, signal).map_err(|errno| ServerError::on(operation, &process)(errno.into()))
    }

    /// The lines of its log in which it complains.
    pub fn complaints(&self) -> Vec<String> {
        let log = fs::read(self.home.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        log.lines().filter(|line| self.server.is_complaint(line)).map(str::to_owned).collect()
    }

    /// Why it ended: the first complaint of its log, from which the others follow, or its last line.
    pub fn last_words(&self) -> String {
        let log = fs::read(self.home.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let complaint = log.lines().find(|line| self.server.is_complaint(line));
        let last = || log.lines().rev().find(|line| !line.trim().is_empty());
        complaint.or_else(last).unwrap_or("it said nothing").trim().to_owned()
    }

    /// Lets it end in good order.
    pub fn shut_down(mut self) -> Result<(), ServerError> {
        if let Some(pid) = Pid::from_raw(self.process.id() as i32) {
            // It may have ended by itself meanwhile.
            let _ = kill_process(pid, self.server.stop_signal());
        }
        if self.await_end(END_LIMIT) {
            return Ok(());
        }
        Err(ServerError::Refused { server: self.server.title(), why: "it does not end".to_owned() })
    }

    fn await_end(&mut self, limit: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if self.has_ended() {
                return true;
            }
            thread::sleep(END_PAUSE);
        }
        false
    }

    /// Kills it at once, with every process that it started: nothing is written after this returns.
    pub fn kill(&mut self) {
        let main = Pid::from_raw(self.process.id() as i32);
        // Stopped, it starts no more of them while they are looked for.
        main.map(|main| kill_process(main, Signal::STOP));
        let family = descendants(self.process.id());
        let left_behind = dynamic_shared_memory(&family, self.process.id());
        let _ = self.process.kill();
        let _ = self.process.wait();
        for pid in family.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            let _ = kill_process(pid, Signal::KILL);
        }
        let begun = Instant::now();
        while begun.elapsed() < END_LIMIT && family.iter().any(|pid| is_alive(*pid)) {
            thread::sleep(END_PAUSE);
        }
        for segment in left_behind {
            // One of them may have been removed meanwhile by the process that made it.
            let _ = fs::remove_file(segment);
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}

thread_local! {
    /// Whether this thread's servers have shared memory of their own.
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// PostgreSQL marks its data directory by a few bytes of System V memory, which a killed server leaves behind. The
/// servers of one thread share them, so that one of them meets the mark of another.
fn own_shared_memory() {
    if !OWN.replace(true) {
        // Without root the mark stays until the machine restarts.
        let _ = disk::kernel::scheduling::private_shared_memory();
    }
}

/// The segments of PostgreSQL's dynamic shared memory that these processes have mapped. A killed server leaves them
/// behind, and only one that starts again on the same data removes them.
fn dynamic_shared_memory(family: &[i32], main: u32) -> BTreeSet<PathBuf> {
    let pids = family.iter().copied().chain([main as i32]);
    let maps = pids.filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/maps")).ok());
    let of_process = |maps: String| -> Vec<PathBuf> {
        let segments = maps.lines().filter_map(|line| line.find(POSTGRESQL_SEGMENT).map(|at| &line[at..]));
        segments.map(PathBuf::from).collect()
    };
    maps.flat_map(of_process).collect()
}

/// The processes below one, by the parent of every process (proc_pid_stat(5)).
fn descendants(pid: u32) -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let parents: Vec<(i32, i32)> = pids.filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = vec![pid as i32];
    let mut place = 0;
    while let Some(above) = found.get(place).copied() {
        found.extend(parents.iter().filter(|(_, parent)| *parent == above).map(|(pid, _)| *pid));
        place += 1;
    }
    found.split_off(1)
}

/// State and parent come behind the name in brackets.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Whether a process is there and is not a zombie: state, after the name in brackets (proc_pid_stat(5)).
fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    state.is_some_and(|state| !matches!(state, "Z" | "X"))
}

/// Runs a program to its end as the server's user.
pub(crate) fn run(
    server: &'static str,
    mut command: Command,
    home: &Home,
    input: Option<File>,
) -> Result<(), ServerError> {
    command.stdin(input.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_shared_memory();
    let program = command.get_program().to_owned();
    let process = child::spawn(command, home.account(), DeathSignal::Kill, Vec::new())?;
    let output = process.wait_with_output().map_err(ServerError::on("wait for", program.as_ref()))?;
    let Output { status, stdout, stderr } = output;
    if status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(if stderr.is_empty() { &stdout } else { &stderr }).into_owned();
    // What it says after its first error follows from it.
    let first = said.lines().find(|line| line.to_lowercase().contains("error"));
    let last = || said.lines().rev().find(|line| !line.trim().is_empty());
    let why = first.or_else(last).unwrap_or("it said nothing");
    Err(ServerError::Initialise { server, why: why.trim().to_owned() })
}
