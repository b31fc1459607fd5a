//! Syncline's own cluster in the work directory. One is initialised for a run and kept as a template. A trial takes
//! over the copy that the one before gave back ([`Server::give_back`]): emptied, its server ended in good order.
//! Anything else is replaced by a fresh copy, so that no trial finds what another left, however that ended.

use crate::account;
use crate::error::{Place, PostgresqlError};
use crate::installation::Installation;
use crate::killed::await_end_of_killed_server;
use crate::programs::Programs;
use crate::server::{Server, ServerFiles};
use disk::tree::{Blocks, copy_tree, remove_file, remove_tree};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// What a server is started with, beside what keeps it to itself.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `shared_buffers`, in pages; PostgreSQL's default without.
    pub shared_buffers_pages: Option<u64>,
    /// `debug_io_direct = data`: direct I/O of tables (since PostgreSQL 16, a developer option).
    pub direct: bool,
}

/// A cluster of Syncline: programs, template and data below one directory of the work directory.
#[derive(Debug)]
pub struct Cluster {
    root: PathBuf,
    programs: Programs,
}

impl Cluster {
    /// Makes what is not there yet, and a fresh copy of the template unless the last one was given back.
    pub fn prepare(parent: &Path, installation: &Installation) -> Result<Self, PostgresqlError> {
        let cluster = Self { root: root(parent), programs: Programs::prepare(&root(parent), installation)? };
        await_end_of_killed_server(&cluster.data())?;
        cluster.initialise()?;
        if !cluster.given_back().exists() {
            cluster.copy_template()?;
        }
        Ok(cluster)
    }

    /// Whether a cluster can be below a directory: root's server runs as another user, who has to get there.
    pub fn require_place(directory: &Path) -> Result<(), PostgresqlError> {
        match account::unprivileged()? {
            // A directory that is not there is another's complaint.
            Some(user) if directory.exists() => user.require_reachable(directory, Place::Clusters),
            Some(_) | None => Ok(()),
        }
    }

    /// Finds what [`Cluster::prepare`] made.
    pub fn find(parent: &Path, installation: &Installation) -> Result<Self, PostgresqlError> {
        let root = root(parent);
        Ok(Self { programs: Programs::find(&root, installation)?, root })
    }

    /// Starts a server on it. It ends with the calling thread, and its processes are in the groups whose `cgroup.procs`
    /// are given.
    pub fn start(&self, settings: &Settings, entrances: Vec<File>) -> Result<Server, PostgresqlError> {
        // From here on it is as the trial leaves it.
        remove_file(&self.given_back())?;
        let data = self.data();
        let files = ServerFiles {
            log: self.root.join("server.log"),
            given_back: self.given_back(),
            mark: String::new(),
            data,
        };
        self.programs.start(files, &options(settings), entrances)
    }

    /// The directory that the server keeps its files in.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// A file that is there while the data is as good as a fresh copy.
    fn given_back(&self) -> PathBuf {
        self.root.join("given-back")
    }

    fn template(&self) -> PathBuf {
        self.root.join("template")
    }

    fn initialise(&self) -> Result<(), PostgresqlError> {
        let template = self.template();
        if template.exists() {
            return Ok(());
        }
        // Complete or not there at all: the name is given last.
        let part = self.root.join("template.part");
        self.programs.initialise(&part, &[])?;
        self.programs.take_over(&part)?;
        fs::rename(&part, &template).map_err(PostgresqlError::on("rename to", &template))
    }

    fn copy_template(&self) -> Result<(), PostgresqlError> {
        let data = self.data();
        remove_tree(&data)?;
        Ok(copy_tree(&self.template(), &data, self.programs.account(), Blocks::Shared)?)
    }
}

fn root(parent: &Path) -> PathBuf {
    parent.join("postgresql")
}

/// What a server is started with beside what keeps it to itself: no work that it begins by itself.
fn options(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut options: Vec<(&str, String)> = [
        ("autovacuum", "off"),
        ("checkpoint_timeout", "1d"),
        ("max_wal_size", "4GB"),
        ("max_connections", "8"),
        ("track_io_timing", "on"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into();
    options.extend(settings.shared_buffers_pages.map(|pages| ("shared_buffers", pages.to_string())));
    options.extend(settings.direct.then(|| ("debug_io_direct", "data".to_owned())));
    options
}
