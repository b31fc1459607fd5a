//! A design as a file: what a later session, or another machine, reads back.

use crate::conditions::Conditions;
use crate::design::{Asked, Design};
use crate::server::Server;
use model::{EVERY_TRIAL, FileSystem};
use workload::kv::PARAMETERS as KV;
use workload::requests::PARAMETERS as REQUESTS;
use workload::transactions::PARAMETERS as TRANSACTIONS;

/// More changes or servers than this are a mistake: no proof ends that has them.
const ASKED_MAX: usize = 256;
/// Parameters that the load or the arm decides.
const DECIDED: &[&str] = &[
    EVERY_TRIAL.memory_cap.name(),
    KV.durability.name(),
    KV.engine.name(),
    KV.io.name(),
    KV.phase_runtime.name(),
    KV.settings.name(),
    KV.threads.name(),
    REQUESTS.binary_log.name(),
    REQUESTS.request.name(),
    REQUESTS.server.name(),
    TRANSACTIONS.checkpoints.name(),
    TRANSACTIONS.clients.name(),
    TRANSACTIONS.directory.name(),
    TRANSACTIONS.programs.name(),
    TRANSACTIONS.runtime.name(),
    TRANSACTIONS.script.name(),
    TRANSACTIONS.subject.name(),
    TRANSACTIONS.wal_segments.name(),
];
/// As many clients as the workload takes.
const CLIENTS_MAX: u32 = 256;

impl Design {
    /// Reads a design.
    ///
    /// # Errors
    /// What is wrong with it, as a clause.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let design: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        design.require_sense()?;
        Ok(design)
    }

    /// The text of the file.
    ///
    /// # Errors
    /// A number that JSON does not have; [`Self::require_sense`] refuses those.
    pub fn text(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| error.to_string())
    }

    /// Checks what the types leave open: names that come twice, loads that the database does not have, settings that
    /// belong to what Syncline makes or that a level cannot hold, times that are not positive.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn require_sense(&self) -> Result<(), String> {
        if self.format_version > model::FORMAT_VERSION {
            return Err(format!("format {} is of a later version", self.format_version));
        }
        for (name, seconds) in [("budget_s", self.budget_s), ("runtime_s", self.runtime_s)] {
            if !(seconds.is_finite() && seconds > 0.0) {
                return Err(format!("{name} = {seconds} is not a time"));
            }
        }
        if self.under.iter().any(|load| load.clients == 0 || load.clients > CLIENTS_MAX) {
            return Err(format!("a load has 1 to {CLIENTS_MAX} clients"));
        }
        if let Some(load) =
            self.under.iter().find(|load| (self.database.fixed)(**load, Conditions::ANY).is_none())
        {
            return Err(format!("{} is not measured under {load}", self.database.name));
        }
        if let Some(name) = self.fixed.keys().find(|name| DECIDED.contains(&name.as_str())) {
            return Err(format!(
                "{name} cannot be fixed: the load, its time or the settings of an arm decide it"
            ));
        }
        self.require_server(&self.current)?;
        self.require_file_systems()?;
        let mut names: Vec<(&str, &str)> = match &self.asked {
            Asked::Changes(changes) => changes.iter().map(|change| (change.name.as_str(), "")).collect(),
            Asked::Race(changes) => {
                changes.iter().map(|change| (change.name.as_str(), change.value.as_str())).collect()
            }
            Asked::Servers(servers) => servers.iter().map(|named| (named.name.as_str(), "")).collect(),
        };
        if names.len() > ASKED_MAX {
            return Err(format!("it has {} changes or servers, more than {ASKED_MAX}", names.len()));
        }
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("{} is named twice", twice[0].0));
        }
        match &self.asked {
            // Candidates of one setting exclude each other.
            Asked::Race(changes) => {
                changes.iter().try_for_each(|change| self.require_server(&self.current.with(change)))
            }
            Asked::Changes(changes) => self.require_server(&self.current.with_all(changes)),
            Asked::Servers(servers) => {
                servers.iter().try_for_each(|named| self.require_server(&named.server))
            }
        }
    }

    /// A file system on a loop image pays for the image too, so an arm on one is compared with arms on others only.
    fn require_file_systems(&self) -> Result<(), String> {
        let named = self.servers().iter().map(|named| &named.server);
        let mut servers = std::iter::once(&self.current).chain(named);
        let is_fresh = self.current.filesystem.is_some();
        if servers.any(|server| server.filesystem.is_some() != is_fresh) {
            return Err(
                "a fresh file system lies on an image, which costs more than the disk itself: name one for \
                        every arm, also for the baseline"
                    .to_owned(),
            );
        }
        let name = EVERY_TRIAL.filesystem.name();
        if is_fresh && self.fixed.contains_key(name) {
            return Err(format!("{name} cannot be fixed if an arm names its own"));
        }
        Ok(())
    }

    fn require_server(&self, server: &Server) -> Result<(), String> {
        let database = self.database;
        if let Some(name) = server.settings.keys().find(|name| database.is_reserved(name)) {
            return Err(format!(
                "{name} belongs to the {} that Syncline makes: leave it out of the settings",
                database.instance
            ));
        }
        if let Some(name) = server.settings.keys().find(|name| !database.takes(name)) {
            return Err(format!("Syncline does not know {name} as a storage setting of {}", database.name));
        }
        let has_more = server.programs.is_some() || server.directory.is_some() || server.filesystem.is_some();
        if !database.has_programs && has_more {
            return Err(format!(
                "a {} has no programs, no directory and no file system of its own",
                database.instance
            ));
        }
        match server.filesystem {
            Some(FileSystem::Host) => {
                return Err("the file system of an arm is a fresh one, such as ext4 or xfs".to_owned());
            }
            Some(FileSystem::Fresh(_)) if server.directory.is_some() => {
                return Err("an arm has a directory or a fresh file system, not both".to_owned());
            }
            None | Some(FileSystem::Fresh(_)) => {}
        }
        server.settings()?;
        (database.levels)(server).map(drop)
    }
}
