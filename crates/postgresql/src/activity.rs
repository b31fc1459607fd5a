//! What a server has counted since it was started, as stock SQL reports it.

use crate::error::PostgresqlError;
use crate::session::Session;
use crate::setting::InForce;
use model::mechanism::Measured;
use model::server::PlanFact;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

/// `pg_stat_io` has the write-ahead log since PostgreSQL 18, and `pg_stat_wal` no more its syncs.
const WAL_IN_STAT_IO: u32 = 18;
/// `pg_stat_wal` came with PostgreSQL 14.
const STAT_WAL: u32 = 14;
/// `pg_stat_checkpointer` came with PostgreSQL 17.
const STAT_CHECKPOINTER: u32 = 17;
/// The clients' tables and indexes: this session reads the catalogs, which are not counted.
const BLOCKS_READ: &str =
    "SELECT coalesce(sum(heap_blks_read + coalesce(idx_blks_read, 0)), 0)::bigint FROM pg_statio_user_tables";
/// A process that serves a connection has ended by then, and has counted what it did.
const DISCONNECT_LIMIT: Duration = Duration::from_secs(10);
const DISCONNECT_PAUSE: Duration = Duration::from_millis(2);

/// Counters of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// Bytes of write-ahead log.
    pub wal_bytes: u64,
    pub wal_syncs: Measured<u64>,
    /// Whole pages in it.
    pub full_page_images: Measured<u64>,
    /// Segments of it that were made.
    pub wal_segments_created: Measured<u64>,
    /// Checkpoints that have begun.
    pub checkpoints: u64,
    /// Blocks of user tables and their indexes that were read into the buffers.
    pub blocks_read: u64,
}

impl Activity {
    /// What was added to the counters since an earlier reading.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let grown = |before: &Measured<u64>, after: &Measured<u64>| match before {
            Measured::Value(before) => after.map(|after| after.saturating_sub(*before)),
            Measured::Unsupported { unsupported } => Measured::unsupported(unsupported.clone()),
        };
        Self {
            wal_bytes: self.wal_bytes.saturating_sub(before.wal_bytes),
            wal_syncs: grown(&before.wal_syncs, &self.wal_syncs),
            full_page_images: grown(&before.full_page_images, &self.full_page_images),
            wal_segments_created: grown(&before.wal_segments_created, &self.wal_segments_created),
            checkpoints: self.checkpoints.saturating_sub(before.checkpoints),
            blocks_read: self.blocks_read.saturating_sub(before.blocks_read),
        }
    }
}

impl Session {
    /// The server's counters now.
    pub fn activity(&mut self) -> Result<Activity, PostgresqlError> {
        let major = self.version().major();
        if self.version().is_flushed_on_request() {
            self.execute("have the server count what this session did", "SELECT pg_stat_force_next_flush()")?;
        }
        let mut count = |query: &str| Ok(self.figure("read the server's counters", query)?.unsigned_abs());
        let wal_syncs = match major {
            WAL_IN_STAT_IO.. => Some(
                "SELECT coalesce(sum(fsyncs), 0)::bigint FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'",
            ),
            STAT_WAL.. => Some("SELECT wal_sync FROM pg_stat_wal"),
            _ => None,
        };
        let segments = "SELECT coalesce(sum(writes), 0)::bigint FROM pg_stat_io WHERE object = 'wal' AND context = \
            'init'";
        let images = (major >= STAT_WAL).then_some("SELECT wal_fpi FROM pg_stat_wal");
        let segments = (major >= WAL_IN_STAT_IO).then_some(segments);
        let mut counted = |query: Option<&str>| -> Result<Measured<u64>, PostgresqlError> {
            query.map_or_else(
                || Ok(Measured::unsupported(format!("PostgreSQL {major} does not count it"))),
                |query| count(query).map(Measured::Value),
            )
        };
        Ok(Activity {
            wal_syncs: counted(wal_syncs)?,
            full_page_images: counted(images)?,
            wal_segments_created: counted(segments)?,
            wal_bytes: count("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint")?,
            blocks_read: count(BLOCKS_READ)?,
            checkpoints: self.checkpoints()?,
        })
    }

    /// Checkpoints that have begun.
    pub fn checkpoints(&mut self) -> Result<u64, PostgresqlError> {
        let begun = if self.version().major() >= STAT_CHECKPOINTER {
            "SELECT num_timed + num_requested FROM pg_stat_checkpointer"
        } else {
            "SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter"
        };
        Ok(self.figure("count checkpoints", begun)?.unsigned_abs())
    }

    /// Waits until every other client has gone.
    pub fn await_disconnects(&mut self) -> Result<(), PostgresqlError> {
        let others = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND \
                      datname = current_database() AND pid <> pg_backend_pid()";
        let started = Instant::now();
        while self.figure("wait for clients to go", others)? > 0 && started.elapsed() < DISCONNECT_LIMIT {
            thread::sleep(DISCONNECT_PAUSE);
        }
        Ok(())
    }

    /// A setting as the server has it; `None` if it knows none of that name.
    pub fn in_force(&mut self, name: &str) -> Result<Option<InForce>, PostgresqlError> {
        let doing = "read a setting";
        let query = "SELECT setting, unit, vartype, current_setting(name) FROM pg_settings WHERE lower(name) = \
            lower($1)";
        let row = self.optional_row(doing, query, &[&name])?;
        row.map(|row| {
            let text = |place: usize| {
                let text: Result<Option<String>, _> = row.try_get(place);
                text.map_err(|error| PostgresqlError::during(doing, &error))
            };
            Ok(InForce {
                name: name.to_owned(),
                setting: text(0)?.unwrap_or_default(),
                unit: text(1)?,
                kind: text(2)?.unwrap_or_default(),
                shown: text(3)?.unwrap_or_default(),
            })
        })
        .transpose()
    }

    /// The plan of a query, without what it costs.
    pub fn plan(&mut self, query: &str) -> Result<PlanFact, PostgresqlError> {
        let doing = "read the plan of a query";
        let explain = format!("EXPLAIN (COSTS OFF, FORMAT JSON) {query}");
        let row = self.optional_row(doing, &explain, &[])?;
        let answer = row.map(|row| row.try_get::<_, serde_json::Value>(0)).transpose();
        let answer = answer.map_err(|error| PostgresqlError::during(doing, &error))?.unwrap_or_default();
        let hash = Sha256::digest(answer.to_string()).iter().take(8).fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        let nodes = answer.get(0).and_then(|statement| statement.get("Plan"));
        let nodes = nodes.map(crate::explain::nodes_of).unwrap_or_default();
        Ok(PlanFact { query: query.to_owned(), nodes, hash })
    }
}
