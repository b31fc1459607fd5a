//! A pool configuration, typed.

use super::definitions::DEFINITIONS;
use super::levels::{Access, Maps, Subject, Table};
use super::maps;
use crate::IoEngine;
use model::buffer::BUFFER_PAGES;
use model::description::FileSet;
use model::units::format_bytes;
use model::{BufferPages, Cache, Configuration, IoMode, Layout, LevelError, Levels};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// One value for every parameter of the pool workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Whose pool it is.
    pub subject: Subject,
    /// Pages of the table.
    pub blocks: u64,
    /// Frames of the pool ÷ pages of the table.
    pub headroom: f64,
    /// The order of reads and of write-backs.
    pub access: Access,
    /// The replacement policy, one of [`super::POLICIES`].
    pub policy: &'static str,
    /// Bytes of a page.
    pub page_size: u32,
    /// How the page cache takes part.
    pub mode: IoMode,
    /// Which backend Syncline's pool uses to read and write.
    pub ioengine: IoEngine,
    /// Whether a ring gets the files and the buffers registered.
    pub registered: bool,
    /// The pages of the memory that holds the frames of Syncline's pool.
    pub buffer_pages: BufferPages,
    /// Pages that are read ahead of a pass.
    pub read_ahead: u32,
    /// Whether a pass needs map pages beside the table's.
    pub maps: bool,
    /// Page cache state before the first pass.
    pub cache: Cache,
    /// Percent of the table that a warm cache holds.
    pub cached_percentage: u64,
    /// Pages that a read pass accesses.
    pub reads: u64,
    /// What PostgreSQL guarantees for the table.
    pub table: Table,
}

impl Parameters {
    /// Rounds of displacement with different pages; after them the first round's pages are used again.
    pub const DISPLACER_ROUNDS: u32 = 4;

    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(&DEFINITIONS, configuration);
        let blocks = levels.count("blocks")?;
        Ok(Self {
            subject: levels.level("subject")?,
            blocks,
            headroom: levels.number("headroom")?,
            access: levels.level("access")?,
            policy: levels.choice("policy")?,
            page_size: levels.bytes("page_size")? as u32,
            mode: levels.level("mode")?,
            ioengine: levels.level("ioengine")?,
            registered: levels.flag("registered")?,
            buffer_pages: levels.level(BUFFER_PAGES)?,
            read_ahead: levels.count("read_ahead")? as u32,
            maps: levels.level::<Maps>("maps")? == Maps::Postgres,
            cache: levels.level("cache")?,
            cached_percentage: levels.count("cached_percentage")?,
            reads: match levels.count("reads")? {
                0 => blocks,
                reads => reads,
            },
            table: levels.level("table")?,
        })
    }

    /// Frames of the pool: `temp_buffers` of a PostgreSQL session.
    pub fn frames(&self) -> u64 {
        (self.blocks as f64 * self.headroom).round() as u64
    }

    /// Pages that every pass needs beside the table's own.
    pub fn map_pages(&self) -> u64 {
        if self.maps { maps::map_pages(self.blocks, u64::from(self.page_size)) } else { 0 }
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
    /// PostgreSQL needs to write a table back. Its displacer of a temporary table is scanned four times; any other table is
    /// evicted, and read again to be changed.
    pub(super) fn pages_read_max(&self) -> u64 {
        let passes = 2 * (self.reads.min(self.blocks) + self.map_pages());
        match (self.subject, self.table) {
            (Subject::Ours, _) => passes,
            (Subject::Postgres, Table::Temporary) => passes + self.file_pages() + 4 * self.displacer_pages(),
            (Subject::Postgres, Table::Unlogged | Table::Permanent) => passes + self.file_pages(),
        }
    }

    /// Pages that a trial writes at most. Syncline's pool writes each page once. PostgreSQL writes the table as the fill made it
    /// and again when it is changed, and the displacer too; the log of a permanent table holds its pages as often.
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

    /// The content of pages that Syncline's pool creates: the words of one page, which do not compress. The same seed gives
    /// the same words.
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
