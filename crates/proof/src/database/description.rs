//! What a proof needs to know about a database.

use super::known::Known;
use crate::change::Change;
use crate::conditions::Conditions;
use crate::load::Load;
use crate::server::Server;
use advice::{Role, Setting};
use model::settings::{Reach, reach};
use model::{Nanos, PromiseTable, Value};
use serde::{Serialize, Serializer};
use settings::{Release, Syntax};
use std::collections::BTreeMap;
use std::fmt;

/// Levels of parameters, as a study has them.
pub(crate) type Levels = BTreeMap<String, String>;

/// What a proof of one database needs to know about it.
pub struct Database {
    /// Its name on the command line.
    pub id: &'static str,
    pub name: &'static str,
    /// What an arm is one of, such as `PostgreSQL server`.
    pub instance: &'static str,
    /// Name of the file with its settings.
    pub settings_file: &'static str,
    /// How that file is written.
    pub syntax: Syntax,
    /// Settings that come before all others in that file, because they have no effect after them.
    pub(crate) first_in_file: &'static [&'static str],
    /// How the arms differ from what a user runs, if they do: a sentence, printed whole.
    pub note: Option<&'static str>,
    /// Whether an arm can have programs and a directory of its own.
    pub(crate) has_programs: bool,
    /// The server whose programs an arm starts, by its name among those of the workload `requests`; `None` for
    /// PostgreSQL and for stores.
    pub server: Option<&'static str>,
    /// What advice calls the database; `None` if it has no rules for it.
    pub(crate) advised_as: Option<&'static str>,
    /// Settings of the proof's own beside which a promise is judged.
    pub(crate) promised_with: &'static [(&'static str, &'static str)],
    /// The workload whose trials are the proof.
    pub(crate) workload: &'static str,
    pub(crate) settings: &'static [Known],
    /// The changes that a proof is about if nobody names any: what guides to tuning propose for solid-state disks.
    pub(crate) proposed: &'static [(&'static str, &'static str)],
    /// The loads of servers that differ in no setting: in their programs, or in where their files are.
    pub(crate) loads_of_servers: &'static [Load],
    /// What belongs to the database that a proof makes: a file of settings does not change it. A
    /// star stands for any ending.
    pub(crate) reserved: &'static [&'static str],
    /// What is the same in every arm under a load; `None` if it is not measured under that load.
    pub(crate) fixed: fn(Load, Conditions) -> Option<Levels>,
    /// Bytes of the buffer pool that a server has by its settings; `None` if every arm has the same.
    pub(crate) pool_bytes: Option<fn(&Server) -> u64>,
    /// The levels of an arm.
    pub(crate) levels: fn(&Server) -> Result<Levels, String>,
}

impl Database {
    fn find(&self, name: &str) -> Option<&'static Known> {
        self.settings.iter().find(|known| known.name == name)
    }

    /// Names of the storage settings.
    pub fn settings(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.settings.iter().map(|known| known.name)
    }

    /// Whether a setting comes before all others in a file of settings.
    pub fn is_first_in_file(&self, name: &str) -> bool {
        self.first_in_file.contains(&name)
    }

    /// Whether it is a storage setting: the arm `current` takes these from a user's file, and nothing else.
    pub fn knows(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// What its server promises, by which settings; `None` if no table has that.
    pub(crate) fn promises(&self) -> Option<&'static PromiseTable> {
        self.server.and_then(PromiseTable::of)
    }

    /// Every setting that advice has a rule for; one that the release lacks has no candidates.
    pub(super) fn rules(&self, release: &Release) -> Vec<Setting> {
        let advice = self.advised_as.and_then(advice::unmeasured);
        advice.map(|advice| advice.of(release).settings).unwrap_or_default()
    }

    /// The value of a setting in a release if nothing sets it; `None` if that is not known here.
    pub fn default_value(&self, name: &str, release: &Release) -> Option<&'static str> {
        match self.rules(release).into_iter().find(|rule| rule.name == name) {
            Some(rule) => rule.default.of(release).newest(),
            None => self.find(name)?.values.as_ref().and_then(|values| values.default.of(release).newest()),
        }
    }

    /// Whether it belongs to the database that a proof makes, as everything that names files does.
    pub fn is_reserved(&self, name: &str) -> bool {
        let is_one = |known: &&str| match known.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => *known == name,
        };
        reach(name) == Some(Reach::Files) || self.reserved.iter().any(is_one)
    }

    /// Whether an arm can have a setting: a server that takes the beginning of a name for the name gets those that are
    /// known here, and no other.
    pub fn takes(&self, name: &str) -> bool {
        self.server.is_none() || self.knows(name)
    }

    /// The values that a race tries, of one setting or of all whose effect a load can show: those that advice finds
    /// worth trying, and those of settings that advice has no rule for. A setting that the release lacks has none.
    pub fn candidates(&self, name: Option<&str>, release: &Release) -> Vec<Change> {
        let is_wanted = |of: &str| name.map_or_else(|| self.has_load(of), |name| name == of);
        let mut candidates = Vec::new();
        for rule in self.rules(release).into_iter().filter(|rule| is_wanted(&rule.name)) {
            let tried = rule.candidates.iter().filter(|candidate| candidate.role == Role::WorthTrying);
            candidates.extend(tried.map(|candidate| Change::new(&rule.name, &candidate.value)));
        }
        for known in self.settings.iter().filter(|known| is_wanted(known.name)) {
            let default = self.default_value(known.name, release);
            let values = known.values.iter().flat_map(|values| values.worth_trying);
            let others = values.filter(|value| Some(**value) != default);
            candidates.extend(others.map(|value| Change::new(known.name, value)));
        }
        candidates
    }

    /// The changes that a proof is about if nobody names any; none for a database whose advice comes from a run.
    pub fn proposed(&self) -> Vec<Change> {
        self.proposed.iter().map(|(name, value)| Change::new(name, value)).collect()
    }

    /// Whether a load can show what a setting does.
    pub fn has_load(&self, name: &str) -> bool {
        !self.loads(name).is_empty()
    }

    /// The loads that can show what a setting does; none if no load can, or if the setting is not among those that are
    /// known here. A load that does not show it would call it harmless.
    pub(crate) fn loads(&self, name: &str) -> &'static [Load] {
        self.find(name).map_or(&[], |known| known.loads)
    }

    /// Loads by the trials that measure them: those with the same levels share their trials.
    pub(crate) fn together(&self, loads: &[Load]) -> Vec<Vec<Load>> {
        let levels = |load: &Load| (self.fixed)(*load, Conditions::ANY);
        let mut groups: Vec<Vec<Load>> = Vec::new();
        for load in loads {
            match groups.iter_mut().find(|group| levels(&group[0]) == levels(load)) {
                Some(group) => group.push(*load),
                None => groups.push(vec![*load]),
            }
        }
        groups
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl PartialEq for Database {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// As its name on the command line.
impl Serialize for Database {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

/// Levels as a study has them.
pub(super) fn levels<'n>(levels: impl IntoIterator<Item = (&'n str, Value)>) -> Levels {
    levels.into_iter().map(|(name, level)| (name.to_owned(), level.to_string())).collect()
}

/// A time as a level, in whole milliseconds.
pub(super) fn duration(seconds: f64) -> Nanos {
    Nanos::from_millis((seconds * 1e3).round() as u64)
}
