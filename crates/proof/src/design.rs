//! The question of a proof, written down before its first trial.

use crate::change::Change;
use crate::database::Database;
use crate::load::Load;
use crate::server::{NamedServer, Server};
use crate::stage_kind::{HEATS, StageKind};
use crate::unmeasured::Unmeasured;
use serde::{Deserialize, Serialize};
use settings::{Release, Versions};
use std::collections::{BTreeMap, BTreeSet};

/// The question of a proof. Every stage follows from it and from the records of the stages before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Format of the file ([`model::FORMAT_VERSION`]).
    pub format_version: u32,
    /// Version of the program that made it.
    pub program_version: String,
    /// When it was made, RFC 3339 in UTC.
    pub created_at: String,
    pub database: &'static Database,
    /// What runs now: the baseline of every comparison with it.
    pub current: Server,
    pub asked: Asked,
    /// The loads that the user names; empty if each setting has those that can show what it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under: Vec<Load>,
    /// What the machine, the budget or the user's server does not let be measured: dropped before the number of
    /// comparisons is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmeasured: Vec<Unmeasured>,
    /// Settings of the user's file that no arm has, because they are not storage settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What the settings asked about were on the user's server before the proof, in the form of SHOW; `None` if the
    /// servers are Syncline's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users_server: Option<BTreeMap<String, String>>,
    /// The version of the server, such as `18.6`; `None` if it was not known when the proof was designed, or if the
    /// database is not a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_version: Option<String>,
    /// The run whose advice it proves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advised_by: Option<String>,
    /// Time that all stages together may take, seconds.
    pub budget_s: f64,
    /// How long each trial measures, seconds.
    pub runtime_s: f64,
    /// Other parameters of the workload that the user fixes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fixed: BTreeMap<String, String>,
    /// Seed of everything random.
    pub seed: u64,
}

/// The question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Are these changes, together and each for itself, better than what runs now, or harmless?
    Changes(Vec<Change>),
    /// Which of these candidates together are better than what runs now?
    Race(Vec<Change>),
    /// Are these servers better than the baseline, or harmless?
    Servers(Vec<NamedServer>),
}

impl Design {
    /// The changes that are asked about; none if servers are compared.
    pub fn changes(&self) -> &[Change] {
        match &self.asked {
            Asked::Changes(changes) | Asked::Race(changes) => changes,
            Asked::Servers(_) => &[],
        }
    }

    /// The servers that are compared with the baseline as they are named; none if changes are asked about.
    pub(crate) fn servers(&self) -> &[NamedServer] {
        match &self.asked {
            Asked::Servers(servers) => servers,
            Asked::Changes(_) | Asked::Race(_) => &[],
        }
    }

    /// The value of a setting in what runs now: of the user's server, of the user's file, or the default; `None` if
    /// none is known.
    pub fn now(&self, name: &str) -> Option<&str> {
        let of_baseline = self.current.settings.get(name).map(String::as_str);
        of_baseline.or_else(|| match &self.users_server {
            Some(found) => found.get(name).map(String::as_str),
            None => self.database.default_value(name, &self.release()),
        })
    }

    /// The release of the server that has no programs of its own.
    pub fn release(&self) -> Release {
        let version = self.server_version.as_ref().and_then(|version| version.parse().ok());
        version.map_or(Release::Any, Release::Of)
    }

    /// The settings that the server lacks, and the versions that have them. An arm with programs of its own may have
    /// them.
    pub fn lacking(&self) -> Vec<(&str, Versions)> {
        let release = self.release();
        let Some(version) = release.version() else { return Vec::new() };
        let of_server = |server: &'_ Server| server.programs.is_none();
        let mut names: BTreeSet<&str> = self.changes().iter().map(|change| change.name.as_str()).collect();
        let servers = self.servers().iter().map(|named| &named.server).chain([&self.current]);
        for server in servers.filter(|server| of_server(server)) {
            names.extend(server.settings.keys().map(String::as_str));
        }
        let versions = |name: &'_ str| advice::versions(self.database.id, name);
        let lacks = |name| Some((name, versions(name).filter(|versions| !versions.has(version))?));
        names.into_iter().filter_map(lacks).collect()
    }

    /// A directory of programs, or of files, that a server of the design names.
    pub fn named_place(&self) -> Option<String> {
        let named = self.servers().iter().map(|named| &named.server);
        let mut servers = std::iter::once(&self.current).chain(named);
        servers.find_map(|server| server.programs.as_ref().or(server.directory.as_ref()).cloned())
    }

    /// Whether an arm runs the programs that the proof finds: not every server names its own.
    pub fn has_found_programs(&self) -> bool {
        let named = self.servers().iter().map(|named| &named.server);
        std::iter::once(&self.current).chain(named).any(|server| server.programs.is_none())
    }

    /// Every setting that an arm of the proof sets.
    pub fn settings_asked_about(&self) -> BTreeSet<&str> {
        let mut names: BTreeSet<&str> = self.current.settings.keys().map(String::as_str).collect();
        match &self.asked {
            Asked::Changes(changes) | Asked::Race(changes) => {
                names.extend(changes.iter().map(|change| change.name.as_str()));
            }
            Asked::Servers(servers) => {
                names.extend(
                    servers.iter().flat_map(|named| named.server.settings.keys().map(String::as_str)),
                );
            }
        }
        names
    }

