//! A scan configuration, typed.

use super::definitions::DEFINITIONS;
use super::levels::{BufferSource, HintScope, Opening, Order, PageCache, PassCache};
use model::buffer::BUFFER_PAGES;
use model::description::FileSet;
use model::units::format_bytes;
use model::{BufferPages, Configuration, Layout, LevelError, Levels};

/// One value for every parameter of the scan workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The dataset; `None` is a dataset that Syncline prepares in its work directory.
    pub target: Option<String>,
    /// Number of prepared files; for an existing dataset, the maximum number of files to read.
    pub files: u64,
    /// Bytes of each prepared file.
    pub file_size: u64,
    /// Bytes of one read; 0 = the whole file.
    pub block_size: u64,
    /// How the page cache takes part, and the hint that the program gives.
    pub page_cache: PageCache,
    /// When the hint is given.
    pub hint_scope: HintScope,
    /// How often a file is opened.
    pub opening: Opening,
    /// Where the memory for reads comes from.
    pub buffers: BufferSource,
    /// The pages of that memory.
    pub buffer_pages: BufferPages,
    /// Readers, each a thread that reads one file at a time.
    pub concurrency: u32,
    /// Times that the whole dataset is read.
    pub passes: u32,
    /// The order of the files in a pass.
    pub order: Order,
    /// When pages are dropped.
    pub cache: PassCache,
    /// Whether to prepare objects, if the target is a bucket.
    pub prepare: bool,
    /// Whether an object is fetched in several ranges at a time.
    pub multipart: bool,
    /// Bytes of such a range.
    pub range_size: u64,
    /// Ranges of one object in flight.
    pub connections: u32,
}

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        let levels = Levels::new(&DEFINITIONS, configuration);
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

    /// The files of a trial that prepares its own dataset.
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

    /// The maximum number of reads that one reader has in flight.
    pub fn in_flight_max(&self) -> u32 {
        if self.is_remote() && self.multipart { self.connections } else { 1 }
    }
}
