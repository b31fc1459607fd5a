//! RocksDB, bundled: an LSM tree in C++. One column family, without compression, with bloom filters of 10 bits a key
//! (as fjall has by default); everything else as RocksDB ships it, unless the options say otherwise.
//!
//! Durability after `include/rocksdb/options.h`: with `WriteOptions::sync` off, "if the machine crashes, some recent
//! writes may be lost; if it is just the process that crashes, no writes will be lost", as the WAL is written to the
//! page cache. With `disableWAL` "the write may got lost after a crash". `manual_wal_flush`: "the WAL is not flushed
//! automatically after each write", so it is in a buffer in the process.
//!
//! Direct I/O is for tables: `use_direct_reads` opens them for reads, `use_direct_io_for_flush_and_compaction` for
//! writes, with `O_DIRECT`. The WAL goes through the page cache in either mode. The block cache has 32 MiB unless it is
//! set.

use super::rocksdb_options;
use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats, store};
use ::rocksdb::properties::DBSTATS;
use ::rocksdb::{Cache, DB, Error, WaitForCompactOptions, WriteOptions};
use model::mechanism::Measured;
use model::{DurabilityClass, IoMode};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A RocksDB database with its default column family.
pub struct RocksDb {
    database: DB,
    write: WriteOptions,
    wal: Wal,
    data: PathBuf,
    /// Behind the database, which reaches its files through it: fields are dropped in order.
    _parent: Option<File>,
}

/// What a write does to the write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wal {
    /// `disableWAL`.
    Off,
    /// `manual_wal_flush`.
    Manual,
    /// RocksDB's default.
    Write,
    /// `WriteOptions::sync`.
    Sync,
}

const BLOOM_BITS_PER_KEY: u32 = 10;
/// As RocksDB ships it.
const CACHE_BYTES: u64 = 32 << 20;

fn failed(operation: &'static str) -> impl Fn(Error) -> EngineError {
    move |error| {
        if is_storage_full(&error) {
            EngineError::StorageFull { engine: RocksDb::NAME, operation, source: error.into() }
        } else {
            EngineError::failed(RocksDb::NAME, operation)(error)
        }
    }
}

/// RocksDB's C interface hands out a status as text: code, subcode, then what happened (`util/status.cc`). The crate
/// reads the code from it, this the subcode `kNoSpace`.
fn is_storage_full(error: &Error) -> bool {
    let subcode = error.as_ref().strip_prefix("IO error: ");
    subcode.is_some_and(|subcode| subcode.starts_with("No space left on device"))
}

/// The hours, minutes and seconds of `Cumulative stall: 00:00:0.123 H:M:S, 0.0 percent`, in seconds
/// (`db/internal_stats.cc`).
fn stall_s(stats: &str) -> Option<f64> {
    let (_, after) = stats.split_once("Cumulative stall: ")?;
    let mut parts = after.split_whitespace().next()?.splitn(3, ':').map(str::parse::<f64>);
    let mut next = || parts.next()?.ok();
    Some(next()? * 3600.0 + next()? * 60.0 + next()?)
}

/// The crate hands a path on as text and replaces parts that are not UTF-8, so the database would be made elsewhere.
/// Its parent's descriptor then stands for the parent: `/proc/self/fd/7/data`.
fn as_text(data: &Path) -> io::Result<(PathBuf, Option<File>)> {
    match (data.to_str(), data.parent(), data.file_name()) {
        (None, Some(parent), Some(name)) => {
            let parent = File::open(parent)?;
            let through = Path::new("/proc/self/fd").join(parent.as_raw_fd().to_string()).join(name);
            Ok((through, Some(parent)))
        }
        (Some(_), ..) | (None, None, _) | (None, _, None) => Ok((data.to_owned(), None)),
    }
}

