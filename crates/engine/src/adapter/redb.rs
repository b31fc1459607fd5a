//! redb 4: a B+ tree in Rust with copy on write. Each write is a transaction, each read has a read transaction of its
//! own.
//!
//! Durability after `redb::Durability`: commits with `None` "will not be persisted to disk unless followed by a commit
//! with `Immediate`": until then the file's header leads to the older tree, so they are lost with the process.
//! `Immediate` commits are "persistent as soon as commit returns".

use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats, store};
use ::redb::{
    Database, Durability, Error, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction,
};
use model::DurabilityClass;
use model::mechanism::Measured;
use std::fmt;
use std::path::{Path, PathBuf};

/// A redb database with one table.
pub struct Redb {
    database: Database,
    durability: Durability,
    data: PathBuf,
}

const ENTRIES: TableDefinition<&[u8], &[u8]> = TableDefinition::new("entries");
const NO_SETTINGS: &str = "redb has no settings by name";
const NO_BUFFER: &str = "redb has one cache for reads and writes: set cache_bytes";
const NO_BACKGROUND: &str = "redb has no background work: a commit does everything";

fn failed<E: Into<Error>>(operation: &'static str) -> impl Fn(E) -> EngineError {
    move |error| match error.into() {
        // redb names no source: the kernel's error is passed on as it is.
        Error::Io(error) => EngineError::failed(Redb::NAME, operation)(error),
        other => EngineError::failed(Redb::NAME, operation)(other),
    }
}

impl Redb {
    fn begin(&self, durability: Durability) -> Result<WriteTransaction, EngineError> {
        let mut transaction = self.database.begin_write().map_err(failed("begin"))?;
        transaction
            .set_durability(durability)
            .map_err(EngineError::failed(Self::NAME, "set the durability of a transaction"))?;
        Ok(transaction)
    }
}

impl Engine for Redb {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let transaction = self.begin(self.durability)?;
        let mut entries = transaction.open_table(ENTRIES).map_err(failed("put"))?;
        entries.insert(key, value).map_err(failed("put"))?;
        drop(entries);
        transaction.commit().map_err(failed("commit"))
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        let transaction = self.database.begin_read().map_err(failed("get"))?;
        let entries = transaction.open_table(ENTRIES).map_err(failed("get"))?;
        let Some(found) = entries.get(key).map_err(failed("get"))? else { return Ok(false) };
        value.clear();
        value.extend_from_slice(found.value());
        Ok(true)
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        let transaction = self.begin(self.durability)?;
        let mut entries = transaction.open_table(ENTRIES).map_err(failed("delete"))?;
        entries.remove(key).map_err(failed("delete"))?;
        drop(entries);
        transaction.commit().map_err(failed("commit"))
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        let transaction = self.database.begin_read().map_err(failed("scan"))?;
        let table = transaction.open_table(ENTRIES).map_err(failed("scan"))?;
        let mut entries = 0;
        for entry in ReadableTable::range(&table, start..).map_err(failed("scan"))?.take(limit) {
            let (key, value) = entry.map_err(failed("scan"))?;
            sink(key.value(), value.value());
            entries += 1;
        }
        Ok(entries)
    }

    fn sync(&self) -> Result<(), EngineError> {
        self.begin(Durability::Immediate)?.commit().map_err(failed("sync"))
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
        self.sync()?;
        self.database.close().map_err(failed("close"))
    }
}

impl Adapter for Redb {
    const NAME: &'static str = "redb";
    const PERSISTENT: bool = true;
    type NativeLevel = Durability;
    const LEVELS: &'static [(DurabilityLevel, Durability)] = &[
        (
            DurabilityLevel {
                name: "none",
                class: DurabilityClass::None,
                meaning: "A commit is seen by readers; the file leads to it only after a durable one.",
            },
            Durability::None,
        ),
        (
            DurabilityLevel {
                name: "immediate",
                class: DurabilityClass::Power,
                meaning: "Each commit writes its pages and the header, then fdatasync.",
            },
            Durability::Immediate,
        ),
    ];
    const DEFAULT_LEVEL: usize = 1;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[
        (Knob::DirectIo, "redb reads and writes through the page cache only"),
        (Knob::WriteBufferBytes, NO_BUFFER),
        (Knob::Settings, NO_SETTINGS),
        (Knob::ReadsInFlight, Knob::ONE_READ),
    ];

    fn open(options: &Options, data: &Path, setting: Durability) -> Result<Self, EngineError> {
        let mut builder = Database::builder();
        if let Some(bytes) = options.cache_bytes {
            builder.set_cache_size(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        let database = builder.create(data.join("entries.redb")).map_err(failed("open"))?;
        let redb = Self { database, durability: setting, data: data.to_path_buf() };
        // A read transaction cannot make the table that it opens.
        let transaction = redb.begin(Durability::Immediate)?;
        transaction.open_table(ENTRIES).map_err(failed("open"))?;
        transaction.commit().map_err(failed("open"))?;
        Ok(redb)
    }
}

impl fmt::Debug for Redb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redb")
            .field("durability", &self.durability)
            .field("data", &self.data)
            .finish_non_exhaustive()
    }
}
