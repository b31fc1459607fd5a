//! The crate `store`: Syncline's own LSM tree, whose every I/O decision is an option.
//!
//! `io` decides how data are read and written. The log follows it in class power. In class process it is mapped where
//! the file system overwrites in place: a copy into the page cache survives the death of the process as a write does,
//! without a system call. Otherwise, and in class none, it is buffered. The settings can change the log alone
//! (`log.io`), and the data to another way through the page cache (`data.io = mmap` with `io = buffered`).

use super::store_settings;
use crate::store::disk_bytes;
use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats};
use ::store::storage::Directory;
use ::store::{Keys, StoreError};
use model::mechanism::Measured;
use model::{DurabilityClass, Key};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A store of the crate `store`.
#[derive(Debug)]
pub struct Store {
    store: ::store::Store,
    data: PathBuf,
}

fn failed(operation: &'static str) -> impl Fn(StoreError) -> EngineError {
    move |error| {
        let engine = Store::NAME;
        if error.is_full() {
            return EngineError::StorageFull { engine, operation, source: error.into() };
        }
        EngineError::Failed { engine, operation, source: error.into() }
    }
}

/// The options were checked before: what is refused now the machine does not have.
fn not_opened(error: StoreError) -> EngineError {
    match error {
        StoreError::Options { .. } => {
            EngineError::Unsupported { engine: Store::NAME, why: error.to_string() }
        }
        other => failed("open")(other),
    }
}

impl Engine for Store {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.store.put(key, value).map_err(failed("put"))
    }

    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
        self.store.get_into(key, value).map_err(failed("get"))
    }

    fn multi_get(&self, keys: &[Key], sink: impl FnMut(usize, Option<&[u8]>)) -> Result<(), EngineError> {
        self.store.get_each(keys, sink).map_err(failed("multi_get"))
    }

    fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
        self.store.delete(key).map_err(failed("delete"))
    }

    fn scan(
        &self,
        start: &[u8],
        limit: usize,
        mut sink: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize, EngineError> {
        let keys = Keys::range(start..).limit(limit as u64);
        let visit = |key: &[u8], value: &[u8]| {
            sink(key, value);
            ControlFlow::Continue(())
        };
        let entries = self.store.scan(&keys, visit).map_err(failed("scan"))?;
        Ok(entries as usize)
    }

    fn sync(&self) -> Result<(), EngineError> {
        self.store.sync().map_err(failed("sync"))
    }

    fn drain(&self) -> Result<Measured<f64>, EngineError> {
        let began = Instant::now();
        self.store.drain().map_err(failed("drain"))?;
        Ok(Measured::Value(began.elapsed().as_secs_f64()))
    }

    fn stats(&self) -> Stats {
        let counts = self.store.statistics().counts;
        let stall_nanos = counts.memtable_stall_nanos + counts.compaction_stall_nanos;
        Stats {
            disk_bytes: disk_bytes(&self.data).into(),
            write_stall_s: Measured::Value(stall_nanos as f64 / 1e9),
        }
    }

    fn close(self) -> Result<(), EngineError> {
        self.store.close().map_err(failed("close"))
    }
}

impl Adapter for Store {
    const NAME: &'static str = "store";
    const PERSISTENT: bool = true;
    type NativeLevel = DurabilityClass;
    const LEVELS: &'static [(DurabilityLevel, DurabilityClass)] = &[
        (
            DurabilityLevel {
                name: "none",
                class: DurabilityClass::None,
                meaning: "A write may still be in the log's buffer in the process.",
            },
            DurabilityClass::None,
        ),
        (
            DurabilityLevel {
                name: "process",
                class: DurabilityClass::Process,
                meaning: "Each write is in the log in the page cache, which is not synced.",
            },
            DurabilityClass::Process,
        ),
        (
            DurabilityLevel {
                name: "power",
                class: DurabilityClass::Power,
                meaning: "Each write is written to the log and synced; writers that wait share the sync.",
            },
            DurabilityClass::Power,
        ),
    ];
    const DEFAULT_LEVEL: usize = 2;
    const UNSUPPORTED: &'static [(Knob, &'static str)] = &[];

    fn open(options: &Options, data: &Path, setting: DurabilityClass) -> Result<Self, EngineError> {
        // Where the kernel does not answer, the log is buffered: that works everywhere.
        let can_map_log = Directory::overwrites_in_place(data).unwrap_or(false);
        let options = store_settings::options(options, setting, can_map_log)?;
        let store = ::store::Store::open(data, &options).map_err(not_opened)?;
        Ok(Self { store, data: data.to_path_buf() })
    }
}