/// What is not as RocksDB ships it.
fn lines(options: &Options, wal: Wal) -> rocksdb_options::Lines {
    let line = |name: &str, value: &dyn fmt::Display| (name.to_owned(), value.to_string());
    let direct = options.io == IoMode::Direct;
    let database = vec![
        line("create_if_missing", &true),
        line("manual_wal_flush", &(wal == Wal::Manual)),
        line("use_direct_reads", &direct),
        line("use_direct_io_for_flush_and_compaction", &direct),
    ];
    let mut family = vec![line("compression", &"kNoCompression")];
    family.extend(options.write_buffer_bytes.map(|bytes| line("write_buffer_size", &bytes)));
    let table = vec![line("filter_policy", &format_args!("bloomfilter:{BLOOM_BITS_PER_KEY}:false"))];
    [database, family, table]
}

/// Names of what the options choose themselves: a setting of that name would contradict the trial's record.
fn chosen(options: &Options) -> Vec<&'static str> {
    let direct = ["use_direct_reads", "use_direct_io_for_flush_and_compaction"];
    let is_direct = options.io == IoMode::Direct;
    let direct = direct.into_iter().filter(|_| is_direct);
    direct.chain(options.write_buffer_bytes.map(|_| "write_buffer_size")).collect()
}

impl RocksDb {
    fn write_stall_s(&self) -> Measured<f64> {
        let stats = self.database.property_value(DBSTATS);
        match stats.ok().flatten().as_deref().and_then(stall_s) {
            Some(seconds) => Measured::Value(seconds),
            None => Measured::unsupported("RocksDB's property dbstats lacks its cumulative stall"),
        }
    }
}

impl Engine for RocksDb {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.database.put_opt(key, value, &self.write).map_err(failed("put"))
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        let Some(found) = self.database.get_pinned(key).map_err(failed("get"))? else { return Ok(false) };
        value.clear();
        value.extend_from_slice(&found);
        Ok(true)
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        self.database.delete_opt(key, &self.write).map_err(failed("delete"))
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        let mut cursor = self.database.raw_iterator();
        cursor.seek(start);
        let mut entries = 0;
        while entries < limit {
            let Some((key, value)) = cursor.item() else { break };
            sink(key, value);
            entries += 1;
            if entries < limit {
                cursor.next();
            }
        }
        cursor.status().map_err(failed("scan"))?;
        Ok(entries)
    }

    fn sync(&self) -> Result<(), EngineError> {
        match self.wal {
            Wal::Off => self.database.flush().map_err(failed("flush")),
            Wal::Manual | Wal::Write | Wal::Sync => self.database.flush_wal(true).map_err(failed("sync")),
        }
    }

    fn drain(&self) -> Result<Measured<f64>, EngineError> {
        let began = Instant::now();
        let mut options = WaitForCompactOptions::default();
        options.set_flush(true);
        self.database.wait_for_compact(&options).map_err(failed("wait for compactions"))?;
        Ok(Measured::Value(began.elapsed().as_secs_f64()))
    }

    fn stats(&self) -> Stats {
        Stats { disk_bytes: store::disk_bytes(&self.data).into(), write_stall_s: self.write_stall_s() }
    }

    fn close(self) -> Result<(), EngineError> {
        self.sync()?;
        self.database.cancel_all_background_work(true);
        Ok(())
    }
}

impl Adapter for RocksDb {
    const NAME: &'static str = "rocksdb";
    const PERSISTENT: bool = true;
    type NativeLevel = Wal;
    const LEVELS: &'static [(DurabilityLevel, Wal)] = &[
        (
            DurabilityLevel {
                name: "no_wal",
                class: DurabilityClass::None,
                meaning: "A write is in the memtable only, in the process.",
            },
            Wal::Off,
        ),
        (
            DurabilityLevel {
                name: "manual_wal_flush",
                class: DurabilityClass::None,
                meaning: "A write may still be in the WAL's buffer in the process.",
            },
            Wal::Manual,
        ),
        (
            DurabilityLevel {
                name: "wal",
                class: DurabilityClass::Process,
                meaning: "Each write is written to the WAL, in the page cache.",
            },
            Wal::Write,
        ),
        (
            DurabilityLevel {
                name: "sync",
                class: DurabilityClass::Power,
                meaning: "Each write is written to the WAL, then fdatasync.",
            },
            Wal::Sync,
        ),
    ];
    const DEFAULT_LEVEL: usize = 2;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[(Knob::ReadsInFlight, Knob::ONE_READ)];

    fn open(options: &Options, data: &Path, setting: Wal) -> Result<Self, EngineError> {
        let cache_bytes = options.cache_bytes.unwrap_or(CACHE_BYTES);
        let cache = Cache::new_lru_cache(usize::try_from(cache_bytes).unwrap_or(usize::MAX));
        let (text, parent) = as_text(data).map_err(EngineError::failed(Self::NAME, "open"))?;
        let (settings, families) = rocksdb_options::load(
            lines(options, setting),
            &chosen(options),
            &options.settings,
            &text,
            &cache,
        )?;
        let mut write = WriteOptions::default();
        write.disable_wal(setting == Wal::Off);
        write.set_sync(setting == Wal::Sync);
        let database = DB::open_cf_descriptors(&settings, &text, families).map_err(failed("open"))?;
        rocksdb_options::verify(&options.settings, &text)?;
        Ok(Self { database, write, wal: setting, data: data.to_path_buf(), _parent: parent })
    }
}

