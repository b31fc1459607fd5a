//! A table of a given number of pages, one row on each, and the passes over it: filled, dirtied, written back,
//! displaced, read.
//!
//! A temporary table is in the session's own buffers (`temp_buffers`), which only its own statements change. Its dirty
//! pages are written when a second table, the *displacer*, takes their buffers. Other tables are in shared buffers, and
//! are written and displaced by `pg_buffercache_evict`.
//!
//! Page 002 found that a table does not fit into as many buffers as it has pages. The reason is `localbuf.c`'s clock
//! sweep together with a scan that begins again where it began before: pages of a free-space map that were used just
//! now have a usage count of up to 5 and outlast five rounds of the hand, the table's pages have 1. One buffer that
//! stays taken is enough: the scan's last page then takes the buffer of its first, which the next scan wants first, and
//! so on through the whole table. So the displacer's free-space map is used before the first read
//! ([`Table::displace`]), as it is in a session at work; without that a table fits exactly.

use crate::error::PostgresqlError;
use crate::explain::{Blocks, Explained, Times, Wal};
use crate::session::Session;
use crate::version::Version;
use model::mechanism::Measured;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of the one row on a page: more than half of it, so that there is no room for a second one.
const ROW_BYTES: usize = 8000;
/// Rows are windows of so much random data.
const PAYLOAD_BYTES: usize = 4 << 20;
/// Pages by which the displacer is larger than the buffers.
const DISPLACER_PAGES_MORE: u64 = 64;
/// Rows that use the displacer's free-space map again: with two, some of its pages leave within the first read and most
/// of the table is found by the second.
const MAP_USES: u32 = 8;
/// `hashint8extended` is how PostgreSQL itself hashes: an order of chance that the seed fixes.
const ORDER: &str = "hashint8extended(page, ";

/// What PostgreSQL promises of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    /// In the session's own buffers.
    Temporary,
    /// In shared buffers, without write-ahead log.
    Unlogged,
    /// In shared buffers, with write-ahead log.
    Permanent,
}

/// In which order pages are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they lie in the file.
    Sequential,
    /// Each once, in an order of chance that the seed fixes.
    Random(u32),
}

/// A table to be made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What is promised of it.
    pub kind: RelationKind,
    /// Its pages.
    pub pages: u64,
    /// `temp_buffers` of the session, in pages; shared buffers are the server's.
    pub buffers: u64,
    /// Seed of what is in it.
    pub seed: u64,
}

/// The result of a pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// From the request to the answer, its commit included.
    pub elapsed: Duration,
    /// The table's blocks, and the displacer's where it takes part.
    pub blocks: Blocks,
    /// Time in the calls that move them.
    pub times: Times,
    /// Pages that left their buffer for others (`pg_stat_io`, since PostgreSQL 16).
    pub evicted: Measured<u64>,
    /// What was written ahead.
    pub wal: Wal,
}

/// The table, as long as its session lives.
pub struct Table<'s> {
    session: &'s mut Session,
    shape: Shape,
    payload: Vec<u8>,
}

impl<'s> Table<'s> {
    /// Makes the table, and the displacer of a temporary one, both empty. `temp_buffers` cannot change once a session
    /// has used it: one session, one table.
    pub fn create(session: &'s mut Session, shape: Shape) -> Result<Self, PostgresqlError> {
        let mut payload = vec![0; PAYLOAD_BYTES];
        Xoshiro256PlusPlus::seed_from_u64(shape.seed).fill_bytes(&mut payload);
        let mut table = Self { session, shape, payload };
        match shape.kind {
            RelationKind::Temporary => {
                let buffers = format!("SET temp_buffers = {}", shape.buffers);
                table.session.execute("set temp_buffers", &buffers)?;
                table.make("TEMPORARY", "pages")?;
                table.make("TEMPORARY", "displacer")?;
            }
            RelationKind::Unlogged => table.make("UNLOGGED", "pages")?,
            RelationKind::Permanent => table.make("", "pages")?,
        }
        if shape.kind != RelationKind::Temporary {
            table.require_eviction()?;
        }
        Ok(table)
    }

    fn make(&mut self, persistence: &str, name: &str) -> Result<(), PostgresqlError> {
        // Stored as it is: neither compressed nor moved to a table of its own.
        let statement = format!(
            "CREATE {persistence} TABLE {name} (page int NOT NULL, filler bytea NOT NULL); \
             ALTER TABLE {name} ALTER filler SET STORAGE PLAIN"
        );
        self.session.execute("make a table", &statement)
    }

    fn require_eviction(&mut self) -> Result<(), PostgresqlError> {
        let version = self.session.version();
        if version < Version::EVICTION {
            return Err(PostgresqlError::Unsupported(format!(
                "PostgreSQL {version} cannot write back and displace shared buffers: pg_buffercache_evict came with 17"
            )));
        }
        self.session.execute("load pg_buffercache", "CREATE EXTENSION IF NOT EXISTS pg_buffercache")
    }

