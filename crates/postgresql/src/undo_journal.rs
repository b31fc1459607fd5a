//! The undo journal: what a proof on the user's server changes, written and synced before the first change.
//!
//! One JSON document a line. The first names the server and the scratch database, each other one a setting with its
//! value in `postgresql.auto.conf` before the proof. A torn last line is dropped: nothing is changed before the whole
//! file is on the disk.

use crate::error::PostgresqlError;
use model::settings::reach;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Prefix of the name of every scratch database; sixteen hexadecimal digits follow.
pub(crate) const SCRATCH_PREFIX: &str = "syncline_";
const SCRATCH_DIGITS: usize = 16;
/// A journal has a line for each setting that a proof changes.
const BYTES_MAX: u64 = 1 << 20;
/// A name is at most two identifiers (`NAMEDATALEN`) with a dot between them.
const NAME_BYTES_MAX: usize = 127;

/// What has to be done so that a server is as it was before a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    pub server: ChangedServer,
    /// The scratch database, which is dropped.
    pub database: String,
    /// Each setting that an arm changes, with its value in `postgresql.auto.conf`; `None` if that file did not set it.
    pub settings: BTreeMap<String, Option<String>>,
}

/// A server that a proof changes. There is no password in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedServer {
    /// `system_identifier` of its control file.
    pub system_identifier: String,
    /// Where it was reached: host or socket directory, and port.
    pub address: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine {
    server: ChangedServer,
    database: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingLine {
    setting: String,
    before: Option<String>,
}

/// Why a file is not an undo journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAJournal {
    /// It was cut off while it was made, so nothing was changed.
    #[error("it has no whole line, so its proof changed nothing: remove the file")]
    Empty,
    /// A line has another form.
    #[error("line {line} is not one of an undo journal: {why}")]
    Line {
        /// From 1.
        line: usize,
        why: String,
    },
}

impl Undo {
    /// Reads a journal.
    ///
    /// # Errors
    /// The bytes are not a journal's. Only a last line without its end is dropped.
    pub fn parse(bytes: &[u8]) -> Result<Self, NotAJournal> {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let text = std::str::from_utf8(&bytes[..whole]);
        let text = text.map_err(|_| NotAJournal::Line { line: 1, why: "it is not UTF-8".to_owned() })?;
        let mut lines = (1..).zip(text.lines());
        let (_, first) = lines.next().ok_or(NotAJournal::Empty)?;
        let wrong = |line, why: String| NotAJournal::Line { line, why };
        let first: FirstLine = serde_json::from_str(first).map_err(|error| wrong(1, error.to_string()))?;
        if !is_scratch(&first.database) {
            return Err(wrong(1, format!("{:?} is not the name of a scratch database", first.database)));
        }
        let mut settings = BTreeMap::new();
        for (number, line) in lines {
            let line: SettingLine =
                serde_json::from_str(line).map_err(|error| wrong(number, error.to_string()))?;
            if !is_setting_name(&line.setting) {
                return Err(wrong(number, format!("{:?} is not the name of a setting", line.setting)));
            }
            if let Some(reach) = reach(&line.setting.to_ascii_lowercase()) {
                return Err(wrong(
                    number,
                    format!("{} {}: no proof changes it", line.setting, reach.words()),
                ));
            }
            if line.before.as_ref().is_some_and(|value| value.contains('\0')) {
                return Err(wrong(number, "a value has a NUL in it".to_owned()));
            }
            if settings.contains_key(&line.setting) {
                return Err(wrong(number, format!("{} comes twice", line.setting)));
            }
            settings.insert(line.setting, line.before);
        }
        Ok(Self { server: first.server, database: first.database, settings })
    }

    /// As the file has it.
    pub fn text(&self) -> String {
        let first = FirstLine { server: self.server.clone(), database: self.database.clone() };
        let mut lines = vec![line(&first)];
        for (setting, before) in &self.settings {
            lines.push(line(&SettingLine { setting: setting.clone(), before: before.clone() }));
        }
        lines.concat()
    }
}

/// A document whose keys are texts and whose values are texts can always be written.
fn line(document: &impl Serialize) -> String {
    serde_json::to_string(document).unwrap_or_default() + "\n"
}

/// A name that no database of the user's has: the digits are random.
pub(crate) fn scratch_name(random: u64) -> String {
    format!("{SCRATCH_PREFIX}{random:016x}")
}

fn is_scratch(name: &str) -> bool {
    let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    name.strip_prefix(SCRATCH_PREFIX)
        .is_some_and(|digits| digits.len() == SCRATCH_DIGITS && digits.bytes().all(is_digit))
}

/// Whether PostgreSQL could have a setting of this name: a statement can hold it.
pub(crate) fn is_setting_name(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = |part: &str| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    name.len() <= NAME_BYTES_MAX
        && name.split('.').count() <= 2
        && name.split('.').all(|part| starts(part) && part.chars().all(is_word))
}

/// A journal on the disk. The process that has it open holds a lock: no other process undoes a proof that runs.
#[derive(Debug)]
pub struct UndoJournal {
    path: PathBuf,
    /// Locked for as long as it is open.
    _file: File,
    undo: Undo,
}

