//! A pool configuration, typed.

use super::levels::{Access, Subject, Table};
use super::maps;
use crate::{Cache, IoEngine};
use model::parameter::FileNeed;
use model::units::format_bytes;
use model::{BufferPages, Configuration, IoMode, Layout};
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
    /// The order of reads and write-backs.
    pub access: Access,
    /// The replacement policy, one of [`super::POLICIES`].
    pub policy: String,
    /// Bytes of a page.
    pub page_size: u32,
    /// How the page cache takes part.
    pub mode: IoMode,
    /// Which backend our pool reads and writes with.
    pub ioengine: IoEngine,
    /// Whether a ring gets the files and the buffers registered.
    pub registered: bool,
    /// What pages of memory our pool's frames lie in.
    pub buffer_pages: BufferPages,
    /// Pages whose reads are in flight before a pass needs them.
    pub read_ahead: u32,
    /// Whether a pass needs map pages beside the table's.
    pub maps: bool,
    /// Page cache state before the first pass.
    pub cache: Cache,
    /// Percent of the table that a warm cache has.
    pub cached_percentage: u64,
    /// Pages that a read pass touches.
    pub reads: u64,
    /// What PostgreSQL promises of the table.
    pub table: Table,
}

impl Parameters {
    /// Rounds of displacement with pages of their own; after them the first round's come again.
    pub const DISPLACER_ROUNDS: u32 = 4;

    /// Reads a complete configuration. The error is one sentence.
    pub fn read(configuration: &Configuration) -> Result<Self, String> {
        let buffer_pages = BufferPages::of(configuration)?;
        let read = || -> Result<Self, model::configuration::Missing> {
            let text = |name: &str| configuration.text(name);
            let blocks = configuration.count("blocks")?;
            Ok(Self {
                subject: Subject::from_name(&text("subject")?).unwrap_or(Subject::Ours),
                blocks,
                headroom: configuration.number("headroom")?,
                access: Access::from_name(&text("access")?).unwrap_or(Access::Sequential),
                policy: text("policy")?,
                page_size: configuration.bytes("page_size")? as u32,
                mode: configuration.io_mode("mode")?,
                ioengine: IoEngine::from_name(&text("ioengine")?).unwrap_or(IoEngine::Psync),
                registered: configuration.flag("registered")?,
                buffer_pages,
                read_ahead: configuration.count("read_ahead")? as u32,
                maps: text("maps")? == "postgres",
                cache: Cache::from_name(&text("cache")?).unwrap_or(Cache::Cold),
                cached_percentage: configuration.count("cached_percentage")?,
                reads: match configuration.count("reads")? {
                    0 => blocks,
                    reads => reads,
                },
                table: Table::from_name(&text("table")?).unwrap_or(Table::Temporary),
            })
        };
        read().map_err(|missing| missing.to_string())
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

    /// Bytes of the frames.
    pub fn pool_bytes(&self) -> u64 {
        self.frames() * u64::from(self.page_size)
    }

    /// Bytes of the table and its maps.
    pub fn file_bytes(&self) -> u64 {
        self.file_pages() * u64::from(self.page_size)
    }

    /// What created pages of our pool are filled with: the words of one page, as hard to compress as any. The same seed
    /// gives the same words.
    pub fn payload(&self, seed: u64) -> Vec<u64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..self.page_size / 8).map(|_| random.next_u64()).collect()
    }

    /// The file below our pool; PostgreSQL makes its own.
    pub fn files(&self) -> Vec<FileNeed> {
        match self.subject {
            Subject::Postgres => Vec::new(),
            Subject::Ours => vec![FileNeed {
                name: format!("data-{}", format_bytes(self.file_bytes())),
                role: "data",
                layout: Layout::Prefilled,
                size_bytes: self.file_bytes(),
            }],
        }
    }
}
