//! A running server of Syncline's own cluster. Dropping it ends it.

use crate::error::PostgresqlError;
use crate::installation::last_line;
use postgres::{Client, Config, NoTls};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Superuser and only user of a cluster of Syncline.
pub(crate) const USER: &str = "syncline";
const START_LIMIT: Duration = Duration::from_mins(1);
const START_PAUSE: Duration = Duration::from_millis(10);
const STOP_LIMIT: Duration = Duration::from_secs(10);
/// In good order: a checkpoint comes first, and its syncs wait for other users of the disk.
const GIVE_BACK_LIMIT: Duration = Duration::from_mins(1);

/// A server process and the way to its socket.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// The data directory, in which the socket is, open: its path may be longer than a socket's may be.
    directory: OwnedFd,
    files: ServerFiles,
}

/// Files of a server.
#[derive(Debug)]
pub(crate) struct ServerFiles {
    pub(crate) data: PathBuf,
    /// What it writes to standard error.
    pub(crate) log: PathBuf,
    /// Made when its data is given back.
    pub(crate) given_back: PathBuf,
    /// The content of that file: whose copy the data is.
    pub(crate) mark: String,
}

impl Server {
    pub(crate) fn await_ready(process: Child, files: ServerFiles) -> Result<Self, PostgresqlError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(&files.data, flags, Mode::empty());
        let directory = opened.map_err(|errno| PostgresqlError::on("open", &files.data)(errno.into()));
        let mut server = match directory {
            Ok(directory) => Self { process, directory, files },
            Err(error) => {
                end(process);
                return Err(error);
            }
        };
        let started = Instant::now();
        loop {
            if server.connect().is_ok() {
                return Ok(server);
            }
            if server.has_ended() || started.elapsed() > START_LIMIT {
                return Err(PostgresqlError::Start { why: server.last_words() });
            }
            thread::sleep(START_PAUSE);
        }
    }

    /// Connects as the cluster's only user.
    pub(crate) fn connect(&self) -> Result<Client, postgres::Error> {
        let socket_directory = format!("/proc/self/fd/{}", self.directory.as_raw_fd());
        Config::new().host_path(socket_directory).user(USER).dbname("postgres").connect(NoTls)
    }

    /// The directory that holds its files.
    pub fn data(&self) -> &Path {
        &self.files.data
    }

    /// Stops it by a fast shutdown with a checkpoint, and gives its data back to the next server. The caller has
    /// dropped what it made. A server that fails to shut down gives nothing back, as if it had been dropped.
    pub fn give_back(mut self) -> Result<(), PostgresqlError> {
        signal(&mut self.process, Signal::INT);
        match await_end(&mut self.process, GIVE_BACK_LIMIT) {
            Some(status) if status.success() => {
                let given_back = &self.files.given_back;
                fs::write(given_back, &self.files.mark).map_err(PostgresqlError::on("create", given_back))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Stops it by a fast shutdown with a checkpoint.
    pub(crate) fn shut_down(mut self) -> Result<(), PostgresqlError> {
        signal(&mut self.process, Signal::INT);
        match await_end(&mut self.process, GIVE_BACK_LIMIT) {
            Some(status) if status.success() => Ok(()),
            Some(_) | None => {
                Err(PostgresqlError::ServerGone { doing: "shut down".to_owned(), why: self.last_words() })
            }
        }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/.s.PGSQL.5432", self.directory.as_raw_fd()))
    }

    /// The process id of the postmaster.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Whether it is not there any more.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Why it ended, as its log says; the log's last line if it does not.
    pub fn last_words(&self) -> String {
        let log = fs::read(&self.files.log).unwrap_or_default();
        last_words(&String::from_utf8_lossy(&log))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        stop(&mut self.process);
    }
}

/// The last fatal message, with its hint behind it: a line of the log begins with a time and a process.
fn last_words(log: &str) -> String {
    let message =
        |line: &str, severity: &str| line.split_once(severity).map(|(_, text)| text.trim().to_owned());
    let mut lines = log.lines().rev();
    let mut hint = None;
    let fatal = lines.find_map(|line| {
        hint = message(line, " HINT: ").or_else(|| hint.take());
        message(line, " FATAL: ").or_else(|| message(line, " PANIC: "))
    });
    match (fatal, hint) {
        (Some(fatal), Some(hint)) => format!("{fatal} ({})", hint.trim_end_matches('.')),
        (Some(fatal), None) => fatal,
        (None, _) => last_line(log).to_owned(),
    }
}

fn end(mut process: Child) {
    stop(&mut process);
}

/// An immediate shutdown: what the cluster holds is not needed any more.
fn stop(process: &mut Child) {
    signal(process, Signal::QUIT);
    await_end(process, STOP_LIMIT);
    // Both calls do nothing if it has ended.
    let _ = process.kill();
    let _ = process.wait();
}

fn signal(process: &mut Child, signal: Signal) {
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid.filter(|_| matches!(process.try_wait(), Ok(None))) {
        // It may have ended by itself meanwhile.
        let _ = kill_process(pid, signal);
    }
}

/// How it ended; `None` if it has not when the time is over.
fn await_end(process: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let started = Instant::now();
    loop {
        match process.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if started.elapsed() < limit => thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Available values: fsync, fdatasync, open_sync, open_datasync." named no setting.
    #[test]
    fn a_refused_setting_is_named_with_its_hint() {
        let line =
            |severity: &str, text: &str| format!("2026-11-23 01:09:59.572 GMT [28265] {severity}:  {text}\n");
        let log = line("FATAL", "invalid value for parameter \"x\": \"y\"")
            + &line("HINT", "Available values: a, b.");
        assert_eq!(last_words(&log), "invalid value for parameter \"x\": \"y\" (Available values: a, b)");
        assert_eq!(last_words(&line("FATAL", "unrecognized")), "unrecognized");
        assert_eq!(last_words("cannot execute\n\n"), "cannot execute");
    }
}
