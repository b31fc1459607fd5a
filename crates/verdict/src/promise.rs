//! What is known about each durability class's promise, as data.

use model::durability::DurabilityClass;
use model::figure::{count, percent};
use model::units::format_significant;
use serde::Serialize;

/// What a durability class promises, and what the trials that declare it say about that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Promise {
    pub class: DurabilityClass,
    /// The device's counters, for a class that promises to survive power loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flushes: Option<Flushes>,
    /// What kills say; `None` if no trial ended with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kills: Option<Kills>,
}

/// Whether the device saw as many flushes as acknowledgements need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Flushes {
    /// Trials of the class.
    pub trials: usize,
    /// Those of which it is known.
    pub known: usize,
    /// Those with fewer flushes, and without forced writes: each refutes the promise.
    pub too_few: usize,
}

/// How kills ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Kills {
    pub kills: usize,
    /// Those that left no result: their trial is lost, or failed.
    pub without_result: usize,
    /// Those after which an acknowledged entry was missing.
    pub losing: usize,
    /// Most entries that were missing after one.
    pub entries_max: f64,
    /// The largest share of kills that could lose an entry, at 95 %.
    pub share_losing_at_most: f64,
}

impl Promise {
    /// Refuted, not refuted, or only declared, and by what; empty if nothing is known.
    pub(crate) fn text(&self) -> String {
        let kills = match (&self.kills, self.class) {
            (Some(found), class) => Some(kills(found, class)),
            (None, DurabilityClass::None) => Some(DIES.to_owned()),
            (None, DurabilityClass::Process | DurabilityClass::Power) => None,
        };
        let clauses = [self.flushes.as_ref().map(flushes), kills];
        clauses.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

const DIES: &str = "dies with the process";

fn kills(found: &Kills, class: DurabilityClass) -> String {
    let without = match found.without_result {
        0 => String::new(),
        without => format!(" ({without} of them without a result)"),
    };
    let kills = format!("{}{without}", count(found.kills, "kill"));
    let (losing, most) = (found.losing, format_significant(found.entries_max));
    match (losing, class) {
        (0, _) => format!(
            "no acknowledged entry lost in {kills}, so that at most {} of kills could lose one (95 %)",
            percent(found.share_losing_at_most)
        ),
        (_, DurabilityClass::None) => format!("{DIES}: entries lost in {losing} of {kills}, up to {most}"),
        (_, DurabilityClass::Process | DurabilityClass::Power) => {
            format!("REFUTED: acknowledged entries lost in {losing} of {kills}, up to {most}")
        }
    }
}

fn flushes(found: &Flushes) -> String {
    match (found.known, found.too_few) {
        (0, _) => "declared: it is unknown whether the device saw a flush".to_owned(),
        (known, 0) => format!(
            "declared, which no kill can prove: as many flushes as acknowledgements need, forced writes or no volatile \
             cache in {known} of {}",
            count(found.trials, "trial")
        ),
        (known, too_few) => format!(
            "REFUTED: fewer flushes than acknowledgements need, and no forced writes, in {too_few} of {}",
            count(known, "trial")
        ),
    }
}
