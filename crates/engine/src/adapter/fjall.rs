//! fjall 3: an LSM tree in Rust. One keyspace, without compression.
//!
//! Durability after `fjall::PersistMode`: `Buffer` "flushes data to OS buffers", `SyncData` is `fdatasync`, `SyncAll`
//! `fsync`. With `manual_journal_persist` an entry stays in the journal's buffer of 8 KiB, in the process
//! (`journal/writer.rs`). An insert persists to `Buffer` by itself; the stronger levels call `persist` after it.
//!
//! A worker that fails poisons the database, which the next write reports. A write that already waits for that worker,
//! because four memtables are to be flushed (`Keyspace::local_backpressure`), waits for ever: a trial's deadline ends
//! it.

use super::fjall_log;
use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats, store};
use ::fjall::{Database, Error, Keyspace, KeyspaceCreateOptions, PersistMode};
use model::DurabilityClass;
use model::mechanism::Measured;
use std::fmt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// A fjall database with one keyspace.
pub struct Fjall {
    database: Database,
    entries: Keyspace,
    persist: Option<PersistMode>,
    data: PathBuf,
}

/// When an insert's journal entry leaves the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journal {
    /// When the journal's own buffer is full.
    Manual,
    /// With every write, to the page cache.
    Buffer,
    /// With every write, to the device.
    Persist(PersistMode),
}

/// Compactions are found this often, and are over when none has been seen for [`QUIET`].
const NO_SETTINGS: &str = "fjall has no settings by name";
const POLL: Duration = Duration::from_millis(1);
/// fjall's workers wait a millisecond after each compaction before they look for the next one.
const QUIET: Duration = Duration::from_millis(50);

fn failed(operation: &'static str) -> impl Fn(Error) -> EngineError {
    move |error| match (&error, fjall_log::first_error()) {
        (Error::Poisoned, Some(said)) => {
            // The log has the error in its debug form, and this is `io::ErrorKind`'s.
            let is_full = said.contains("StorageFull");
            let source = format!("{error}, after: {said}").into();
            if is_full {
                EngineError::StorageFull { engine: Fjall::NAME, operation, source }
            } else {
                EngineError::Failed { engine: Fjall::NAME, operation, source }
            }
        }
        _ => EngineError::failed(Fjall::NAME, operation)(error),
    }
}

impl Fjall {
    fn persist(&self) -> Result<(), EngineError> {
        match self.persist {
            None => Ok(()),
            Some(mode) => self.database.persist(mode).map_err(failed("persist the journal")),
        }
    }

    /// Flushes and compactions that run or have run.
    fn work(&self) -> (usize, usize) {
        let waiting = self.database.outstanding_flushes() + self.entries.sealed_memtable_count();
        (self.database.active_compactions() + waiting, self.database.compactions_completed())
    }
}

impl Engine for Fjall {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.entries.insert(key, value).map_err(failed("put"))?;
        self.persist()
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        let Some(found) = self.entries.get(key).map_err(failed("get"))? else { return Ok(false) };
        value.clear();
        value.extend_from_slice(&found);
        Ok(true)
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        self.entries.remove(key).map_err(failed("delete"))?;
        self.persist()
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        let mut entries = 0;
        for entry in self.entries.range(start..).take(limit) {
            let (key, value) = entry.into_inner().map_err(failed("scan"))?;
            sink(&key, &value);
            entries += 1;
        }
        Ok(entries)
    }

    fn sync(&self) -> Result<(), EngineError> {
        self.database.persist(PersistMode::SyncAll).map_err(failed("sync"))
    }

    /// fjall looks for compactions after a flush and runs what it finds; what it leaves then is left until the next
    /// flush. This waits until its workers have been idle for 50 ms, which are not counted.
    fn drain(&self) -> Result<Measured<f64>, EngineError> {
        let began = Instant::now();
        // `rotate_memtable_and_wait` would wait for ever for a flush that has failed.
        self.entries.rotate_memtable().map_err(failed("flush"))?;
        let (mut idle_since, mut seen) = (Instant::now(), self.work());
        while idle_since.elapsed() < QUIET {
            thread::sleep(POLL);
            // Says whether a worker has failed.
            self.database.persist(PersistMode::Buffer).map_err(failed("flush and compact"))?;
            let now = self.work();
            if now.0 > 0 || now != seen {
                idle_since = Instant::now();
            }
            seen = now;
        }
        Ok(Measured::Value(idle_since.duration_since(began).as_secs_f64()))
    }

    fn stats(&self) -> Stats {
        Stats {
            disk_bytes: store::disk_bytes(&self.data).into(),
            write_stall_s: Measured::unsupported("fjall does not count how long it stalls writers"),
        }
    }

    fn close(self) -> Result<(), EngineError> {
        self.sync()
    }
}

impl Adapter for Fjall {
    const NAME: &'static str = "fjall";
    const PERSISTENT: bool = true;
    type NativeLevel = Journal;
    const LEVELS: &'static [(DurabilityLevel, Journal)] = &[
        (
            DurabilityLevel {
                name: "manual",
                class: DurabilityClass::None,
                meaning: "An entry may still be in the journal's buffer in the process.",
            },
            Journal::Manual,
        ),
        (
            DurabilityLevel {
                name: "buffer",
                class: DurabilityClass::Process,
                meaning: "Each entry is written to the journal file, in the page cache.",
            },
            Journal::Buffer,
        ),
        (
            DurabilityLevel {
                name: "syncdata",
                class: DurabilityClass::Power,
                meaning: "Each entry is written to the journal file, then fdatasync.",
            },
            Journal::Persist(PersistMode::SyncData),
        ),
        (
            DurabilityLevel {
                name: "syncall",
                class: DurabilityClass::Power,
                meaning: "Each entry is written to the journal file, then fsync.",
            },
            Journal::Persist(PersistMode::SyncAll),
        ),
    ];
    const DEFAULT_LEVEL: usize = 1;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[
        (Knob::DirectIo, "fjall reads and writes through the page cache only"),
        (Knob::Settings, NO_SETTINGS),
        (Knob::ReadsInFlight, Knob::ONE_READ),
    ];

    fn open(options: &Options, data: &Path, setting: Journal) -> Result<Self, EngineError> {
        fjall_log::listen();
        let mut builder = Database::builder(data);
        if let Some(bytes) = options.cache_bytes {
            builder = builder.cache_size(bytes);
        }
        let database = builder.open().map_err(failed("open"))?;
        // fjall keeps these with the keyspace: a store that is reopened has those it was made with.
        let settings = || {
            let settings =
                KeyspaceCreateOptions::default().manual_journal_persist(setting == Journal::Manual);
            match options.write_buffer_bytes {
                None => settings,
                Some(bytes) => settings.max_memtable_size(bytes),
            }
        };
        let entries = database.keyspace("entries", settings).map_err(failed("open"))?;
        let persist = match setting {
            Journal::Manual | Journal::Buffer => None,
            Journal::Persist(mode) => Some(mode),
        };
        Ok(Self { database, entries, persist, data: data.to_path_buf() })
    }
}

impl fmt::Debug for Fjall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fjall")
            .field("persist", &self.persist)
            .field("data", &self.data)
            .finish_non_exhaustive()
    }
}
