//! A data directory with the rows that requests are about, loaded once for a run, and the copies on which servers are
//! started.
//!
//! The arms of a study have the same files to begin with, to the byte: each gets a copy (a reflink if the file system
//! has them). A copy whose server only read, and ended in good order, serves again.

use crate::refusal::Refusal;
use crate::site::Site;
use disk::tree::{remove_file, remove_tree};
use model::trial::{ServerPrograms, ServerSource, TrialSpec};
use server::{Home, Programs, Running, Server};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use workload::requests::Parameters;

pub(super) const START_LIMIT: Duration = Duration::from_mins(1);
/// The directory below a trial's own with its copy and what belongs to that.
const HOME: &str = "server";

/// A loaded data directory, on which no trial starts a server.
pub(super) struct Loaded {
    pub(super) server: &'static dyn Server,
    pub(super) programs: Programs,
    /// What the programs call their version.
    pub(super) version: String,
    root: PathBuf,
    rows: u64,
}

impl Loaded {
    /// Finds the programs of a trial's server, and where its data directory is or will be.
    pub(super) fn of(site: &Site, spec: &TrialSpec, p: &Parameters) -> Result<Self, Refusal> {
        let name = p.server.name();
        let found = match &spec.server {
            Some(ServerSource::Servers(servers)) => servers.get(name),
            Some(ServerSource::Absent(why)) => return Err(Refusal::Unsupported(why.clone())),
            Some(ServerSource::Programs(_) | ServerSource::Dsn(_) | ServerSource::Scratch { .. }) | None => {
                None
            }
        };
        let server = server::named(name).filter(|_| found.is_some());
        let (Some(server), Some(ServerPrograms { main, root, version })) = (server, found) else {
            return Err(Refusal::Unsupported(format!("the run names no programs of the server {name}")));
        };
        let place = site.shared_directory().join("servers-loaded");
        fs::create_dir_all(&place).map_err(Refusal::failed)?;
        // root's, and open for servers to pass through.
        fs::set_permissions(&place, Permissions::from_mode(0o755)).map_err(Refusal::failed)?;
        let programs = Programs::at(main.clone(), root.clone());
        let programs = programs.reachable(&place).map_err(Refusal::failed)?;
        Ok(Self { server, programs, version: version.clone(), root: place, rows: p.loaded_rows() })
    }

    fn name(&self) -> String {
        format!("{}-{}", self.server.name(), self.rows)
    }

    fn data(&self) -> PathBuf {
        self.root.join(self.name())
    }

    /// Makes and loads it, unless it is there.
    pub(super) fn prepare(&self) -> Result<(), Refusal> {
        let data = self.data();
        if data.exists() {
            return Ok(());
        }
        // Complete or not there at all: the name is given last.
        let part = self.root.join(format!("{}.part", self.name()));
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
    pub(super) fn copy(&self, site: &Site) -> Result<(), Refusal> {
        let given_back = given_back(site);
        if fs::read_to_string(&given_back).is_ok_and(|name| name == self.name()) {
            return Ok(());
        }
        remove_file(&given_back).map_err(Refusal::failed)?;
        fs::create_dir_all(site.directory().join(HOME)).map_err(Refusal::failed)?;
        Home::copy(&self.data(), &data_of_trial(site)).map_err(Refusal::failed)
    }

    /// Takes a trial's copy: from here on it is as the trial leaves it.
    pub(super) fn take(site: &Site) -> Result<Home, Refusal> {
        remove_file(&given_back(site)).map_err(Refusal::failed)?;
        Home::new(&data_of_trial(site)).map_err(Refusal::failed)
    }

    /// Gives a trial's copy to the next trial, whose server finds it as it was. The server has ended.
    pub(super) fn give_back(&self, site: &Site) -> Result<(), Refusal> {
        fs::write(given_back(site), self.name()).map_err(Refusal::failed)
    }
}

fn home(site: &Site) -> PathBuf {
    site.directory().join(HOME)
}

fn data_of_trial(site: &Site) -> PathBuf {
    home(site).join("data")
}

fn given_back(site: &Site) -> PathBuf {
    home(site).join("given-back")
}

/// The directory in which a server's files are, for what has to know its device.
pub(super) fn place(site: &Site) -> &Path {
    site.directory()
}
