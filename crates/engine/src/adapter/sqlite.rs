//! SQLite, bundled: one table without rowid, so that key and value are in one B-tree. Writers share one connection, as
//! SQLite has one writer at a time; every thread that reads has a connection from a pool. Its journal is the
//! write-ahead log but at the levels that are named after a rollback journal.
//!
//! Durability after <https://www.sqlite.org/pragma.html#pragma_synchronous>: OFF hands data to the operating system and
//! does not sync; NORMAL in WAL mode "might roll back following a power loss or system crash", and "transactions are
//! durable across application crashes regardless of the synchronous setting"; FULL syncs the WAL after each commit.
//! With a rollback journal FULL is "not necessarily durable across a power loss": a commit is the journal's removal,
//! and only EXTRA syncs the directory after it. If it is the journal's truncation or the zeros over its header, FULL
//! syncs the journal once more (`pager_end_transaction` and `zeroJournalHdr` in SQLite's `pager.c`).

use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats, store};
use model::mechanism::Measured;
use model::{DurabilityClass, Settings};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A SQLite database with one table.
#[derive(Debug)]
pub struct Sqlite {
    writer: Mutex<Connection>,
    /// Connections that no thread reads with at the moment.
    readers: Mutex<Vec<Connection>>,
    commit: Commit,
    options: Options,
    data: PathBuf,
}

/// How a transaction commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Where what a crash has to undo or redo stands.
    pub journal: Journal,
    /// What a commit waits for.
    pub synchronous: Synchronous,
}

/// The value of `PRAGMA journal_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journal {
    /// A write-ahead log.
    Wal,
    /// A rollback journal, removed by a commit.
    Delete,
    /// A rollback journal, truncated by a commit.
    Truncate,
    /// A rollback journal, its header overwritten by a commit.
    Persist,
}

impl Journal {
    const fn name(self) -> &'static str {
        match self {
            Self::Wal => "WAL",
            Self::Delete => "DELETE",
            Self::Truncate => "TRUNCATE",
            Self::Persist => "PERSIST",
        }
    }
}

/// The value of `PRAGMA synchronous`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronous {
    /// Never syncs.
    Off,
    /// Syncs when the WAL goes into the database.
    Normal,
    /// Syncs the WAL after each commit; a rollback journal and the database within it.
    Full,
    /// With a rollback journal, syncs its directory after removing it too.
    Extra,
}

impl Synchronous {
    const fn name(self) -> &'static str {
        match self {
            Self::Off => "OFF",
            Self::Normal => "NORMAL",
            Self::Full => "FULL",
            Self::Extra => "EXTRA",
        }
    }
}

const PUT: &str = "INSERT OR REPLACE INTO entries (key, value) VALUES (?1, ?2)";
const GET: &str = "SELECT value FROM entries WHERE key = ?1";
const DELETE: &str = "DELETE FROM entries WHERE key = ?1";
const SCAN: &str = "SELECT key, value FROM entries WHERE key >= ?1 ORDER BY key LIMIT ?2";

/// How long a connection waits for another's lock: longer than any checkpoint takes.
const BUSY: Duration = Duration::from_mins(1);
const NO_BUFFER: &str = "SQLite's WAL goes into the database page by page: it buffers no entries";
const NO_BACKGROUND: &str = "SQLite has no background work: a commit does the checkpoint";

fn failed(operation: &'static str) -> impl Fn(rusqlite::Error) -> EngineError {
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            EngineError::StorageFull { engine: Sqlite::NAME, operation, source: error.into() }
        }
        Some(_) | None => EngineError::failed(Sqlite::NAME, operation)(error),
    }
}

// A connection is whole after every call on it: SQLite rolls back what was not committed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the durability level decides.
const DECIDED_BY_LEVEL: &[&str] = &["journal_mode", "synchronous", "locking_mode"];
const CACHE_SIZE: &str = "cache_size";

/// Sets the pragmas, and checks that SQLite has them: it ignores those that it does not know.
fn set(connection: &Connection, settings: &Settings) -> Result<(), EngineError> {
    for (name, value) in settings.iter() {
        let refused = |why: String| EngineError::NativeLevel {
            engine: Sqlite::NAME,
            setting: name.to_owned(),
            value: value.to_owned(),
            why,
        };
        if DECIDED_BY_LEVEL.contains(&name) {
            return Err(refused("the durability level decides it".to_owned()));
        }
        let answer = |row: &Row<'_>| Ok(text_of(row.get_ref(0)?));
        // Some pragmas answer with their new value, most with nothing.
        connection
            .pragma_update_and_check(None, name, value, answer)
            .optional()
            .map_err(|error| refused(error.to_string()))?;
        match connection.pragma_query_value(None, name, answer).optional() {
            Ok(Some(found)) if is_same(&found, value) => {}
            Ok(Some(found)) => return Err(refused(format!("SQLite has {found}"))),
            Ok(None) => return Err(refused("SQLite has no such pragma".to_owned())),
            Err(error) => return Err(refused(error.to_string())),
        }
    }
    Ok(())
}

fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    }
}

/// Whether two texts of a value mean the same; SQLite answers with numbers where names can be given.
fn is_same(found: &str, wanted: &str) -> bool {
    const NAMES: [(&str, &str); 6] =
        [("off", "0"), ("on", "1"), ("false", "0"), ("true", "1"), ("no", "0"), ("yes", "1")];
    let plain = |text: &str| {
        let text = text.to_ascii_lowercase();
        NAMES.iter().find(|(name, _)| *name == text).map_or(text, |(_, number)| (*number).to_owned())
    };
    plain(found) == plain(wanted)
}

/// A connection with the options' own settings.
fn connect_with(options: &Options, data: &Path, commit: Commit) -> Result<Connection, EngineError> {
    let connection = Connection::open(data.join("entries.sqlite")).map_err(failed("open"))?;
    // The size of pages is one only before the journal is.
    set(&connection, &options.settings)?;
    if let (Some(value), Some(_)) = (options.settings.get(CACHE_SIZE), options.cache_bytes) {
        let why = "the engine's cache is set already".to_owned();
        let (setting, value) = (CACHE_SIZE.to_owned(), value.to_owned());
        return Err(EngineError::NativeLevel { engine: Sqlite::NAME, setting, value, why });
    }
    prepare(&connection, commit, options.cache_bytes).map_err(failed("open"))?;
    Ok(connection)
}

/// Gives a connection its journal and its cache.
fn prepare(connection: &Connection, commit: Commit, cache_bytes: Option<u64>) -> Result<(), rusqlite::Error> {
    connection.busy_timeout(BUSY)?;
    // It answers with the mode that it has, which is another one if the requested one is not available.
    let wanted = commit.journal.name();
    connection.pragma_update_and_check(None, "journal_mode", wanted, |row| {
        let taken: String = row.get(0)?;
        if taken.eq_ignore_ascii_case(wanted) {
            return Ok(());
        }
        let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
        Err(rusqlite::Error::SqliteFailure(
            error,
            Some(format!("journal_mode is {taken}, but {wanted} was requested")),
        ))
    })?;
    connection.pragma_update(None, "synchronous", commit.synchronous.name())?;
    if let Some(bytes) = cache_bytes {
        // A negative number is in KiB, a positive one in pages.
        connection.pragma_update(None, "cache_size", -((bytes >> 10) as i64))?;
    }
    Ok(())
}

impl Sqlite {
    /// Reads with a connection that no other thread has.
    fn read<T>(
        &self,
        operation: &'static str,
        read: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, EngineError> {
        let pooled = lock(&self.readers).pop();
        let connection = match pooled {
            Some(connection) => connection,
            None => connect_with(&self.options, &self.data, self.commit)?,
        };
        let result = read(&connection);
        lock(&self.readers).push(connection);
        result.map_err(failed(operation))
    }

    /// Syncs the WAL, and then the database with the WAL in it. At OFF nothing would be synced: that is set aside for
    /// the time. If there is no WAL it does nothing.
    fn checkpoint(&self) -> Result<(), rusqlite::Error> {
        let writer = lock(&self.writer);
        writer.pragma_update(None, "synchronous", Synchronous::Full.name())?;
        let busy = writer.query_row("PRAGMA wal_checkpoint(FULL)", [], |row| row.get::<_, bool>(0));
        writer.pragma_update(None, "synchronous", self.commit.synchronous.name())?;
        if busy? {
            return Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
                Some("the checkpoint waited for a reader in vain".to_owned()),
            ));
        }
        Ok(())
    }
}