    /// The loads under which all changes together are compared: none if no load shows the effect of any.
    pub(crate) fn all_loads(&self) -> Vec<Load> {
        let names = self.compared_settings();
        let mut loads = self.loads_of(names.iter().copied());
        let differs_elsewhere = |named: &NamedServer| {
            let (one, other) = (&named.server, &self.current);
            let differs = one.programs != other.programs
                || one.directory != other.directory
                || one.filesystem != other.filesystem;
            differs || self.differing(one).is_empty()
        };
        let of_servers = match &self.asked {
            Asked::Servers(servers) if self.under.is_empty() => servers.iter().any(differs_elsewhere),
            Asked::Changes(changes) if self.under.is_empty() => changes.is_empty(),
            Asked::Servers(_) | Asked::Changes(_) | Asked::Race(_) => false,
        };
        for load in self.database.loads_of_servers.iter().filter(|_| of_servers) {
            if !loads.contains(load) && !self.is_dropped(*load) {
                loads.push(*load);
            }
        }
        // Loads that the user names are his statement that they show what differs.
        loads.extend(self.under.iter().filter(|load| names.is_empty() && !self.is_dropped(**load)));
        loads
    }

    /// The settings in which a server and the baseline differ, on either side.
    fn differing<'a>(&'a self, server: &'a Server) -> Vec<&'a str> {
        let (ours, theirs) = (&self.current.settings, &server.settings);
        let names = ours.keys().chain(theirs.keys()).filter(|name| ours.get(*name) != theirs.get(*name));
        names.map(String::as_str).collect()
    }

    /// The settings that are compared, in the order of the question.
    fn compared_settings(&self) -> Vec<&str> {
        match &self.asked {
            Asked::Changes(changes) | Asked::Race(changes) => {
                changes.iter().map(|change| change.name.as_str()).collect()
            }
            Asked::Servers(servers) => {
                servers.iter().flat_map(|named| self.differing(&named.server)).collect()
            }
        }
    }

    /// The changes whose effect a load can show.
    pub(crate) fn acting<'a>(&self, changes: &[&'a Change], load: Load) -> impl Iterator<Item = &'a Change> {
        changes.iter().copied().filter(move |change| self.loads(&change.name).contains(&load))
    }

    /// Whether a load only guards against a loss: the user names it, and no setting that is compared acts under it.
    pub(crate) fn is_control(&self, load: Load) -> bool {
        let names = self.compared_settings();
        !self.under.is_empty() && !names.is_empty() && self.first_that_acts(&names, load).is_none()
    }

    /// The place of the first of these settings that acts under a load. If no load of the database shows a setting, the
    /// user who names loads states that they show it.
    fn first_that_acts(&self, names: &[&str], load: Load) -> Option<usize> {
        let acts = |name: &&str| {
            let known = self.database.loads(name);
            known.is_empty() || known.iter().any(|known| known.is_alike(load))
        };
        names.iter().position(acts)
    }

    /// Whether clients write under one of its loads.
    pub fn writes(&self) -> bool {
        self.all_loads().iter().any(|load| load.work.writes())
    }

    /// Refuses a question that no load can answer.
    ///
    /// # Errors
    /// The settings, as a clause.
    pub fn require_load(&self) -> Result<(), String> {
        if !self.all_loads().is_empty() {
            return Ok(());
        }
        let names: Vec<&str> =
            self.settings_asked_about().into_iter().filter(|name| self.loads(name).is_empty()).collect();
        Err(format!(
            "no load of Syncline's own shows what {} does, so a proof could only call it harmless; name a load that \
             does",
            names.join(", ")
        ))
    }

    /// The loads that can show what a setting does; none if no load can.
    pub fn loads(&self, name: &str) -> Vec<Load> {
        let loads = if self.under.is_empty() { self.database.loads(name) } else { &self.under };
        loads.iter().copied().filter(|load| !self.is_dropped(*load)).collect()
    }

    /// The loads that can show what any of these settings does, each once: those of the first setting come first.
    /// If the user names loads, those under which no setting acts come last, because they only guard against a loss.
    pub(crate) fn loads_of<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<Load> {
        let names: Vec<&str> = names.collect();
        let mut loads: Vec<Load> = Vec::new();
        for load in names.iter().flat_map(|name| self.loads(name)) {
            if !loads.contains(&load) {
                loads.push(load);
            }
        }
        if !self.under.is_empty() {
            loads.sort_by_key(|load| self.first_that_acts(&names, *load).unwrap_or(names.len()));
        }
        loads
    }

    /// Comparisons that share the proof's error with those of a stage, as a divisor of that error: known before the
    /// first trial.
    ///
    /// What is asked first has half of the error: the bundle, or the servers. The other comparisons share the other
    /// half. If there is nothing else, it has all of it.
    pub fn family(&self, stage: StageKind) -> usize {
        let of_bundle = self.all_loads().len();
        // Under a load that shows several changes each is left out once, and what is left of the bundle is compared
        // again. A load that shows one change is that change's in the bundle already.
        let of_several = |changes: &[Change]| {
            let names: BTreeSet<&str> = changes.iter().map(|change| change.name.as_str()).collect();
            let acting = |load: &Load| names.iter().filter(|name| self.loads(name).contains(load)).count();
            let several = self.all_loads().into_iter().map(|load| acting(&load)).filter(|acting| *acting > 1);
            several.map(|acting| acting + 1).sum::<usize>()
        };
        let others = match &self.asked {
            Asked::Servers(servers) => return (of_bundle * servers.len()).max(1),
            Asked::Changes(changes) => of_several(changes),
            Asked::Race(changes) => {
                let of_heat: usize = changes.iter().map(|change| self.loads(&change.name).len()).sum();
                of_several(changes) + of_heat * HEATS as usize
            }
        };
        if others == 0 {
            return of_bundle.max(1);
        }
        let of_stage = match stage {
            StageKind::Bundle | StageKind::Servers => of_bundle,
            StageKind::Heat(_) | StageKind::Settings | StageKind::Mended => others,
        };
        2 * of_stage.max(1)
    }
}
