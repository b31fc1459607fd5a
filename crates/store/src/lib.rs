//! A log-structured merge tree whose every I/O decision is an option, with direct I/O by default.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::ops::ControlFlow;
//! use store::{Batch, Keys, Options, Store};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("store");
//! # let mut options = Options::default();
//! # options.memtable_bytes = 1 << 20;
//! # options.log.segment_bytes = 1 << 20;
//! # (options.data.io, options.log.io) = (store::IoMode::Buffered, store::IoMode::Buffered);
//! let store = Store::open(&path, &options)?;
//! store.put(b"city/Bern", b"134 506")?;
//! let mut batch = Batch::new();
//! batch.put(b"city/Basel", b"173 552")?.delete(b"city/Bern")?;
//! store.write(&batch)?;
//!
//! assert_eq!(store.get(b"city/Bern")?, None);
//! assert_eq!(store.multi_get(&["city/Basel", "city/Olten"])?, [Some(b"173 552".to_vec()), None]);
//! let mut cities = Vec::new();
//! store.scan(&Keys::prefix(b"city/"), |key, _people| {
//!     cities.push(key.to_vec());
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(cities, [b"city/Basel"]);
//! store.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! It is a reference, not a replacement of RocksDB: small enough to be read, and the one engine in which a single I/O
//! decision can be changed and its effect measured.
//!
//! - **A write** gets a sequence number and goes to the memtable and to the log; reads find it once it is in both.
//!   Writes that come at the same time share the log's writes and syncs, and a thread may have many under way
//!   ([`Store::write_async`]).
//! - **A full memtable** becomes one sorted run for each partition; then its log segments are used again.
//! - **A read** looks into the memtables, then into the runs whose filters may have the key, the newest first. Page
//!   index and filter are in memory, so a hit is one read of one page.
//! - **Everything on the disk has a checksum** that is bound to its file and offset; `FORMAT.md` describes the bytes.
//! - **One manifest names the files of the store.** A rename replaces it. A run never changes.
//! - **On a full file system** the store refuses puts ([`StoreError::Full`]) and takes deletes:
//!   [`reserve_bytes`](field@Options::reserve_bytes) are kept back for them, for flushes, and for merges that drop
//!   deletes. [`Store::drain`] gives the room back. A merge needs room for what it keeps, so a few deletes in one large
//!   run may find too little.
//! - **After an I/O error** the store accepts no further writes, because the content of the disk is unknown. Opening it
//!   again recovers every acknowledged write.
//! - **The disk is a trait** ([`storage::Storage`]). The tests run the same code on a simulated one that loses power.

mod ahead;
mod applied;
mod background;
mod batch;
mod block;
mod cache;
mod checksum;
mod codec;
mod commit;
mod compaction;
mod counters;
mod cursor;
mod entry;
mod error;
mod file_writer;
mod files;
pub mod format;
mod gate;
mod gets;
mod group_commit;
mod key_prefix;
mod keys;
mod large_value;
mod limits;
mod log;
mod manifest;
mod memtable;
mod merge;
mod open;
mod options;
mod read;
mod reserve;
mod rotate;
mod run;
mod scan;
mod shared;
pub mod storage;
mod store;
mod sync;
mod transfers;
mod values;
mod verify;
mod version;
mod write;

pub use batch::Batch;
pub use block::BLOCK_BYTES;
pub use commit::Commit;
pub use counters::{Counts, Statistics};
pub use error::StoreError;
pub use keys::Keys;
pub use limits::{BATCH_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX};
pub use manifest::FORMAT;
pub use model::{DurabilityClass, IoMode};
pub use options::{
    CompactionOptions, DataOptions, FilterKind, LeveledOptions, LogLayout, LogOptions, LogPacking, LogSync,
    Options, ReadEngine, ReadOptions, SizeTieredOptions, ValueOptions,
};
pub use store::{Snapshot, Store};
pub use verify::{Verification, verify, verify_on};
