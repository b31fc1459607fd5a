//! A client's connection as a backend: one transaction after another, on the driver's own thread.

use crate::refusal::Refusal;
use crate::server_files::WatchedFile;
use disk::page_cache::OpenFile;
use driver::Perform;
use model::Transaction;
use model::trial::FileFacts;
use postgresql::Client;
use std::io;
use std::path::PathBuf;

/// A connection, and what a cold script drops from the page cache after each transaction.
pub(super) struct Connected<'f> {
    client: Client,
    cold: Option<&'f ColdFiles>,
}

impl<'f> Connected<'f> {
    pub(super) fn new(client: Client, cold: Option<&'f ColdFiles>) -> Self {
        Self { client, cold }
    }

    /// The number of the process that serves it.
    pub(super) fn backend(&self) -> u32 {
        self.client.backend()
    }

    /// Has the server count what this client did until now.
    pub(super) fn flush_statistics(&mut self) -> Result<(), Refusal> {
        Ok(self.client.flush_statistics()?)
    }
}

impl Perform for Connected<'_> {
    type Op = Transaction;

    #[inline]
    fn perform(&mut self, transaction: &Transaction) -> io::Result<i32> {
        self.client.run(transaction).map_err(io::Error::other)?;
        if let Some(cold) = self.cold {
            cold.drop_pages()?;
        }
        Ok(0)
    }

    /// The server makes its system calls in its own processes, which Syncline does not count.
    fn system_calls(&self) -> u64 {
        0
    }
}

/// The files that a cold script reads, open.
pub(super) struct ColdFiles {
    /// Those of each table and index, in the order of their pages.
    files: Vec<OpenFile>,
    /// The first files of the table, and of the index if one is read, after their pages were dropped from the page
    /// cache.
    watched: Vec<WatchedFile>,
}

/// The table's files and the index's, in the order in which they are given.
const ROLES: [&str; 2] = ["data", "index"];

impl ColdFiles {
    /// The files of a table, and of an index if one follows, by the paths of their first ones.
    pub(super) fn open(relations: &[PathBuf]) -> Result<Self, Refusal> {
        let mut opened = Self { files: Vec::new(), watched: Vec::new() };
        for (first, role) in relations.iter().zip(ROLES) {
            let files = (0_u32..).map(|number| match number {
                0 => first.clone(),
                _ => PathBuf::from(format!("{}.{number}", first.display())),
            });
            for path in files.take_while(|path| path.exists()) {
                opened.files.push(OpenFile::open(&path).map_err(Refusal::failed)?);
            }
            opened.watched.push(WatchedFile::begin(first, role)?);
        }
        Ok(opened)
    }

    /// The first files, as the page cache has them at the end.
    pub(super) fn into_facts(self) -> Vec<FileFacts> {
        self.watched.into_iter().map(WatchedFile::into_facts).collect()
    }

    /// Drops what a transaction has read, and what the kernel has read ahead of it.
    fn drop_pages(&self) -> io::Result<()> {
        self.files.iter().try_for_each(|file| file.drop_range(0, None))
    }
}
