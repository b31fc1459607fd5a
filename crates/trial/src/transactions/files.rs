//! A server's files and processes, seen from outside.

use crate::cache;
use disk::counters::process_tree;
use disk::page_cache;
use model::mechanism::{Measured, PageCache};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directories of a cluster where the clients' work ends up: the database's tables and indexes, and the write-ahead
/// log.
pub(super) struct ServerFiles {
    process: u32,
    directories: [PathBuf; 2],
}

impl ServerFiles {
    /// Those of a server, whose database has this object identifier.
    pub(super) fn of(process: u32, data: &Path, database: i64) -> Self {
        Self { process, directories: [data.join("base").join(database.to_string()), data.join("pg_wal")] }
    }

    /// Their pages in the page cache.
    pub(super) fn pages(&self) -> Measured<PageCache> {
        cache::sum(self.directories.iter().map(|directory| cache::pages_below(directory)))
    }

    /// Drops all of them from the page cache. What the server is using stays.
    pub(super) fn evict(&self) -> io::Result<()> {
        self.each(|file| page_cache::evict(file).map(drop).map_err(io::Error::other))
    }

    /// Writes out what the server has left in the page cache; returns when the device has it.
    pub(super) fn write_out(&self) -> io::Result<()> {
        self.each(|file| page_cache::write_out(file).map_err(io::Error::other))
    }

    /// Bytes that the server's processes have read from devices and written to them until now.
    pub(super) fn moved_bytes(&self) -> Measured<u64> {
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
