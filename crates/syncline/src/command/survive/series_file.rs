//! The file of `--out`: crashes are appended to it as soon as they are known, and a series goes on where it ends.

use crate::failure::Failure;
use std::cell::RefCell;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use survive::{Crash, RecordError, Recorded, RecordedCrash, SeriesSettings, Subject};

/// A file that nobody else appends to meanwhile.
pub(super) struct SeriesFile {
    path: PathBuf,
    file: RefCell<File>,
    recorded: Recorded,
}

impl SeriesFile {
    /// Opens a file, or makes it, and reads what it holds.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let cannot = |what: &str, error: std::io::Error| {
            Failure::Runtime(format!("cannot {what} {}: {error}", path.display()))
        };
        // Before it is opened: to open a device or a named pipe can do something.
        if fs::metadata(path).is_ok_and(|facts| !facts.is_file()) {
            return Err(Failure::Usage(format!("--out {}: not a regular file", path.display())));
        }
        let opened = File::options().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(|error| cannot("open", error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why = format!("--out {}: another process appends to it", path.display());
                return Err(Failure::Usage(why));
            }
            Err(TryLockError::Error(error)) => return Err(cannot("lock", error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| cannot("read", error))?;
        let recorded = Recorded::parse(&bytes).map_err(|why| refused(path, &why))?;
        Ok(Self { path: path.to_owned(), file: RefCell::new(file), recorded })
    }

    /// The seed at which its series began.
    pub(super) fn seed(&self) -> Option<u64> {
        self.recorded.settings.as_ref().map(|settings| settings.seed)
    }

    /// Makes it ready for crashes with these settings: it has them, or it is new.
    pub(super) fn begin(&self, settings: &SeriesSettings) -> Result<(), Failure> {
        let of_file = self.recorded.settings.as_ref().filter(|_| !self.recorded.crashes.is_empty());
        if let Some(of_file) = of_file {
            settings.require_same(of_file).map_err(|why| self.refused(&why))?;
        }
        // A killed process may have left a part of a line.
        let whole_bytes = of_file.map_or(0, |_| self.recorded.whole_bytes as u64);
        let cut = self.file.borrow().set_len(whole_bytes);
        cut.map_err(|error| Failure::Runtime(self.unwritable(&error)))?;
        match of_file {
            Some(_) => Ok(()),
            None => self.write(&settings.line().map_err(Failure::runtime)?).map_err(Failure::Runtime),
        }
    }

    /// The crashes of a subject that it has.
    pub(super) fn known(&self, of: &Subject<'_>, version: &str) -> Result<Vec<Crash>, RecordError> {
        self.recorded.of(of, version)
    }

    /// Why its crashes are not those of this series.
    pub(super) fn refused(&self, why: &RecordError) -> Failure {
        refused(&self.path, why)
    }

    /// Appends a crash, and waits until the disk has it.
    ///
    /// # Errors
    /// The file cannot be written, in words.
    pub(super) fn append(&self, of: &Subject<'_>, version: &str, crash: &Crash) -> Result<(), String> {
        let line = RecordedCrash::new(of, version, crash.clone()).line();
        self.write(&line.map_err(|error| error.to_string())?)
    }

    fn write(&self, line: &str) -> Result<(), String> {
        let mut file = self.file.borrow_mut();
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &std::io::Error) -> String {
        format!("cannot write {}: {error}", self.path.display())
    }
}

fn refused(path: &Path, why: &RecordError) -> Failure {
    Failure::Usage(format!("--out {}: {why}", path.display()))
}
