//! A client's connection as a backend: one transaction after another, on the driver's own thread.

use crate::cache;
use crate::refusal::Refusal;
use disk::files::extent_facts;
use disk::page_cache::OpenFile;
use driver::Perform;
use model::mechanism::Measured;
use model::trial::FileFacts;
use model::{Layout, Transaction};
use postgresql::Client;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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
    /// In the order of their pages.
    table: Vec<OpenFile>,
    index: Vec<OpenFile>,
    /// The table's first file, after its pages were dropped from the page cache.
    facts: FileFacts,
    path: PathBuf,
}

impl ColdFiles {
    /// The files of a table and of an index, by the paths of their first ones.
    pub(super) fn open(table: &Path, index: Option<&Path>) -> Result<Self, Refusal> {
        let open = |first: &Path| {
            let files = (0_u32..).map(|number| match number {
                0 => first.to_owned(),
                _ => PathBuf::from(format!("{}.{number}", first.display())),
            });
            let files = files.take_while(|path| path.exists()).map(|path| OpenFile::open(&path));
            files.collect::<Result<Vec<_>, _>>().map_err(Refusal::failed)
        };
        let files = open(table)?;
        let facts = FileFacts {
            role: "data".to_owned(),
            size_bytes: fs::metadata(table).map_err(Refusal::failed)?.len(),
            layout: Layout::Prefilled.name().to_owned(),
            extents: extent_facts(table).unwrap_or_else(|error| Measured::unsupported(error.to_string())),
            age_s: None,
            cached_share_before: cache::share(table),
            cached_share_after_ramp: None,
            cached_share_after: cache::share(table),
        };
        let index = index.map_or_else(|| Ok(Vec::new()), open)?;
        Ok(Self { table: files, index, facts, path: table.to_owned() })
    }

    /// The table's first file, as the page cache has it at the end.
    pub(super) fn into_facts(self) -> FileFacts {
        FileFacts { cached_share_after: cache::share(&self.path), ..self.facts }
    }

    /// Drops what a transaction has read, and what the kernel has read ahead of it.
    fn drop_pages(&self) -> io::Result<()> {
        self.table.iter().chain(&self.index).try_for_each(|file| file.drop_range(0, None))
    }
}