impl fmt::Debug for RocksDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RocksDb").field("wal", &self.wal).field("data", &self.data).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::rocksdb::properties::{
        BLOCK_CACHE_CAPACITY, COMPACTION_PENDING, ESTIMATE_PENDING_COMPACTION_BYTES, MEM_TABLE_FLUSH_PENDING,
        NUM_RUNNING_COMPACTIONS, NUM_RUNNING_FLUSHES,
    };

    #[test]
    fn the_block_cache_is_32_mib_unless_it_is_set() {
        for (cache_bytes, expected) in [(None, 32 << 20), (Some(5 << 20), 5 << 20)] {
            let directory = tempfile::tempdir().unwrap();
            let options = Options { cache_bytes, ..Options::new(directory.path().join("store")) };
            let engine: RocksDb = super::super::open(&options).unwrap();
            let capacity = engine.database.property_int_value(BLOCK_CACHE_CAPACITY);
            assert_eq!(capacity, Ok(Some(expected)));
        }
    }

    /// The crate made a database beside the directory that it was given, in one whose name has U+FFFD for the parts
    /// that are not UTF-8.
    #[test]
    fn a_directory_whose_name_is_no_text_is_the_one_that_is_used() {
        use std::os::unix::ffi::OsStrExt;
        let directory = tempfile::tempdir().unwrap();
        let odd = directory.path().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
        std::fs::create_dir(&odd).unwrap();
        for _ in 0..2 {
            let engine: RocksDb = super::super::open(&Options::new(odd.join("store"))).unwrap();
            engine.put(b"key", &[7; 100]).unwrap();
            let mut value = Vec::new();
            assert!(engine.get(b"key", &mut value).unwrap());
            drop(engine);
        }
        let names: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(names, [odd]);
    }

    #[test]
    fn nothing_is_left_to_do_after_draining() {
        let directory = tempfile::tempdir().unwrap();
        let options =
            Options { write_buffer_bytes: Some(1 << 18), ..Options::new(directory.path().join("store")) };
        let engine: RocksDb = super::super::open(&options).unwrap();
        for key in 0..20_000_u32 {
            engine.put(&key.to_be_bytes(), &[7; 100]).unwrap();
        }
        engine.drain().unwrap();
        for property in [
            ESTIMATE_PENDING_COMPACTION_BYTES,
            COMPACTION_PENDING,
            MEM_TABLE_FLUSH_PENDING,
            NUM_RUNNING_COMPACTIONS,
            NUM_RUNNING_FLUSHES,
        ] {
            let left = engine.database.property_int_value(property);
            assert_eq!(left, Ok(Some(0)), "{property:?}");
        }
    }

    #[test]
    fn the_cumulative_stall_is_read_in_seconds() {
        let stats = "Interval stall: 00:00:0.000 H:M:S, 0.0 percent\nCumulative stall: 01:02:3.500 H:M:S, 0.0 \
            percent\n";
        assert_eq!(stall_s(stats), Some(3723.5));
        assert_eq!(stall_s("nothing of the kind"), None);
    }
}