impl UndoJournal {
    /// Writes one. It has survived a power loss when this returns.
    ///
    /// # Errors
    /// The file exists already, or cannot be written.
    pub fn create(path: &Path, undo: Undo) -> Result<Self, PostgresqlError> {
        let cannot = PostgresqlError::on("write the undo journal", path);
        let made = || -> io::Result<File> {
            let mut file =
                OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
            file.lock()?;
            file.write_all(undo.text().as_bytes())?;
            file.sync_all()?;
            sync_directory_of(path)?;
            Ok(file)
        };
        Ok(Self { _file: made().map_err(cannot)?, path: path.to_owned(), undo })
    }

    /// Opens the one of a proof that was killed.
    ///
    /// # Errors
    /// It is not a journal, or a proof that runs holds it.
    pub fn open(path: &Path) -> Result<Self, PostgresqlError> {
        let cannot = |error: io::Error| PostgresqlError::on("read the undo journal", path)(error);
        let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let mut file = OpenOptions::new().read(true).custom_flags(no_follow).open(path).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let held = "the proof that wrote it is still running: end that first";
                return Err(cannot(io::Error::other(held)));
            }
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        }
        let undo = read(&mut file).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), _file: file, undo })
    }

    /// What has to be undone.
    pub fn undo(&self) -> &Undo {
        &self.undo
    }

    /// Removes it, when everything is undone. It stays removed after a power loss.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(self) -> Result<(), PostgresqlError> {
        let removed = std::fs::remove_file(&self.path).and_then(|()| sync_directory_of(&self.path));
        removed.map_err(PostgresqlError::on("remove the undo journal", &self.path))
    }
}

impl Undo {
    /// Reads the journal that another process holds: a trial's worker applies only what it names.
    ///
    /// # Errors
    /// It cannot be read, or is not a journal.
    pub fn read(path: &Path) -> Result<Self, PostgresqlError> {
        let read = File::open(path).and_then(|mut file| read(&mut file));
        read.map_err(PostgresqlError::on("read the undo journal", path))
    }
}

fn read(file: &mut File) -> io::Result<Undo> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(io::Error::other("it has more than 1 MiB"));
    }
    Undo::parse(&bytes).map_err(io::Error::other)
}

fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undo() -> Undo {
        Undo {
            server: ChangedServer { system_identifier: "75".to_owned(), address: "db1:5432".to_owned() },
            database: scratch_name(0xfeed),
            settings: BTreeMap::from([
                ("bgwriter_delay".to_owned(), Some("it's \"200ms\"\n".to_owned())),
                ("wal_sync_method".to_owned(), None),
            ]),
        }
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        assert_eq!(Undo::parse(undo().text().as_bytes()), Ok(undo()));
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_nothing_else() {
        let text = undo().text();
        let torn = Undo::parse(&text.as_bytes()[..text.len() - 3]).expect("the rest is whole");
        assert_eq!(torn.settings.keys().collect::<Vec<_>>(), ["bgwriter_delay"]);
        assert_eq!(Undo::parse(&text.as_bytes()[..20]), Err(NotAJournal::Empty));
        let (first, rest) = text.split_once('\n').expect("several lines");
        let middle = format!("{first}\n{{\"setting\":\n{rest}");
        assert!(matches!(Undo::parse(middle.as_bytes()), Err(NotAJournal::Line { line: 2, .. })));
    }

    #[test]
    fn a_journal_that_names_a_database_or_a_setting_of_anybody_else_is_refused() {
        for (from, to) in [
            ("syncline_000000000000feed", "production"),
            ("syncline_000000000000feed", "syncline_0"),
            ("syncline_000000000000feed", "syncline_000000000000fee\\\""),
            ("bgwriter_delay", "a = 1; DROP"),
            ("bgwriter_delay", "wal_sync_method"),
            // Undoing a proof of somebody else's would run their command.
            ("bgwriter_delay", "archive_command"),
            ("wal_sync_method", "session_preload_libraries"),
        ] {
            let text = undo().text().replacen(from, to, 1);
            assert!(Undo::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_journal_belongs_to_one_process_and_is_made_once() {
        let directory = tempfile::tempdir().expect("made");
        let path = directory.path().join("undo.jsonl");
        let journal = UndoJournal::create(&path, undo()).expect("written");
        let held = UndoJournal::open(&path).expect_err("it is held");
        let PostgresqlError::File { source, .. } = &held else { panic!("{held:?}") };
        assert_eq!(source.to_string(), "the proof that wrote it is still running: end that first");
        assert!(UndoJournal::create(&path, undo()).is_err(), "never written over");
        assert_eq!(Undo::read(&path).expect("is there"), undo());
        drop(journal);
        // A program that another test starts has the descriptor, and with it the lock, from fork to exec.
        let found = loop {
            File::open(&path).and_then(|file| file.lock()).expect("waits until it is free");
            if let Ok(found) = UndoJournal::open(&path) {
                break found;
            }
        };
        assert_eq!(found.undo(), &undo());
        found.remove().expect("removed");
        assert!(!path.exists());
    }
}
