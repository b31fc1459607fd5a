//! What a database promises, what survived, and what it costs, side by side.

use crate::crash::{Crash, End};
use crate::price::PriceOf;
use crate::tally::{Tally, tally};
use model::DurabilityClass;
use serde::{Deserialize, Serialize};
use server::Promise;

/// How what survived compares with what was promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// No crash broke the promise. That is a bound on how often one does, not "never".
    NotBroken,
    /// A crash lost or damaged what the promise covers.
    Broken,
    /// Nothing is promised for these crashes.
    NothingPromised,
    /// It was not crashed.
    NotChecked,
}

/// One promise of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubjectReport {
    /// As `--for` has it.
    pub server: String,
    pub title: String,
    /// The settings, as the server names them.
    pub settings: Vec<(String, String)>,
    pub is_default: bool,
    /// What the maker says an acknowledged row survives.
    pub class: DurabilityClass,
    /// Where the maker states it.
    pub source: String,
    /// Whether the maker states that it starts again and is consistent, whatever it has lost.
    pub recovers: bool,
    /// What the server's programs call their version.
    pub version: String,
    pub kill: Tally,
    pub power_loss: Tally,
    pub crashes: Vec<Crash>,
    /// Why some crashes could not be tried.
    pub not_tried: Option<String>,
    /// An entry for each number of clients; empty if it was not measured.
    pub prices: PriceOf,
}

impl SubjectReport {
    /// The crashes of a promise, counted.
    pub fn new(name: &str, title: &str, promise: &Promise, crashes: Vec<Crash>) -> Self {
        let of = |end: End| tally(crashes.iter().filter(|crash| crash.end == end));
        Self {
            server: name.to_owned(),
            title: title.to_owned(),
            settings: promise
                .settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            is_default: promise.is_default,
            class: promise.class,
            source: promise.source.to_owned(),
            recovers: promise.recovers,
            version: String::new(),
            kill: of(End::Kill),
            power_loss: of(End::PowerLoss),
            crashes,
            not_tried: None,
            prices: Vec::new(),
        }
    }

    /// Whether the promise was kept, over both kinds of end that it covers.
    pub fn standing(&self) -> Standing {
        let both = [&self.kill, &self.power_loss];
        let covered: &[&Tally] = match self.class {
            DurabilityClass::None => &[],
            DurabilityClass::Process => &[&self.kill],
            DurabilityClass::Power => &both,
        };
        let is_unknown = |tally: &&Tally| tally.crashes == 0 || tally.does_not_mount > 0;
        let is_inconsistent = self.recovers && both.iter().any(|tally| tally.inconsistent() > 0);
        if is_inconsistent || covered.iter().any(|tally| tally.broken() > 0) {
            Standing::Broken
        } else if self.not_tried.is_some() || both.iter().any(is_unknown) {
            Standing::NotChecked
        } else if covered.is_empty() && !self.recovers {
            Standing::NothingPromised
        } else {
            Standing::NotBroken
        }
    }
}

/// What `survive` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The disk that prices are of.
    pub place: String,
    /// Below the databases, when they were crashed.
    pub file_system: String,
    /// The first crash of each promise has it; each later one adds 1.
    pub seed: u64,
    pub subjects: Vec<SubjectReport>,
    /// Servers that this machine lacks, with the reason.
    pub absent: Vec<(String, String)>,
}
