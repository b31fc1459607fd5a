//! Entries of a key and a value, one after another: the cost of durability, as on page 003.
//!
//! [`Raw`] writes them to the end of a file, [`Keyed`] puts them into a key-value engine. Both have the same
//! [`Parameters`] and the same [`metrics()`]. Entries are acknowledged in the order of their numbers, and an entry
//! follows from its number and the trial's seed. Another process therefore needs only a count to check that no
//! acknowledged entry was lost.

mod definitions;
mod describe;
mod keyed;
mod levels;
mod metrics;
mod parameters;
mod progress;
mod raw;
mod schema;
mod user_buffer;

pub use definitions::SIZE_PARAMETER;
pub use keyed::Keyed;
pub use levels::{ENGINES, FileDurability, Store};
pub use metrics::{Exposure, entries, metrics};
pub use parameters::{Handles, PARAMETERS, Parameters};
pub use progress::{Progress, Published};
pub use raw::{ENTRIES_FILE, Raw};
pub use schema::SCHEMA;

use driver::Workload;

const FAMILIES: &[&str] = &["append_latency", "sync_latency", "write_latency"];
const APPEND_LATENCY: usize = 0;
const SYNC_LATENCY: usize = 1;
const WRITE_LATENCY: usize = 2;

/// A workload that acknowledges entries.
pub trait Appender: Workload {
    /// Number of acknowledged entries: those from 0 to this number, exclusive.
    fn acknowledged(&self) -> u64;

    /// Bytes of the entries acknowledged.
    fn acknowledged_bytes(&self) -> u64;

    /// Bytes of entries handed to the kernel or the engine. If more bytes are acknowledged than written, the difference
    /// is in the process's own memory. If more are written than acknowledged, the difference waits for a sync.
    fn written_bytes(&self) -> u64;
}

#[cfg(test)]
mod tests;
