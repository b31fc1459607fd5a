//! How much a server writes to its log, by its own counters. Statements here only read.

use crate::error::PostgresqlError;
use crate::session::Session;
use model::mechanism::Measured;
use std::thread;
use std::time::Duration;

/// `pg_stat_wal` came with PostgreSQL 14.
const STAT_WAL: u32 = 14;
/// The mean since the reset counts if the counters have this age: an hour has several checkpoints.
const AGE_S_MIN: f64 = 3600.0;
/// Time between two reads otherwise. Sessions report what they wrote about once a second.
const BETWEEN_READS: Duration = Duration::from_secs(10);

/// Bytes of log that a server wrote in a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrittenWal {
    pub bytes: u64,
    pub seconds: f64,
    /// Whether it is all since the reset of the counters; otherwise what came between two reads.
    pub is_since_reset: bool,
}

/// One read of `pg_stat_wal`.
struct Counted {
    bytes: u64,
    /// Seconds since the counters were reset.
    age_s: f64,
}

impl Session {
    /// What the server wrote to its log: since the reset of its counters if that is an hour ago, otherwise between two
    /// reads ten seconds apart. Unsupported before PostgreSQL 14.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn written_wal(&mut self) -> Result<Measured<WrittenWal>, PostgresqlError> {
        let major = self.version().major();
        if major < STAT_WAL {
            return Ok(Measured::unsupported(format!(
                "PostgreSQL {major} has no pg_stat_wal, which came with 14"
            )));
        }
        let first = self.counted_wal()?;
        if first.age_s >= AGE_S_MIN {
            let (bytes, seconds) = (first.bytes, first.age_s);
            return Ok(Measured::Value(WrittenWal { bytes, seconds, is_since_reset: true }));
        }
        thread::sleep(BETWEEN_READS);
        let second = self.counted_wal()?;
        let seconds = second.age_s - first.age_s;
        let (true, Some(bytes)) = (seconds > 0.0, second.bytes.checked_sub(first.bytes)) else {
            return Ok(Measured::unsupported("pg_stat_wal was reset between two reads"));
        };
        Ok(Measured::Value(WrittenWal { bytes, seconds, is_since_reset: false }))
    }

    fn counted_wal(&mut self) -> Result<Counted, PostgresqlError> {
        let doing = "read the volume of the server's log";
        let query = "SELECT wal_bytes::bigint, extract(epoch FROM clock_timestamp() - stats_reset)::float8 FROM pg_stat_wal";
        let row = self.optional_row(doing, query, &[])?;
        let refused = |error: postgres::Error| PostgresqlError::during(doing, &error);
        let bytes: Option<i64> = row.as_ref().map(|row| row.try_get(0)).transpose().map_err(refused)?;
        let age: Option<Option<f64>> = row.as_ref().map(|row| row.try_get(1)).transpose().map_err(refused)?;
        Ok(Counted {
            bytes: bytes.unwrap_or_default().unsigned_abs(),
            age_s: age.flatten().unwrap_or_default(),
        })
    }

    /// The maximum number of connections to the server.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn connections_max(&mut self) -> Result<u64, PostgresqlError> {
        let query = "SELECT current_setting('max_connections')::bigint";
        Ok(self.figure("read max_connections", query)?.unsigned_abs())
    }

    /// Has the server refuse every statement of this session that writes.
    ///
    /// # Errors
    /// The server does not answer.
    pub fn only_read(&mut self) -> Result<(), PostgresqlError> {
        self.execute("make the session read-only", "SET default_transaction_read_only = on")
    }
}
