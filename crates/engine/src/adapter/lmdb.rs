//! LMDB: a memory-mapped B+ tree with copy on write, through the crate `heed`. Each write is a transaction, each read
//! has a read transaction of its own. It is opened without `MDB_WRITEMAP`: a commit writes its pages with `pwritev`, so
//! they are in the page cache when it returns.
//!
//! Durability after lmdb.h: by default a commit is synced, data and then meta page. `MDB_NOMETASYNC`: "a system crash
//! may undo the last committed transaction". `MDB_NOSYNC`: "a system crash can corrupt the database or lose the last
//! transactions". Neither loses anything with the process.

use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats, store};
use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, Error};
use model::DurabilityClass;
use model::mechanism::Measured;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// An LMDB environment with one database.
#[derive(Debug)]
pub struct Lmdb {
    environment: Env,
    entries: Database<'static, Bytes, Bytes>,
    data: PathBuf,
}

const NO_SETTINGS: &str = "LMDB has no settings by name";
const NO_CACHE: &str = "LMDB has no cache of its own: its pages are in the page cache";
const NO_BUFFER: &str = "LMDB buffers no writes: a commit writes its pages";
const NO_BACKGROUND: &str = "LMDB has no background work: a commit does everything";
/// `mdb_env_set_mapsize`: the size is a multiple of the page size, which is at most this.
const MAP_UNIT_BYTES: u64 = 1 << 16;

fn failed(operation: &'static str) -> impl Fn(Error) -> EngineError {
    move |error| match error {
        // heed names no source: the kernel's error is passed on as it is.
        Error::Io(error) => EngineError::failed(Lmdb::NAME, operation)(error),
        other => EngineError::failed(Lmdb::NAME, operation)(other),
    }
}

/// Opens the environment in `data`.
#[allow(unsafe_code, reason = "LMDB reads through a memory map, so heed's `open` and `flags` are unsafe")]
fn environment(data: &Path, map_bytes: usize, flags: EnvFlags) -> Result<Env, Error> {
    let mut options = EnvOpenOptions::new();
    options.map_size(map_bytes);
    // SAFETY: the map is valid as long as nothing but LMDB changes its file. `data` is in a directory that
    // `store::prepare` made and marked: it holds no file of anybody else's, and Syncline removes it only after the
    // engine is closed. One process has it open at a time, a trial's worker or the one that counts what a killed worker
    // left, so nothing depends on how a file system shares maps and locks between processes; heed refuses a second
    // environment in the same process. `NO_LOCK` is not among the levels, and a read transaction ends within the call
    // that began it. Without syncs a crash of the machine may spoil the file; a study never reopens what such a crash
    // has left.
    unsafe { options.flags(flags).open(data) }
}

impl Engine for Lmdb {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        let mut transaction = self.environment.write_txn().map_err(failed("put"))?;
        self.entries.put(&mut transaction, key, value).map_err(failed("put"))?;
        transaction.commit().map_err(failed("commit"))
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        let transaction = self.environment.read_txn().map_err(failed("get"))?;
        let Some(found) = self.entries.get(&transaction, key).map_err(failed("get"))? else {
            return Ok(false);
        };
        value.clear();
        value.extend_from_slice(found);
        Ok(true)
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        let mut transaction = self.environment.write_txn().map_err(failed("delete"))?;
        self.entries.delete(&mut transaction, key).map_err(failed("delete"))?;
        transaction.commit().map_err(failed("commit"))
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        let transaction = self.environment.read_txn().map_err(failed("scan"))?;
        let range = (Bound::Included(start), Bound::Unbounded);
        let mut entries = 0;
        for entry in self.entries.range(&transaction, &range).map_err(failed("scan"))?.take(limit) {
            let (key, value) = entry.map_err(failed("scan"))?;
            sink(key, value);
            entries += 1;
        }
        Ok(entries)
    }

    fn sync(&self) -> Result<(), EngineError> {
        self.environment.force_sync().map_err(failed("sync"))
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
        self.sync()
    }
}

impl Adapter for Lmdb {
    const NAME: &'static str = "lmdb";
    const PERSISTENT: bool = true;
    type NativeLevel = EnvFlags;
    const LEVELS: &'static [(DurabilityLevel, EnvFlags)] = &[
        (
            DurabilityLevel {
                name: "nosync",
                class: DurabilityClass::Process,
                meaning: "Each commit writes its pages to the page cache; power loss may spoil the whole store.",
            },
            EnvFlags::NO_SYNC,
        ),
        (
            DurabilityLevel {
                name: "nometasync",
                class: DurabilityClass::Process,
                meaning: "Each commit syncs its pages but not the meta page; power loss may undo the last commit.",
            },
            EnvFlags::NO_META_SYNC,
        ),
        (
            DurabilityLevel {
                name: "sync",
                class: DurabilityClass::Power,
                meaning: "Each commit syncs its pages, then the meta page.",
            },
            EnvFlags::empty(),
        ),
    ];
    const DEFAULT_LEVEL: usize = 2;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[
        (Knob::DirectIo, "LMDB reads through a memory map, which is the page cache"),
        (Knob::CacheBytes, NO_CACHE),
        (Knob::WriteBufferBytes, NO_BUFFER),
        (Knob::Settings, NO_SETTINGS),
        (Knob::ReadsInFlight, Knob::ONE_READ),
    ];

    fn open(options: &Options, data: &Path, setting: EnvFlags) -> Result<Self, EngineError> {
        let map_bytes = options.store_bytes_max.next_multiple_of(MAP_UNIT_BYTES);
        let map_bytes = usize::try_from(map_bytes).unwrap_or(usize::MAX);
        let environment = environment(data, map_bytes, setting).map_err(failed("open"))?;
        let transaction = environment.write_txn().map_err(failed("open"))?;
        let made = environment.create_databases_and_commit(transaction, |opener, transaction| {
            opener.create_database(transaction, None).map(CommitOrAbort::<_, ()>::Commit)
        });
        let entries = made.map_err(failed("open"))?.unwrap_commit();
        Ok(Self { environment, entries, data: data.to_path_buf() })
    }
}