impl Engine for Sqlite {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let writer = lock(&self.writer);
        let mut statement = writer.prepare_cached(PUT).map_err(failed("put"))?;
        statement.execute((key, value)).map(drop).map_err(failed("put"))
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        self.read("get", |connection| {
            let copy = |row: &Row<'_>| {
                value.clear();
                value.extend_from_slice(row.get_ref(0)?.as_blob()?);
                Ok(())
            };
            Ok(connection.prepare_cached(GET)?.query_row([key], copy).optional()?.is_some())
        })
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        let writer = lock(&self.writer);
        let mut statement = writer.prepare_cached(DELETE).map_err(failed("delete"))?;
        statement.execute([key]).map(drop).map_err(failed("delete"))
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        self.read("scan", |connection| {
            let mut statement = connection.prepare_cached(SCAN)?;
            let mut rows = statement.query((start, limit as i64))?;
            let mut entries = 0;
            while let Some(row) = rows.next()? {
                sink(row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?);
                entries += 1;
            }
            Ok(entries)
        })
    }

    fn sync(&self) -> Result<(), EngineError> {
        match self.commit.synchronous {
            Synchronous::Off | Synchronous::Normal => self.checkpoint().map_err(failed("checkpoint")),
            // Every commit has done it.
            Synchronous::Full | Synchronous::Extra => Ok(()),
        }
    }

    fn drain(&self) -> Result<Measured<f64>, EngineError> {
        Ok(Measured::unsupported(NO_BACKGROUND))
    }

    fn stats(&self) -> Stats {
        Stats {
            disk_bytes: store::disk_bytes(&self.data).into(),
            write_stall_s: Measured::unsupported(NO_BACKGROUND),
        }
    }

    fn close(self) -> Result<(), EngineError> {
        self.checkpoint().map_err(failed("checkpoint"))?;
        let Self { writer, readers, .. } = self;
        let readers = readers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        for connection in readers.into_iter().chain([writer]) {
            connection.close().map_err(|(_, error)| failed("close")(error))?;
        }
        Ok(())
    }
}

impl Adapter for Sqlite {
    const NAME: &'static str = "sqlite";
    const PERSISTENT: bool = true;
    type NativeLevel = Commit;
    const LEVELS: &'static [(DurabilityLevel, Commit)] = &[
        (
            DurabilityLevel {
                name: "off",
                class: DurabilityClass::Process,
                meaning: "Each commit writes the WAL to the page cache; power loss may spoil the whole store.",
            },
            Commit { journal: Journal::Wal, synchronous: Synchronous::Off },
        ),
        (
            DurabilityLevel {
                name: "normal",
                class: DurabilityClass::Process,
                meaning: "Each commit writes the WAL to the page cache; power loss may undo the last commits.",
            },
            Commit { journal: Journal::Wal, synchronous: Synchronous::Normal },
        ),
        (
            DurabilityLevel {
                name: "delete_full",
                class: DurabilityClass::Process,
                meaning: "SQLite's default: each commit syncs a rollback journal and the database, and removes the \
                          journal; power loss may undo the last commit.",
            },
            Commit { journal: Journal::Delete, synchronous: Synchronous::Full },
        ),
        (
            DurabilityLevel {
                name: "full",
                class: DurabilityClass::Power,
                meaning: "Each commit writes the WAL, then fdatasync.",
            },
            Commit { journal: Journal::Wal, synchronous: Synchronous::Full },
        ),
        (
            DurabilityLevel {
                name: "delete",
                class: DurabilityClass::Power,
                meaning: "Each commit syncs a rollback journal and the database, removes the journal and syncs its \
                    directory.",
            },
            Commit { journal: Journal::Delete, synchronous: Synchronous::Extra },
        ),
        (
            DurabilityLevel {
                name: "truncate",
                class: DurabilityClass::Power,
                meaning: "Each commit syncs a rollback journal and the database, truncates the journal and syncs it.",
            },
            Commit { journal: Journal::Truncate, synchronous: Synchronous::Full },
        ),
        (
            DurabilityLevel {
                name: "persist",
                class: DurabilityClass::Power,
                meaning: "Each commit syncs a rollback journal and the database, overwrites the journal's header and \
                    syncs it.",
            },
            Commit { journal: Journal::Persist, synchronous: Synchronous::Full },
        ),
    ];
    const DEFAULT_LEVEL: usize = 3;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[
        (Knob::DirectIo, "SQLite reads and writes through the page cache only"),
        (Knob::WriteBufferBytes, NO_BUFFER),
        (Knob::ReadsInFlight, Knob::ONE_READ),
    ];

    fn open(options: &Options, data: &Path, setting: Commit) -> Result<Self, EngineError> {
        let writer = connect_with(options, data, setting)?;
        writer
            .execute_batch(
                "CREATE TABLE IF NOT EXISTS entries \
                 (key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID",
            )
            .map_err(failed("open"))?;
        Ok(Self {
            writer: Mutex::new(writer),
            readers: Mutex::default(),
            commit: setting,
            options: options.clone(),
            data: data.to_path_buf(),
        })
    }
}
