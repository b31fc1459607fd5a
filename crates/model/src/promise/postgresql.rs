//! PostgreSQL: a row is acknowledged as `synchronous_commit` and `fsync` say.

use super::table::{Promise, PromiseTable};
use crate::DurabilityClass;

const WAL: &str = "https://www.postgresql.org/docs/current/runtime-config-wal.html";

pub(super) static TABLE: PromiseTable = PromiseTable { server: "postgresql", promises, keeping: &[] };

fn promises() -> Vec<Promise> {
    vec![
        Promise::new(DurabilityClass::Power, WAL, &[("synchronous_commit", "on")]).by_default(),
        Promise::new(DurabilityClass::Power, WAL, &[("synchronous_commit", "local")]),
        Promise::new(DurabilityClass::Power, WAL, &[("commit_delay", "1000"), ("commit_siblings", "1")]),
        Promise::new(DurabilityClass::Power, WAL, &[("wal_sync_method", "open_datasync")]),
        // "Might lead to either unrecoverable data corruption, or silent data corruption, after a system failure."
        Promise::new(DurabilityClass::Process, WAL, &[("full_page_writes", "off")]),
        // "The maximum delay is three times wal_writer_delay", and a killed process loses what is in its buffers.
        Promise::new(DurabilityClass::None, WAL, &[("synchronous_commit", "off")]).recovering(),
        Promise::new(DurabilityClass::Process, WAL, &[("fsync", "off")]),
    ]
}
