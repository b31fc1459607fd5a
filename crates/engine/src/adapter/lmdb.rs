//! LMDB: a memory-mapped B+ tree with copy on write, through the crate `lmdb-rkv`. Each write is a transaction, each
//! read has a read transaction of its own. It is opened without `MDB_WRITEMAP`: a commit writes its pages with
//! `pwritev`, so they are in the page cache when it returns.
//!
//! Durability after lmdb.h: by default a commit is synced, data and then meta page. `MDB_NOMETASYNC`: "a system crash may
//! undo the last committed transaction". `MDB_NOSYNC`: "a system crash can corrupt the database or lose the last
//! transactions". Neither loses anything with the process.

use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats, store};
use ::lmdb::{
    Cursor, Database, DatabaseFlags, Environment, EnvironmentFlags, Error, Transaction, WriteFlags,
};
use model::DurabilityClass;
use model::mechanism::Measured;
use std::path::{Path, PathBuf};

/// An LMDB environment with one database.
#[derive(Debug)]
pub struct Lmdb {
    environment: Environment,
    entries: Database,
    data: PathBuf,
}

const NO_CACHE: &str = "LMDB has no cache of its own: its pages are in the page cache";
const NO_BUFFER: &str = "LMDB buffers no writes: a commit writes its pages";
const NO_BACKGROUND: &str = "LMDB has no background work: a commit does everything";

fn failed(operation: &'static str) -> impl Fn(Error) -> EngineError {
    EngineError::failed(Lmdb::NAME, operation)
}

impl Engine for Lmdb {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let mut transaction = self.environment.begin_rw_txn().map_err(failed("put"))?;
        transaction.put(self.entries, &key, &value, WriteFlags::empty()).map_err(failed("put"))?;
        transaction.commit().map_err(failed("commit"))
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        let transaction = self.environment.begin_ro_txn().map_err(failed("get"))?;
        match transaction.get(self.entries, &key) {
            Ok(found) => {
                value.clear();
                value.extend_from_slice(found);
                Ok(true)
            }
            Err(Error::NotFound) => Ok(false),
            Err(error) => Err(failed("get")(error)),
        }
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        let mut transaction = self.environment.begin_rw_txn().map_err(failed("delete"))?;
        match transaction.del(self.entries, &key, None) {
            Ok(()) | Err(Error::NotFound) => {}
            Err(error) => return Err(failed("delete")(error)),
        }
        transaction.commit().map_err(failed("commit"))
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        let transaction = self.environment.begin_ro_txn().map_err(failed("scan"))?;
        let mut cursor = transaction.open_ro_cursor(self.entries).map_err(failed("scan"))?;
        let mut entries = 0;
        for entry in cursor.iter_from(start).take(limit) {
            let (key, value) = entry.map_err(failed("scan"))?;
            sink(key, value);
            entries += 1;
        }
        Ok(entries)
    }

    fn sync(&self) -> Result<(), EngineError> {
        self.environment.sync(true).map_err(failed("sync"))
    }

    fn drain(&self) -> Result<Measured<f64>, EngineError> {
        Ok(Measured::unsupported(NO_BACKGROUND))
    }

    fn stats(&self) -> Stats {
        Stats {
            disk_bytes: store::disk_bytes(&self.data).into(),
            memory_bytes: Measured::unsupported(NO_CACHE),
            write_stall_s: Measured::unsupported(NO_BACKGROUND),
            compaction_s: Measured::unsupported(NO_BACKGROUND),
            compaction_pending_bytes: Measured::unsupported(NO_BACKGROUND),
        }
    }

    fn close(self) -> Result<(), EngineError> {
        self.sync()
    }
}

impl Adapter for Lmdb {
    const NAME: &'static str = "lmdb";
    const PERSISTENT: bool = true;
    type Setting = EnvironmentFlags;
    const LEVELS: &'static [(DurabilityLevel, EnvironmentFlags)] = &[
        (
            DurabilityLevel {
                name: "nosync",
                class: DurabilityClass::Process,
                meaning: "Each commit writes its pages to the page cache; power loss may spoil the whole store.",
            },
            EnvironmentFlags::NO_SYNC,
        ),
        (
            DurabilityLevel {
                name: "nometasync",
                class: DurabilityClass::Process,
                meaning: "Each commit syncs its pages but not the meta page; power loss may undo the last commit.",
            },
            EnvironmentFlags::NO_META_SYNC,
        ),
        (
            DurabilityLevel {
                name: "sync",
                class: DurabilityClass::Power,
                meaning: "Each commit syncs its pages, then the meta page.",
            },
            EnvironmentFlags::empty(),
        ),
    ];
    const DEFAULT_LEVEL: usize = 2;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[
        (Knob::DirectIo, "LMDB reads through a memory map, which is the page cache"),
        (Knob::CacheBytes, NO_CACHE),
        (Knob::WriteBufferBytes, NO_BUFFER),
        (Knob::BackgroundThreads, NO_BACKGROUND),
    ];

    fn open(options: &Options, data: &Path, setting: EnvironmentFlags) -> Result<Self, EngineError> {
        let map_bytes = usize::try_from(options.store_bytes_max).unwrap_or(usize::MAX);
        let environment = Environment::new()
            .set_flags(setting)
            .set_map_size(map_bytes)
            .open(data)
            .map_err(failed("open"))?;
        let entries = environment.create_db(None, DatabaseFlags::empty()).map_err(failed("open"))?;
        Ok(Self { environment, entries, data: data.to_path_buf() })
    }
}
