//! A data directory with the rows that requests are about, loaded once for a run, and the copies on which servers are
//! started.
//!
//! The arms of a study have the same files to begin with, to the byte: each gets a copy (a reflink if the file system
//! has them, unless file systems are compared). A copy whose server only read, and ended in good order, serves again.

use crate::refusal::Refusal;
use crate::site::Site;
use disk::tree::{Blocks, remove_file, remove_tree};
use model::trial::{ServerPrograms, ServerSource, TrialSpec};
use server::{Home, Programs, Running, Server};
use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use workload::requests::Parameters;

pub(super) const START_LIMIT: Duration = Duration::from_mins(1);
/// The directory below a trial's own with its copy and what belongs to that.
const HOME: &str = "server";

/// A loaded data directory, on which no trial starts a server, and the place of a trial's copy.
pub(super) struct Loaded {
    pub(super) server: &'static dyn Server,
    pub(super) programs: Programs,
    /// What the programs call their version.
    pub(super) version: String,
    root: PathBuf,
    /// Says all that distinguishes it.
    name: String,
    rows: u64,
    place: PathBuf,
}

impl Loaded {
    /// Finds the programs of a trial's server, and where its data directory is or will be.
    pub(super) fn of(site: &Site, spec: &TrialSpec, p: &Parameters) -> Result<Self, Refusal> {
        let (name, rows) = (p.server.name(), p.loaded_rows());
        let server =
            server::named(name).ok_or_else(|| Refusal::Unsupported(format!("no server is called {name}")))?;
        let root = site.shared_directory().join("servers-loaded");
        make_open(&root)?;
        let (programs, version, of_programs) = match &p.programs {
            Some(directory) => {
                let programs = server.find_below(directory).map_err(Refusal::failed)?;
                let version = server.version(&programs);
                // Two builds of one version may have files of different forms.
                let of_programs = format!("-{:016x}", digest(directory));
                let own = root.join(format!("programs{of_programs}"));
                make_open(&own)?;
                (programs.reachable(&own), version, of_programs)
            }
            None => {
                let ServerPrograms { main, root: tree, version } = programs_of_run(spec, name)?;
                let programs = Programs::at(main.clone(), tree.clone());
                (programs.reachable(&root), version.clone(), String::new())
            }
        };
        Ok(Self {
            server,
            programs: programs.map_err(Refusal::failed)?,
            version,
            root,
            name: format!("{name}-{rows}{of_programs}"),
            rows,
            place: site.place_of_server(spec),
        })
    }

    fn data(&self) -> PathBuf {
        self.root.join(&self.name)
    }

    /// Makes and loads it, unless it is there.
    pub(super) fn prepare(&self) -> Result<(), Refusal> {
        let data = self.data();
        if data.exists() {
            return Ok(());
        }
        // Complete or not there at all: the name is given last.
        let part = self.root.join(format!("{}.part", self.name));
        remove_tree(&part).map_err(Refusal::failed)?;
        let home = Home::new(&part).map_err(Refusal::failed)?;
        self.load(&home).map_err(Refusal::failed)?;
        home.keep().map_err(Refusal::failed)?;
        fs::rename(&part, &data).map_err(Refusal::failed)
    }

    fn load(&self, home: &Home) -> Result<(), server::ServerError> {
        self.server.initialise(&self.programs, home)?;
        let settings = self.server.settings_of_requests();
        let running = Running::start(self.server, &self.programs, home, settings, START_LIMIT)?;
        let mut client = running.connect()?;
        client.prepare()?;
        if self.rows > 0 {
            client.load(self.rows)?;
        }
        drop(client);
        running.shut_down()
    }

    /// Makes a trial's copy, in the place of the one that is there, unless that one was given back.
    pub(super) fn copy(&self, blocks: Blocks) -> Result<(), Refusal> {
        let given_back = self.given_back();
        if fs::read_to_string(&given_back).is_ok_and(|name| name == self.name) {
            return Ok(());
        }
        remove_file(&given_back).map_err(Refusal::failed)?;
        fs::create_dir_all(self.home()).map_err(Refusal::failed)?;
        Home::copy(&self.data(), &self.data_of_trial(), blocks).map_err(Refusal::failed)
    }

    /// Takes a trial's copy: from here on it is as the trial leaves it.
    pub(super) fn take(&self) -> Result<Home, Refusal> {
        remove_file(&self.given_back()).map_err(Refusal::failed)?;
        Home::new(&self.data_of_trial()).map_err(Refusal::failed)
    }

    /// Gives a trial's copy to the next trial, whose server finds it as it was. The server has ended.
    pub(super) fn give_back(&self) -> Result<(), Refusal> {
        fs::write(self.given_back(), &self.name).map_err(Refusal::failed)
    }

    /// The directory in which a server's files are, for what has to know its device.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    fn home(&self) -> PathBuf {
        self.place.join(HOME)
    }

    fn data_of_trial(&self) -> PathBuf {
        self.home().join("data")
    }

    fn given_back(&self) -> PathBuf {
        self.home().join("given-back")
    }
}

/// The programs that the run has found for the server of this name.
fn programs_of_run<'s>(spec: &'s TrialSpec, name: &str) -> Result<&'s ServerPrograms, Refusal> {
    let found = match &spec.server {
        Some(ServerSource::Servers(servers)) => servers.get(name),
        Some(ServerSource::Absent(why)) => return Err(Refusal::Unsupported(why.clone())),
        Some(ServerSource::Programs(_) | ServerSource::Dsn(_) | ServerSource::Scratch { .. }) | None => None,
    };
    found.ok_or_else(|| Refusal::Unsupported(format!("the run names no programs of the server {name}")))
}

/// Makes a directory that is root's, and open for servers to pass through.
fn make_open(directory: &Path) -> Result<(), Refusal> {
    fs::create_dir_all(directory).map_err(Refusal::failed)?;
    fs::set_permissions(directory, Permissions::from_mode(0o755)).map_err(Refusal::failed)
}

/// The same for the same directory, in all trials of a run.
fn digest(directory: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    directory.hash(&mut hasher);
    hasher.finish()
}