    /// Makes every page, in page order.
    pub fn fill(&mut self) -> Result<Pass, PostgresqlError> {
        let pages = self.shape.pages;
        let pass = self.insert("fill the table", "pages", 0, pages)?;
        let made =
            self.session.figure("read the size of the table", "SELECT pg_relation_size('pages') / 8192")?;
        if made.unsigned_abs() == pages {
            return Ok(pass);
        }
        Err(PostgresqlError::Unsupported(format!(
            "the table has {made} pages of 8 KiB instead of {pages}: this server's pages have another size"
        )))
    }

    fn insert(&mut self, doing: &str, name: &str, first: u64, count: u64) -> Result<Pass, PostgresqlError> {
        // For a few rows no more is sent than they differ in.
        let sent = PAYLOAD_BYTES.min((count as usize + 1).saturating_mul(ROW_BYTES));
        let windows = sent - ROW_BYTES;
        let end = first + count;
        // The constant is Knuth's multiplicative hash: neighbours get windows that are far apart.
        let statement = format!(
            "INSERT INTO {name} SELECT page, substring($1::bytea FROM 1 + (page * 2654435761 % {windows})::int FOR \
             {ROW_BYTES}) FROM generate_series({first}::bigint, {end}::bigint - 1) AS page"
        );
        let payload = std::mem::take(&mut self.payload);
        let pass = self.run(doing, &statement, &[&&payload[..sent]]);
        self.payload = payload;
        pass
    }

    /// More than there are buffers: none of it is found by the next scan, which so goes through all of them.
    fn displacer_pages(&self) -> u64 {
        self.shape.buffers + DISPLACER_PAGES_MORE
    }

    /// Brings every page back and dirties it, so that the buffers hold the table in the order of the pass: pages are
    /// written back in the order of their buffers. Locking a row changes its page and makes no second version of it.
    pub fn dirty(&mut self, order: Order) -> Result<Pass, PostgresqlError> {
        match self.shape.kind {
            RelationKind::Temporary => {
                let pages = self.displacer_pages();
                self.insert("fill the displacer", "displacer", 0, pages)?;
                // The first scan finds out that every row is committed and writes that down, which dirties the pages
                // again; the second leaves only clean ones.
                for _ in 0..2 {
                    self.run("read the displacer", SCAN_DISPLACER, &[])?;
                }
            }
            RelationKind::Unlogged | RelationKind::Permanent => {
                self.evict()?;
                // What is changed after it for the first time is logged whole.
                self.session.execute("write a checkpoint", "CHECKPOINT")?;
            }
        }
        let statement = match order {
            Order::Sequential => "SELECT 1 FROM pages FOR UPDATE".to_owned(),
            Order::Random(seed) => format!("SELECT 1 FROM {} FOR UPDATE OF pages", self.visits(seed)),
        };
        self.run("dirty the table", &statement, &[])
    }

    /// Writes every dirty page out of the buffers, in their order.
    pub fn write_back(&mut self) -> Result<Pass, PostgresqlError> {
        match self.shape.kind {
            RelationKind::Temporary => self.run("write the table back", SCAN_DISPLACER, &[]),
            RelationKind::Unlogged | RelationKind::Permanent => self.evict(),
        }
    }

    /// Leaves no page of the table in the buffers, and those of a temporary one as a session at work does: full of
    /// another table's pages, whose free-space map has just been used.
    pub fn displace(&mut self) -> Result<Pass, PostgresqlError> {
        match self.shape.kind {
            RelationKind::Temporary => {
                let scanned = self.run("displace the table", SCAN_DISPLACER, &[])?;
                let first = self.displacer_pages();
                for row in 0..u64::from(MAP_USES) {
                    self.insert("use the displacer's free-space map", "displacer", first + row, 1)?;
                }
                Ok(scanned)
            }
            RelationKind::Unlogged | RelationKind::Permanent => self.evict(),
        }
    }

    /// Reads every page once.
    pub fn read(&mut self, order: Order) -> Result<Pass, PostgresqlError> {
        let statement = match order {
            Order::Sequential => "SELECT count(*) FROM pages".to_owned(),
            Order::Random(seed) => format!("SELECT count(*) FROM {}", self.visits(seed)),
        };
        self.run("read the table", &statement, &[])
    }

    /// Reads this number of pages of the table once: the first ones, or some of them in random order. For a table in
    /// shared buffers and without read-ahead in the random case, this is what a page costs at a depth of one.
    pub fn read_some(&mut self, order: Order, pages: u64) -> Result<Pass, PostgresqlError> {
        let statement = match order {
            Order::Sequential => format!("SELECT count(*) FROM pages WHERE ctid < '({pages},0)'::tid"),
            Order::Random(seed) => format!("SELECT count(*) FROM {}", self.some_visits(seed, pages)),
        };
        self.run("read pages of the table", &statement, &[])
    }

