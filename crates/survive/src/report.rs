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
    /// Whether the maker states that a transaction which its client repeats is there once.
    #[serde(default)]
    pub deduplicates: bool,
    /// What the server's programs call their version.
    pub version: String,
    pub kill: Tally,
    pub power_loss: Tally,
    pub crashes: Vec<Crash>,
    /// The one way in which the server was to end; `None` for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<End>,
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
            deduplicates: promise.deduplicates,
            version: String::new(),
            kill: of(End::Kill),
            power_loss: of(End::PowerLoss),
            crashes,
            only: None,
            not_tried: None,
            prices: Vec::new(),
        }
    }

    /// Whether the promise was kept, over both kinds of end that it covers, or the one that was to be tried.
    pub fn standing(&self) -> Standing {
        let is_covered = |end: End| match self.class {
            DurabilityClass::None => false,
            DurabilityClass::Process => end == End::Kill,
            DurabilityClass::Power => true,
        };
        let both = [(End::Kill, &self.kill), (End::PowerLoss, &self.power_loss)];
        let asked: Vec<(End, &Tally)> = both.into_iter().filter(|(end, _)| self.is_asked(*end)).collect();
        let is_broken = |(end, tally): &(End, &Tally)| {
            is_covered(*end) && tally.broken() > 0 || self.recovers && tally.inconsistent() > 0
        };
        let is_unknown = |(_, tally): &(End, &Tally)| tally.crashes == 0 || tally.does_not_mount > 0;
        if both.iter().any(is_broken) {
            Standing::Broken
        } else if self.not_tried.is_some() || asked.iter().any(is_unknown) {
            Standing::NotChecked
        } else if !asked.iter().any(|(end, _)| is_covered(*end)) && !self.recovers {
            Standing::NothingPromised
        } else {
            Standing::NotBroken
        }
    }

    /// Whether the server was to end in this way.
    pub(crate) fn is_asked(&self, end: End) -> bool {
        self.only.is_none_or(|only| only == end)
    }
}

/// Why a report has less than was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub why: String,
    /// Whether a signal asked for the end.
    pub is_interrupted: bool,
    /// Promises whose crashes had not begun.
    pub promises_left: usize,
}

/// What `survive` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The disk that prices are of.
    pub place: String,
    /// Below the databases, when they were crashed.
    pub file_system: String,
    /// Whether each crash created the table (the stream) before its rows, after the last flush of everything.
    #[serde(default)]
    pub creates: bool,
    /// The first crash of each promise has it; each later one adds 1.
    pub seed: u64,
    /// Why nothing could be crashed on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_crashes: Option<String>,
    /// Why crashes or prices ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    pub subjects: Vec<SubjectReport>,
    /// Servers that this machine lacks, with the reason.
    pub absent: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fate::{Fate, Loss};

    fn crash(end: End, fate: Fate) -> Crash {
        Crash {
            end,
            seed: 1,
            moment_ms: 100.0,
            kept: None,
            unflushed_bytes: None,
            crashes_in_recovery: 0,
            acknowledged_commits: 10,
            fate,
            recovery_ms: None,
            complaints: Vec::new(),
        }
    }

    fn standing(promise: &Promise, fates: &[(End, Fate)]) -> Standing {
        let crashes = fates.iter().map(|(end, fate)| crash(*end, fate.clone())).collect();
        SubjectReport::new("valkey", "Valkey", promise, crashes).standing()
    }

    #[test]
    fn a_promise_is_broken_by_what_it_covers_and_by_nothing_else() {
        let lost = Fate::Lost(Loss { lost_commits: 3, lost_over_ms: 1.0, ..Loss::default() });
        let twice = Fate::Lost(Loss { doubled_commits: 1, ..Loss::default() });
        let ends = Fate::DoesNotStart { why: "corrupt".to_owned() };
        let unmounted = Fate::DoesNotMount { why: "bad superblock".to_owned() };
        let of = |class| Promise::new(class, "https://example.org", &[("sync", "on")]);
        let (power, process) = (of(DurabilityClass::Power), of(DurabilityClass::Process));
        let (none, restarts) = (of(DurabilityClass::None), of(DurabilityClass::None).recovering());
        let both = |kill: &Fate, power: &Fate| [(End::Kill, kill.clone()), (End::PowerLoss, power.clone())];
        for (promise, fates, expected) in [
            (&power, both(&Fate::Kept, &Fate::Kept), Standing::NotBroken),
            (&power, both(&Fate::Kept, &lost), Standing::Broken),
            (&power, both(&Fate::Kept, &twice), Standing::Broken),
            (&process, both(&Fate::Kept, &lost), Standing::NotBroken),
            (&process, both(&lost, &Fate::Kept), Standing::Broken),
            (&none, both(&lost, &ends), Standing::NothingPromised),
            (&restarts, both(&lost, &lost), Standing::NotBroken),
            (&restarts, both(&lost, &ends), Standing::Broken),
            (&power, both(&Fate::Kept, &unmounted), Standing::NotChecked),
        ] {
            assert_eq!(standing(promise, &fates), expected, "{promise:?} {fates:?}");
        }
        assert_eq!(standing(&power, &[]), Standing::NotChecked);
        assert_eq!(standing(&power, &[(End::Kill, Fate::Kept)]), Standing::NotChecked);
        let crashes = vec![crash(End::Kill, Fate::Kept), crash(End::PowerLoss, Fate::Kept)];
        let mut ended = SubjectReport::new("valkey", "Valkey", &power, crashes);
        ended.not_tried = Some("it acknowledged no row".to_owned());
        assert_eq!(ended.standing(), Standing::NotChecked, "a series that ended early");
    }

    #[test]
    fn a_series_of_one_kind_says_nothing_about_the_other() {
        let lost = Fate::Lost(Loss { lost_commits: 3, lost_over_ms: 1.0, ..Loss::default() });
        let of = |class| Promise::new(class, "https://example.org", &[("sync", "on")]);
        let (power, process) = (of(DurabilityClass::Power), of(DurabilityClass::Process));
        for (promise, only, end, fate, expected) in [
            (&power, End::PowerLoss, End::PowerLoss, &Fate::Kept, Standing::NotBroken),
            (&power, End::PowerLoss, End::PowerLoss, &lost, Standing::Broken),
            (&power, End::PowerLoss, End::Kill, &Fate::Kept, Standing::NotChecked),
            (&power, End::PowerLoss, End::Kill, &lost, Standing::Broken),
            (&process, End::PowerLoss, End::PowerLoss, &lost, Standing::NothingPromised),
            (&process, End::Kill, End::Kill, &Fate::Kept, Standing::NotBroken),
        ] {
            let of = SubjectReport::new("valkey", "Valkey", promise, vec![crash(end, fate.clone())]);
            let of = SubjectReport { only: Some(only), ..of };
            assert_eq!(of.standing(), expected, "{promise:?} {only:?} {end:?} {fate:?}");
        }
    }

    #[test]
    fn a_count_has_its_bound_without_what_the_file_system_lost() {
        let unmounted = Fate::DoesNotMount { why: "bad superblock".to_owned() };
        let fates = std::iter::repeat_n(Fate::Kept, 10).chain([unmounted]);
        let crashes: Vec<Crash> = fates.map(|fate| crash(End::PowerLoss, fate)).collect();
        let tally = tally(crashes.iter());
        assert_eq!((tally.crashes, tally.kept, tally.broken(), tally.does_not_mount), (11, 10, 0, 1));
        // 1 − 0.05^(1/10), Clopper and Pearson.
        assert!((tally.broken_share_at_most - 0.258_866).abs() < 1e-6, "{tally:?}");
    }
}
