//! What every server does, and what it says about itself.

use crate::{Home, Programs, Row, ServerError};
use disk::kernel::child::DeathSignal;
use model::DurabilityClass;
use rustix::process::Signal;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// One way in which a server acknowledges a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The settings that make it, as the server names them; it is called by the first one.
    pub settings: Vec<(&'static str, &'static str)>,
    /// What an acknowledged row survives, as the maker says.
    pub class: DurabilityClass,
    /// Where the maker says so.
    pub source: &'static str,
    /// Whether these are the values that the server has if nobody chooses.
    pub is_default: bool,
    /// Whether the maker states that the database starts again and is consistent after a power loss, whatever it has
    /// lost.
    pub recovers: bool,
}

impl Promise {
    /// What an acknowledged row survives by these settings, as `source` says.
    pub fn new(
        class: DurabilityClass,
        source: &'static str,
        settings: &[(&'static str, &'static str)],
    ) -> Self {
        let recovers = class == DurabilityClass::Power;
        Self { settings: settings.to_vec(), class, source, is_default: false, recovers }
    }

    /// The promise of the values that the server has if nobody chooses.
    #[must_use]
    pub fn by_default(self) -> Self {
        Self { is_default: true, ..self }
    }

    /// The promise of a database that may lose rows and starts again nevertheless.
    #[must_use]
    pub fn recovering(self) -> Self {
        Self { recovers: true, ..self }
    }

    /// `appendfsync = always`.
    pub fn name(&self) -> String {
        self.settings.first().map(|(name, value)| format!("{name} = {value}")).unwrap_or_default()
    }
}

/// A database server. Everything that is the same for all of them (the process, its user, waiting, killing) is in
/// [`Running`](crate::Running).
pub trait Server: Send + Sync {
    /// As `--for` has it.
    fn name(&self) -> &'static str;

    /// As its makers write it.
    fn title(&self) -> &'static str;

    /// What it promises by which settings, strongest first.
    fn promises(&self) -> Vec<Promise>;

    /// Whether it is a program of Syncline's own, which runs as the caller does.
    fn is_ours(&self) -> bool {
        false
    }

    /// Its programs on this machine; `trees` is a folder of trees of unpacked packages that
    /// come after the machine's own.
    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError>;

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

    /// Inserts a row and waits until the server has acknowledged it.
    fn insert(&mut self, row: Row) -> Result<(), ServerError>;

    /// Hands over every row that is there, in no order, each with its text. [`ServerError::NoTable`] if nobody has made
    /// what rows are put into, or if that is gone.
    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError>;
}
