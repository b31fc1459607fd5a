//! The dataset's pages in the page cache: dropped, brought in, and counted over all of its files.

use crate::subject::{Refusal, cache};
use disk::page_cache;
use model::mechanism::{Measured, PageCache};
use object::Object;
use object::directory::Directory;
use std::path::{Path, PathBuf};

/// The files whose pages are meant; empty ones have none.
pub(super) struct Pages {
    files: Vec<(PathBuf, u64)>,
    root: PathBuf,
}

/// Those of a directory's files.
pub(super) fn of_files(directory: &Directory, objects: &[Object]) -> Pages {
    let files = objects.iter().filter(|object| object.bytes > 0);
    Pages {
        files: files.map(|object| (directory.path(object), object.bytes)).collect(),
        root: directory.root().to_owned(),
    }
}

impl Pages {
    /// Drops every file's pages, by `fadvise` on the file itself.
    pub(super) fn evict(&self) -> Result<(), Refusal> {
        self.each("evict", |path| page_cache::evict(path).map(drop))
    }

    /// Reads every file into the page cache, and proves that it stayed.
    pub(super) fn warm(&self) -> Result<(), Refusal> {
        self.each("read into the page cache", |path| page_cache::warm(path).map(drop))
    }

    /// Does it with every file. Files that it fails on are counted, and the first is named.
    fn each<E: std::fmt::Display>(
        &self,
        what: &str,
        act: impl Fn(&Path) -> Result<(), E>,
    ) -> Result<(), Refusal> {
        let mut failures = self.files.iter().filter_map(|(path, _)| act(path).err());
        let Some(first) = failures.next() else { return Ok(()) };
        Err(Refusal::Failed(format!(
            "{}: {} of {} files could not be read, in order to {what} them; the first: {first}",
            self.root.display(),
            1 + failures.count(),
            self.files.len()
        )))
    }

    /// Cached share of all files together, 0…1.
    pub(super) fn cached_share(&self) -> Measured<f64> {
        let (mut cached, mut all) = (0.0, 0.0);
        for (path, bytes) in &self.files {
            match page_cache::cached_share(path) {
                Ok(Measured::Value(share)) => {
                    cached += share * *bytes as f64;
                    all += *bytes as f64;
                }
                Ok(unsupported @ Measured::Unsupported { .. }) => return unsupported,
                Err(error) => return Measured::unsupported(error.to_string()),
            }
        }
        if all > 0.0 { Measured::Value(cached / all) } else { Measured::unsupported("every file is empty") }
    }

    /// Pages of all files together.
    pub(super) fn residency(&self) -> Measured<PageCache> {
        cache::sum(self.files.iter().map(|(path, _)| page_cache::residency(path)))
    }
}
