//! What every server does, and what it says about itself.

use crate::{Home, Programs, Row, ServerError, Write};
use disk::kernel::child::DeathSignal;
use model::{Promise, PromiseTable, RequestAction};
use rustix::process::Signal;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most rows that one transaction writes, on a server with transactions.
pub(crate) const ROWS_OF_A_TRANSACTION: usize = 50;

/// A database server. Everything that is the same for all of them (the process, its user, waiting, killing) is in
/// [`Running`](crate::Running).
pub trait Server: Send + Sync {
    /// As `--for` has it.
    fn name(&self) -> &'static str;

    /// As its makers write it.
    fn title(&self) -> &'static str;

    /// What it promises by which settings, strongest first: those that a proof compares settings with, if it has such a
    /// table.
    fn promises(&self) -> Vec<Promise> {
        PromiseTable::of(self.name()).map(PromiseTable::promises).unwrap_or_default()
    }

    /// The most rows that one transaction writes; 1 for a server without transactions.
    fn rows_at_once(&self) -> usize {
        1
    }

    /// Whether it is a program of Syncline's own, which runs as the caller does.
    fn is_ours(&self) -> bool {
        false
    }

    /// Its programs on this machine; `trees` is a folder of trees of unpacked packages that
    /// come after the machine's own.
    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError>;

    /// Its programs in a directory that the user names: that of its main program, or the root of the packages that it
    /// is in.
    fn find_below(&self, directory: &Path) -> Result<Programs, ServerError> {
        Programs::below(directory, self.name(), "")
    }

    /// Makes an empty database in the home's data directory, which is there and the server's user's. Most servers do so
    /// when they start.
    fn initialise(&self, _programs: &Programs, _home: &Home) -> Result<(), ServerError> {
        Ok(())
    }

    /// Writes the file that the server reads its settings from, beside its data, if it has no options for them. This is
    /// done before each start.
    fn configure(&self, _home: &Home, _settings: &[(&str, &str)]) -> Result<(), ServerError> {
        Ok(())
    }

    /// The command that serves the home's data until it is killed. It stays in the foreground and writes its log to
    /// standard error or standard output.
    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command;

    /// What its programs call their version, in one line.
    fn version(&self, programs: &Programs) -> String {
        let output = programs.command().arg("--version").output();
        let output = output.map(|output| output.stdout).unwrap_or_default();
        let line = String::from_utf8_lossy(&output).lines().next().unwrap_or_default().trim().to_owned();
        // Some name themselves by their path.
        match line.split_once(char::is_whitespace) {
            Some((path, rest)) if path.starts_with('/') => {
                format!("{} {}", path.rsplit('/').next().unwrap_or_default(), rest.trim())
            }
            Some(_) | None => line,
        }
    }

    /// The signal that it gets when its maker ends.
    fn death_signal(&self) -> DeathSignal {
        DeathSignal::Kill
    }

    /// The signal on which it ends in good order.
    fn stop_signal(&self) -> Signal {
        Signal::TERM
    }

    /// A connection to a running server.
    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError>;

    /// What a line of its log says if it saw damage; by the server's own words for its severities.
    fn is_complaint(&self, line: &str) -> bool;

    /// Settings with which it answers the requests of a measurement: its own memory holds a third of the loaded rows,
    /// and nothing is read or written for another reason than a request.
    fn settings_of_requests(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Settings that make it write a binary log and sync it with every commit, if that is not how it is.
    fn settings_of_binary_log(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The directories in its data directory where requests end up.
    fn directories_of_requests(&self, data: &Path) -> Vec<PathBuf> {
        vec![data.to_owned()]
    }

    /// The file of the loaded rows in its data directory, if they have one of their own.
    fn file_of_loaded_rows(&self, _data: &Path) -> Option<PathBuf> {
        None
    }
}

impl dyn Server + '_ {
    /// Its programs where the user that it runs as reaches them; `place` takes a copy of what that user would not
    /// reach.
    pub fn reachable(&self, trees: Option<&Path>, place: &Path) -> Result<Programs, ServerError> {
        let found = self.find(trees)?;
        if self.is_ours() { Ok(found) } else { found.reachable(place) }
    }
}

impl fmt::Debug for dyn Server + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A connection.
pub trait Client: Send {
    /// Makes what rows are put into, if it is not there.
    fn prepare(&mut self) -> Result<(), ServerError>;

    /// Writes rows in one transaction, each over its older version if there is one, and waits until the server has
    /// acknowledged it. They are different rows, no more than [`Server::rows_at_once`].
    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError>;

    /// Hands over every row that is there, in no order, each with its text. [`ServerError::NoTable`] if nobody has made
    /// what rows are put into, or if that is gone.
    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError>;

    /// Makes the server write to its other files what its log alone has, as it does by itself after a while. Nothing
    /// for a server that has no such request.
    fn checkpoint(&mut self) -> Result<(), ServerError> {
        Ok(())
    }

    /// Makes what requests are about: this number of rows, from 0 on, each with [`FILLER_BYTES`](crate::FILLER_BYTES)
    /// of text.
    fn load(&mut self, _rows: u64) -> Result<(), ServerError> {
        Err(ServerError::Unsupported("no requests on loaded rows are written for this server".to_owned()))
    }

    /// Does what a request asks, and waits for the whole answer.
    fn request(&mut self, action: RequestAction) -> Result<(), ServerError> {
        match action {
            RequestAction::Insert { client, row } => {
                self.write(&[Row { writer: client, sequence: row }.first()])
            }
            RequestAction::Update { .. }
            | RequestAction::Read { .. }
            | RequestAction::Range { .. }
            | RequestAction::Compact => {
                Err(ServerError::Unsupported("no such request is written for this server".to_owned()))
            }
        }
    }

    /// The value that a setting has; `None` if the server tells nobody.
    fn in_force(&mut self, _setting: &str) -> Result<Option<String>, ServerError> {
        Ok(None)
    }

    /// What the server counts by this name, its own; `None` if it counts nothing of that name.
    fn counter(&mut self, _name: &str) -> Result<Option<u64>, ServerError> {
        Ok(None)
    }

    /// Bytes that the server has written to the log that recovery reads, since it started; `None` if it does not say.
    fn log_written(&mut self) -> Result<Option<u64>, ServerError> {
        Ok(None)
    }

    /// The thread of the server that serves this connection; `None` if no thread does so alone.
    fn server_thread(&mut self) -> Result<Option<u32>, ServerError> {
        Ok(None)
    }
}
