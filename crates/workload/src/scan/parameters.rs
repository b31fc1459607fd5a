//! A scan configuration, typed.

use super::levels::{BufferSource, HintScope, Opening, Order, PageCache, PassCache};
use super::schema::SCHEMA;
use model::buffer::BUFFER_PAGES;
use model::description::FileSet;
use model::units::format_bytes;
use model::{BufferPages, Configuration, Layout, LevelError, Levels};

/// One value for every parameter of the scan workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The dataset; `None` is one that Syncline prepares in its work directory.
    pub target: Option<String>,
    /// Files that are prepared; of a dataset that exists, the most that are read.
    pub files: u64,
    /// Bytes of each file that is prepared.
    pub file_size: u64,
    /// Bytes of one read; 0 = the whole file.
    pub block_size: u64,
    /// How the page cache takes part, and what it is told.
    pub page_cache: PageCache,
    /// When it is told.
    pub hint_scope: HintScope,
    /// How often a file is opened.
    pub opening: Opening,
    /// Where the memory that is read into comes from.
    pub buffers: BufferSource,
    /// What pages that memory consists of.
    pub buffer_pages: BufferPages,
    /// Readers, a thread and a file at a time each.
    pub concurrency: u32,
    /// Times that the whole dataset is read.
    pub passes: u32,
    /// In which order.
    pub order: Order,
    /// When pages are dropped.
    pub cache: PassCache,
    /// Whether objects are prepared below a target that is a bucket.
    pub prepare: bool,
    /// Whether an object is fetched in ranges, several at a time.
    pub multipart: bool,
    /// Bytes of such a range.
    pub range_size: u64,
    /// Ranges of one object in flight.
    pub connections: u32,
}

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::of(&SCHEMA, configuration);
        let target = levels.text("target")?;
        Ok(Self {
            target: (target != "none").then_some(target),
            files: levels.count("files")?,
            file_size: levels.bytes("file_size")?,
            block_size: levels.bytes("block_size")?,
            page_cache: levels.level("page_cache")?,
            hint_scope: levels.level("hint_scope")?,
            opening: levels.level("open")?,
            buffers: levels.level("buffers")?,
            buffer_pages: levels.level(BUFFER_PAGES)?,
            concurrency: levels.count("concurrency")? as u32,
            passes: levels.count("passes")? as u32,
            order: levels.level("order")?,
            cache: levels.level("cache")?,
            prepare: levels.flag("prepare")?,
            multipart: levels.flag("multipart")?,
            range_size: levels.bytes("range_size")?,
            connections: levels.count("connections")? as u32,
        })
    }

    /// Whether the target is an object store.
    pub fn is_remote(&self) -> bool {
        self.target.as_deref().is_some_and(|target| target.starts_with("s3://"))
    }

    /// The files of a trial that prepares its own.
    pub fn prepared_files(&self) -> Vec<FileSet> {
        if self.target.is_some() {
            return Vec::new();
        }
        vec![FileSet {
            name: format!("scan-{}", format_bytes(self.file_size)),
            role: "data".to_owned(),
            layout: Layout::Prefilled,
            size_bytes: self.file_size,
            count: self.files,
        }]
    }

    /// Bytes of one read of a file of this size.
    pub fn read_bytes(&self, file_bytes: u64) -> u64 {
        let unit = if self.is_remote() && self.multipart { self.range_size } else { self.block_size };
        if unit == 0 { file_bytes } else { unit.min(file_bytes) }
    }

    /// Reads that one reader has in flight at most.
    pub fn in_flight_max(&self) -> u32 {
        if self.is_remote() && self.multipart { self.connections } else { 1 }
    }
}