    /// Removes what was made.
    pub fn drop_tables(self) -> Result<(), PostgresqlError> {
        self.session.execute("remove the tables", "DROP TABLE IF EXISTS pages, displacer")
    }

    fn visits(&self, seed: u32) -> String {
        self.some_visits(seed, self.shape.pages)
    }

    /// The table's rows by their place, each at most once. The row of a page is its first.
    fn some_visits(&self, seed: u32, pages: u64) -> String {
        let last = self.shape.pages.saturating_sub(1);
        format!(
            "(SELECT format('(%s,1)', page)::tid AS place FROM generate_series(0::bigint, {last}) AS page \
             ORDER BY {ORDER}{seed}) LIMIT {pages}) AS visits JOIN pages ON pages.ctid = visits.place"
        )
    }

    /// Pages of free-space and visibility maps, the displacer's included.
    pub fn map_pages(&mut self) -> Result<u64, PostgresqlError> {
        let of = |name: &str| format!("pg_relation_size('{name}', 'fsm') + pg_relation_size('{name}', 'vm')");
        let query = match self.shape.kind {
            RelationKind::Temporary => format!("SELECT ({} + {}) / 8192", of("pages"), of("displacer")),
            RelationKind::Unlogged | RelationKind::Permanent => format!("SELECT ({}) / 8192", of("pages")),
        };
        Ok(self.session.figure("read the size of the maps", &query)?.unsigned_abs())
    }

    /// The table's files, in segments of 1 GiB, where the server tells them.
    pub fn files(&mut self) -> Result<Vec<PathBuf>, PostgresqlError> {
        let doing = "read where the table is";
        let data = self.session.text(doing, "SELECT current_setting('data_directory')")?;
        let below = self.session.text(doing, "SELECT pg_relation_filepath('pages')")?;
        let first = PathBuf::from(data).join(below);
        let segment = |number: u64| match number {
            0 => first.clone(),
            _ => PathBuf::from(format!("{}.{number}", first.display())),
        };
        let segments = self.shape.pages.div_ceil(SEGMENT_PAGES).max(1);
        Ok((0..segments).map(segment).collect())
    }

    /// Writes back and displaces the pages of a table in shared buffers, in the order of the buffers.
    fn evict(&mut self) -> Result<Pass, PostgresqlError> {
        let statement = "SELECT pg_buffercache_evict(bufferid) FROM pg_buffercache WHERE relfilenode = \
                         pg_relation_filenode('pages') AND relforknumber = 0";
        self.run("displace the table", statement, &[])
    }

    fn run(
        &mut self,
        doing: &str,
        statement: &str,
        parameters: &[&(dyn postgres::types::ToSql + Sync)],
    ) -> Result<Pass, PostgresqlError> {
        let before = self.evictions()?;
        let (explained, elapsed) = self.session.explain(doing, statement, parameters)?;
        if statement.contains(ORDER) && !explained.nodes.iter().any(|node| node == "Tid Scan") {
            return Err(PostgresqlError::Unsupported(format!(
                "the server did not visit rows by their address but by {}: it did not read the pages in random order",
                explained.nodes.join(", ")
            )));
        }
        let after = self.evictions()?;
        let evicted = before.zip(&after, |before, after| after.saturating_sub(*before));
        Ok(self.pass(explained, elapsed, evicted))
    }

    fn pass(&self, explained: Explained, elapsed: Duration, evicted: Measured<u64>) -> Pass {
        let (blocks, times) = match self.shape.kind {
            RelationKind::Temporary => (explained.local, explained.local_times),
            RelationKind::Unlogged | RelationKind::Permanent => (explained.shared, explained.shared_times),
        };
        Pass { elapsed, blocks, times, evicted, wal: explained.wal.unwrap_or_default() }
    }

    /// A server of Syncline has no other clients, so what all clients evicted is what this one did.
    fn evictions(&mut self) -> Result<Measured<u64>, PostgresqlError> {
        let version = self.session.version();
        if version.major() < 16 {
            return Ok(Measured::unsupported(format!(
                "PostgreSQL {version} has no pg_stat_io: it came with 16"
            )));
        }
        if !self.session.is_ours() {
            return Ok(Measured::unsupported("pg_stat_io counts every client of the server together"));
        }
        let doing = "read pg_stat_io";
        let object = if self.shape.kind == RelationKind::Temporary { "temp relation" } else { "relation" };
        self.session.execute(doing, "SELECT pg_stat_force_next_flush()")?;
        let query = format!(
            "SELECT coalesce(sum(evictions), 0)::bigint FROM pg_stat_io WHERE object = '{object}' AND backend_type = \
             'client backend'"
        );
        Ok(Measured::Value(self.session.figure(doing, &query)?.unsigned_abs()))
    }
}

const SCAN_DISPLACER: &str = "SELECT count(*) FROM displacer";
/// `RELSEG_SIZE` of 1 GiB.
const SEGMENT_PAGES: u64 = 131_072;
