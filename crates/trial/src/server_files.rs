//! A server's files and processes, seen from outside.

use crate::cache;
use crate::refusal::Refusal;
use disk::counters::process_tree;
use disk::files::extent_facts;
use disk::page_cache;
use model::Layout;
use model::mechanism::{Measured, PageCache};
use model::trial::FileFacts;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directories in which the clients' work ends up: of tables and indexes, and of the log.
pub(crate) struct ServerFiles {
    process: u32,
    directories: Vec<PathBuf>,
}

impl ServerFiles {
    /// Those of a server with this process.
    pub(crate) fn of(process: u32, directories: Vec<PathBuf>) -> Self {
        Self { process, directories }
    }

    /// Their pages in the page cache.
    pub(crate) fn pages(&self) -> Measured<PageCache> {
        let is_below_another = |directory: &Path| {
            self.directories.iter().any(|other| other != directory && directory.starts_with(other))
        };
        let roots = self.directories.iter().filter(|directory| !is_below_another(directory));
        cache::sum(roots.map(|directory| cache::pages_below(directory)))
    }

    /// Drops all of them from the page cache. What the server is using stays.
    pub(crate) fn evict(&self) -> io::Result<()> {
        self.each(|file| page_cache::evict(file).map(drop).map_err(io::Error::other))
    }

    /// Writes out what the server has left in the page cache; returns when the device has it.
    pub(crate) fn write_out(&self) -> io::Result<()> {
        self.each(|file| page_cache::write_out(file).map_err(io::Error::other))
    }

    /// Bytes that the server's processes have read from devices and written to them until now.
    pub(crate) fn moved_bytes(&self) -> Measured<u64> {
        process_tree::moved_bytes(self.process)
    }

    /// The server recycles segments by renaming them: one that is gone is another one now.
    fn each(&self, act: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
        for directory in &self.directories {
            for entry in fs::read_dir(directory)? {
                let path = entry?.path();
                match act(&path) {
                    Err(error) if path.is_file() => return Err(error),
                    Ok(()) | Err(_) => {}
                }
            }
        }
        Ok(())
    }
}

/// A file of a server, before and after it is read.
pub(crate) struct WatchedFile {
    path: PathBuf,
    facts: FileFacts,
}

impl WatchedFile {
    /// The file as it is now.
    pub(crate) fn begin(path: &Path, role: &str) -> Result<Self, Refusal> {
        let facts = FileFacts {
            role: role.to_owned(),
            size_bytes: fs::metadata(path).map_err(Refusal::failed)?.len(),
            layout: Layout::Prefilled.name().to_owned(),
            extents: extent_facts(path).unwrap_or_else(|error| Measured::unsupported(error.to_string())),
            age_s: None,
            cached_share_before: cache::share(path),
            cached_share_after_ramp: None,
            cached_share_after: cache::share(path),
        };
        Ok(Self { path: path.to_owned(), facts })
    }

    /// With what the page cache has of it at the end.
    pub(crate) fn into_facts(self) -> FileFacts {
        FileFacts { cached_share_after: cache::share(&self.path), ..self.facts }
    }
}
