//! The pool workload's parameters, and what follows from them.

use super::levels::{Access, Maps, Subject, Table};
use super::{POLICIES, maps};
use crate::IoEngine;
use model::description::FileSet;
use model::parameter::{bytes, count, number, one_of};
use model::units::{KIB, format_bytes};
use model::{BufferPages, Cache, Configuration, IoMode, Layout, LevelError, Levels, parameters};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "pool";

parameters! {
    /// One value for every parameter of the pool workload.
    pub struct Parameters;
    /// The pool workload's parameters.
    pub const PARAMETERS: Handles;

    /// the buffer pool: Syncline's own, or a PostgreSQL server's, measured by SQL
    subject: Subject = "ours",
    /// pages of the table
    blocks: u64 = "2048" in count(16..=1 << 20),
    /// frames of the pool ÷ pages of the table; for PostgreSQL the frames are temp_buffers or shared_buffers
    headroom: f64 = "1.1" in number(0.1..=10.0),
    /// the order in which the table's pages are read and written back
    access: Access = "sequential",
    /// replacement policy of the pool; PostgreSQL has clock_sweep
    policy: &'static str = "clock_sweep" in one_of(POLICIES),
    /// bytes of a page, a power of two
    page_size: u32 = "8KiB" in bytes(4 * KIB..=64 * KIB),
    /// I/O mode below the pool; for PostgreSQL, direct sets debug_io_direct = data
    mode: IoMode = "buffered" in one_of(IoMode::SYSTEM_CALL_NAMES),
    /// how Syncline's pool reads and writes; no effect with subject = postgres
    ioengine: IoEngine = "psync",
    /// register files and buffers with the ring, which saves the kernel work; few databases do. No effect without
    /// ioengine = uring
    registered: bool = "false",
    /// pages of memory behind the frames of Syncline's pool: the kernel's base size (4KiB), or huge pages;
    /// verified. PostgreSQL sets its own (huge_pages)
    buffer_pages: BufferPages = "small",
    /// pages that Syncline's pool reads ahead of a pass; no effect with subject = postgres
    read_ahead: u32 = "0" in count(0..=255),
    /// pages that a pass needs besides the table's: as many as PostgreSQL's free-space and visibility maps, or none
    maps: Maps = "postgres",
    /// the file's pages in the kernel's cache before the first pass: none or all; verified
    cache: Cache = "cold" in one_of(Cache::PROVEN_NAMES),
    /// percent of the table's pages that cache = warm loads into the kernel's cache; below 100 they are scattered
    /// pseudo-randomly; no effect if cache is not warm
    cached_percentage: u64 = "100" in count(0..=100),
    /// pages of the table that each pass reads: the first ones, or random ones with access = random; 0 = all
    reads: u64 = "0" in count(0..=1 << 20),
    /// durability of the table in PostgreSQL: temporary ones use temp_buffers, the others shared_buffers, and only
    /// permanent ones write-ahead log
    table: Table = "temporary",
}

impl Parameters {
    /// Rounds of displacement with different pages; after them the first round's pages are used again.
    pub const DISPLACER_ROUNDS: u32 = 4;

    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// Pages that a read pass accesses.
    pub fn pass_pages(&self) -> u64 {
        if self.reads == 0 { self.blocks } else { self.reads }
    }

    /// Frames of the pool: `temp_buffers` of a PostgreSQL session.
    pub fn frames(&self) -> u64 {
        (self.blocks as f64 * self.headroom).round() as u64
    }

    /// Pages that every pass needs beside the table's own.
    pub fn map_pages(&self) -> u64 {
        if self.maps == Maps::Postgres { maps::map_pages(self.blocks, u64::from(self.page_size)) } else { 0 }
    }

    /// Pages that have a place in the file: the table's and the maps'.
    pub fn file_pages(&self) -> u64 {
        self.blocks + self.map_pages()
    }

    /// Pages that have a number: those of the file, and the displacer's.
    pub fn pages(&self) -> u64 {
        self.file_pages() + u64::from(Self::DISPLACER_ROUNDS) * self.frames()
    }

    /// Pages that a trial reads from the file or the page cache at most: two passes over what they access, and what
    /// PostgreSQL needs to write a table back. Its displacer of a temporary table is scanned four times; any other
    /// table is evicted, and read again to be changed.
    pub(super) fn pages_read_max(&self) -> u64 {
        let passes = 2 * (self.pass_pages().min(self.blocks) + self.map_pages());
        match (self.subject, self.table) {
            (Subject::Ours, _) => passes,
            (Subject::Postgres, Table::Temporary) => passes + self.file_pages() + 4 * self.displacer_pages(),
            (Subject::Postgres, Table::Unlogged | Table::Permanent) => passes + self.file_pages(),
        }
    }

    /// Pages that a trial writes at most. Syncline's pool writes each page once. PostgreSQL writes the table as the
    /// fill made it and again when it is changed, and the displacer too; the log of a permanent table holds its pages
    /// as often.
    pub(super) fn pages_written_max(&self) -> u64 {
        match (self.subject, self.table) {
            (Subject::Ours, _) => self.file_pages(),
            (Subject::Postgres, Table::Temporary) => 2 * (self.file_pages() + self.displacer_pages()),
            (Subject::Postgres, Table::Unlogged) => 2 * self.file_pages(),
            (Subject::Postgres, Table::Permanent) => 4 * self.file_pages(),
        }
    }

    /// Pages of the table that displaces a temporary one: a few more than there are frames.
    fn displacer_pages(&self) -> u64 {
        const MORE: u64 = 128;
        self.frames() + MORE
    }

    /// Bytes of the frames.
    pub fn pool_bytes(&self) -> u64 {
        self.frames() * u64::from(self.page_size)
    }

    /// Bytes of the table and its maps.
    pub fn file_bytes(&self) -> u64 {
        self.file_pages() * u64::from(self.page_size)
    }

    /// The content of pages that Syncline's pool creates: the words of one page, which do not compress. The same seed
    /// gives the same words.
    pub fn payload(&self, seed: u64) -> Vec<u64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..self.page_size / 8).map(|_| random.next_u64()).collect()
    }

    /// The file below Syncline's pool; PostgreSQL creates its own.
    pub fn files(&self) -> Vec<FileSet> {
        match self.subject {
            Subject::Postgres => Vec::new(),
            Subject::Ours => vec![FileSet {
                name: format!("data-{}", format_bytes(self.file_bytes())),
                role: "data".to_owned(),
                layout: Layout::Prefilled,
                size_bytes: self.file_bytes(),
                count: 1,
            }],
        }
    }
}
