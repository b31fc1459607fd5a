//! What a law finds in single claims.

use crate::claim::{Claim, Number, NumberKind};
use crate::status::Status;
use std::collections::{BTreeMap, BTreeSet};

/// Sentences of evidence that a person reads; the rest is counted.
const EVIDENCE_MAX: usize = 20;
/// Claims that one sentence names.
const NAMES_MAX: usize = 3;

/// Everything that a latency clock and a counter of operations give.
pub(crate) const MEASURED: &[NumberKind] = &[
    NumberKind::Rate,
    NumberKind::Bandwidth,
    NumberKind::LatencyMean,
    NumberKind::LatencySd,
    NumberKind::LatencyExtreme,
    NumberKind::LatencyPercentile,
];
/// Every latency figure.
pub(crate) const LATENCY: &[NumberKind] = &[
    NumberKind::LatencyMean,
    NumberKind::LatencySd,
    NumberKind::LatencyExtreme,
    NumberKind::LatencyPercentile,
];

/// None: how claims are compared.
pub(crate) const COMPARISON: &[NumberKind] = &[];

/// The same with those of syncs and commits.
pub(crate) const ANY_LATENCY: &[NumberKind] = &[
    NumberKind::LatencyMean,
    NumberKind::LatencySd,
    NumberKind::LatencyExtreme,
    NumberKind::LatencyPercentile,
    NumberKind::Sync,
    NumberKind::Commit,
];

/// Which of a claim's numbers a reading is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Concern {
    /// All of these kinds.
    Kinds(&'static [NumberKind]),
    /// Those with these names.
    Names(BTreeSet<String>),
    /// How the claim is compared with others; the number may be right.
    Comparison,
}

impl Concern {
    /// Whether a number is meant.
    pub fn covers(&self, number: &Number) -> bool {
        match self {
            Self::Kinds(kinds) => kinds.contains(&number.kind),
            Self::Names(names) => names.contains(&number.name),
            Self::Comparison => false,
        }
    }
}

/// One claim as a law sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Index of the claim.
    pub claim: usize,
    /// Which of its numbers.
    pub concern: Concern,
    /// Pass, warn or fail.
    pub status: Status,
    /// How far off it is, where the law measures that; 0 elsewhere.
    pub severity: f64,
    /// The figures, in words.
    pub text: String,
}

impl Reading {
    /// For the first claim.
    pub(crate) const fn new(concern: Concern, status: Status, text: String) -> Self {
        Self { claim: 0, concern, status, severity: 0.0, text }
    }

    pub(crate) fn of(self, claim: usize) -> Self {
        Self { claim, ..self }
    }

    /// Whether it breaks the law, or perhaps does.
    pub const fn is_off(&self) -> bool {
        matches!(self.status, Status::Warn | Status::Fail)
    }
}

/// Claims that were read.
pub(crate) fn read(readings: &[Reading]) -> usize {
    readings.chunk_by(|a, b| a.claim == b.claim).count()
}

/// Claims that are off.
pub(crate) fn off(readings: &[Reading]) -> usize {
    readings.chunk_by(|a, b| a.claim == b.claim).filter(|claim| claim.iter().any(Reading::is_off)).count()
}

/// A sentence for each reading that is off; claims of which the same is reported share one.
pub(crate) fn evidence(readings: &[Reading], claims: &[Claim], noun: &str) -> Vec<String> {
    let mut texts: Vec<&str> = Vec::new();
    let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for reading in readings.iter().filter(|reading| reading.is_off()) {
        let same = names.entry(&reading.text).or_insert_with(|| {
            texts.push(&reading.text);
            Vec::new()
        });
        same.push(claims[reading.claim].name());
    }
    let sentence = |text: &&str| format!("{}: {text}", listed(&names[*text], noun));
    let mut sentences: Vec<String> = texts.iter().take(EVIDENCE_MAX).map(sentence).collect();
    if texts.len() > EVIDENCE_MAX {
        sentences.push(format!("… and {} more.", texts.len() - EVIDENCE_MAX));
    }
    sentences
}

/// The first names, and how many more there are.
fn listed(names: &[String], noun: &str) -> String {
    if names.len() <= NAMES_MAX {
        return names.join(", ");
    }
    format!("{} and {} more {noun}s", names[..NAMES_MAX - 1].join(", "), names.len() + 1 - NAMES_MAX)
}

/// Indices of the claims that have a key, by it.
pub(crate) fn grouped<'a, K: Ord>(
    claims: &'a [Claim],
    key: impl Fn(&'a Claim) -> Option<K>,
) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (index, claim) in claims.iter().enumerate() {
        if let Some(key) = key(claim) {
            groups.entry(key).or_default().push(index);
        }
    }
    groups.into_values().collect()
}
