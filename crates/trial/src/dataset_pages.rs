//! The dataset's pages in the page cache: dropped, read in, and counted over all of its files.

use crate::cache;
use crate::refusal::Refusal;
use dataset::Object;
use dataset::directory::Directory;
use disk::page_cache;
use model::mechanism::{Measured, PageCache};
use model::units::format_bytes_approximate;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The files; empty files have no pages.
pub(crate) struct Pages {
    files: Vec<(PathBuf, u64)>,
    root: PathBuf,
}

/// The pages of a directory's files.
pub(crate) fn of_files(directory: &Directory, objects: &[Object]) -> Pages {
    let files = objects.iter().filter(|object| object.bytes > 0);
    Pages {
        files: files.map(|object| (directory.path(object), object.bytes)).collect(),
        root: directory.root().to_owned(),
    }
}

impl Pages {
    /// Drops every file's pages, by `fadvise` on the file itself.
    pub(crate) fn evict(&self) -> Result<(), Refusal> {
        self.each("evict", |path| page_cache::evict(path).map(drop))
    }

    /// Reads every file into the page cache, and verifies that it stayed.
    pub(crate) fn warm(&self) -> Result<(), Refusal> {
        self.each("read into the page cache", |path| page_cache::warm(path).map(drop))
    }

    /// Does this with every file. It counts the files that failed, and names the first.
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
    pub(crate) fn cached_share(&self) -> Measured<f64> {
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

    /// A sentence about a dataset of which the device stores much less than its files' sizes.
    pub(crate) fn sparse(&self) -> Option<String> {
        const HELD_AT_LEAST: f64 = 0.95;
        /// The unit of `st_blocks`, whatever the file system's blocks are (stat(2)).
        const BLOCK_BYTES: u64 = 512;
        let held_bytes = |(path, bytes): &(PathBuf, u64)| {
            let blocks = fs::metadata(path).ok()?.blocks();
            Some(blocks.saturating_mul(BLOCK_BYTES).min(*bytes))
        };
        let held: u64 = self.files.iter().map(held_bytes).sum::<Option<u64>>()?;
        let all: u64 = self.files.iter().map(|(_, bytes)| bytes).sum();
        let share = held as f64 / all as f64;
        (share < HELD_AT_LEAST).then(|| {
            format!(
                "{}: the device holds {} of the {} of this dataset: the rest are holes, which are read from no device, \
                 or is compressed; its speed says nothing about a disk: fill the files, or choose others",
                self.root.display(),
                format_bytes_approximate(held as f64),
                format_bytes_approximate(all as f64)
            )
        })
    }

    /// Pages of all files together.
    pub(crate) fn residency(&self) -> Measured<PageCache> {
        cache::sum(self.files.iter().map(|(path, _)| page_cache::residency(path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn pages(directory: &Path) -> Pages {
        Pages { files: vec![(directory.join("part"), 1 << 20)], root: directory.to_owned() }
    }

    /// A dataset of holes failed as a cached one, and Syncline still gave advice about block size and hint.
    #[test]
    fn holes_are_read_from_no_device() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("part");
        File::create(&file).unwrap().set_len(1 << 20).unwrap();
        assert!(pages(directory.path()).sparse().is_some());
        fs::write(&file, vec![7; 1 << 20]).unwrap();
        File::open(&file).unwrap().sync_all().unwrap();
        assert_eq!(pages(directory.path()).sparse(), None);
    }
}
