//! A law, and what becomes of it for the claims that it is held against.

use crate::claim::{Claim, NumberKind};
use crate::reading::{Concern, Reading, evidence, off, read};
use crate::status::Status;
use model::figure::count;

/// What holds of figures that are what they are stated to be.
pub struct Law {
    /// `littles-law`.
    pub name: &'static str,
    /// What it looks at.
    pub looks: Looks,
    /// The roles of columns that it needs.
    pub needs: &'static str,
    /// If it is held: `{}` stands for the claims that it was held against.
    pub(crate) held: &'static str,
    /// If it is broken: `{}` stands for the share of claims that break it.
    pub(crate) broken: &'static str,
    /// What to do then.
    pub advice: &'static str,
    /// If no claim has what it takes: `{}` stands for what a claim is.
    pub(crate) lacking: &'static str,
    /// How claims are read.
    pub(crate) reads: Reads,
}

/// What a law looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// Whether figures can be what they are stated to be: one that passes was checked.
    AtFigures,
    /// How much is stated about them: a figure that passes may still be wrong.
    AtTelling,
}

/// How claims are read; those without what the law takes have no reading.
pub(crate) enum Reads {
    /// Each by itself, about its numbers of these kinds.
    Each(&'static [NumberKind], fn(&Claim) -> Option<(Status, String)>),
    /// Each by itself, about these numbers.
    Numbers(fn(&Claim) -> Vec<Reading>),
    /// Each disk by itself; the words are those of the readings.
    Rated(fn(&Claim) -> Vec<Reading>),
    /// Each against the others.
    Together(fn(&[Claim]) -> LawResult),
}

/// What a law finds among claims.
#[derive(Default)]
pub(crate) struct LawResult {
    pub(crate) readings: Vec<Reading>,
    /// Sentences beside the readings.
    pub(crate) notes: Vec<String>,
    /// What stands for the law's own words, if they do not fit.
    pub(crate) told: Option<Told>,
}

/// An outcome in words of its own.
pub(crate) struct Told {
    pub(crate) status: Status,
    pub(crate) summary: String,
    pub(crate) evidence: Vec<String>,
}

impl FromIterator<Reading> for LawResult {
    fn from_iter<T: IntoIterator<Item = Reading>>(readings: T) -> Self {
        Self { readings: readings.into_iter().collect(), ..Self::default() }
    }
}

/// What becomes of a law.
pub struct Judgement {
    pub law: &'static Law,
    /// The worst of its readings.
    pub status: Status,
    pub summary: String,
    /// The figures behind it: sentences.
    pub evidence: Vec<String>,
    /// By claim, in order. The text is empty if the law is held.
    pub readings: Vec<Reading>,
}

impl Judgement {
    /// Whether the law is broken, or perhaps broken.
    pub const fn is_broken(&self) -> bool {
        matches!(self.status, Status::Warn | Status::Fail)
    }

    /// What to do; empty if the law is not broken.
    pub const fn advice(&self) -> &'static str {
        if self.is_broken() { self.law.advice } else { "" }
    }
}

impl Law {
    /// What the law finds in each of these claims.
    pub fn read(&self, claims: &[Claim]) -> Vec<Reading> {
        self.find(claims).readings
    }

    fn find(&self, claims: &[Claim]) -> LawResult {
        let all = || claims.iter().enumerate();
        let mut found = match self.reads {
            Reads::Each(kinds, read) => {
                let reading = |(claim, stated)| {
                    let (status, text) = read(stated)?;
                    Some(Reading::new(Concern::Kinds(kinds), status, text).of(claim))
                };
                all().filter_map(reading).collect()
            }
            Reads::Numbers(read) | Reads::Rated(read) => {
                let of = |(claim, stated)| {
                    read(stated).into_iter().map(move |reading| Reading { claim, ..reading })
                };
                let found: LawResult = all().flat_map(of).collect();
                if matches!(self.reads, Reads::Rated(_)) { of_disks(self, found) } else { found }
            }
            Reads::Together(read) => read(claims),
        };
        found.readings.sort_by_key(|reading| reading.claim);
        found
    }

    /// Holds the law against claims, each of which is a `noun`: a row, a trial.
    pub fn judge(&'static self, claims: &[Claim], noun: &str) -> Judgement {
        let LawResult { mut readings, notes, told } = self.find(claims);
        for reading in readings.iter_mut().filter(|reading| !reading.is_off()) {
            reading.text.clear();
        }
        let worst = readings.iter().map(|reading| reading.status).min();
        let Told { status, summary, mut evidence } = told.unwrap_or_else(|| {
            let status = worst.unwrap_or(Status::NotAssessable);
            let summary = self.summary(status, read(&readings), off(&readings), noun);
            Told { status, summary, evidence: evidence(&readings, claims, noun) }
        });
        evidence.extend(notes);
        Judgement { law: self, status, summary, evidence, readings }
    }

    /// The outcome as a sentence: `read` claims were read, each a `noun`, and `off` break the law.
    pub fn summary(&self, status: Status, read: usize, off: usize, noun: &str) -> String {
        let read = count(read, noun);
        match status {
            Status::Pass => self.held.replace("{}", &read),
            Status::NotAssessable | Status::NotApplicable => self.lacking.replace("{}", noun),
            Status::Warn | Status::Fail => self.broken.replace("{}", &format!("{off} of {read}")),
        }
    }
}

/// Most findings of a law that are listed; each disk has its own beside it.
const DISKS_TOLD_MAX: usize = 10;

/// The first finding is the summary: its figures name the disk.
fn of_disks(law: &Law, LawResult { readings, notes, .. }: LawResult) -> LawResult {
    let status = readings.iter().map(|reading| reading.status).min().unwrap_or(Status::NotApplicable);
    let off = readings.iter().filter(|reading| reading.is_off());
    let evidence: Vec<String> = off.map(|reading| format!("{}.", reading.text)).collect();
    let summary = match (status, evidence.as_slice()) {
        (Status::NotApplicable | Status::NotAssessable, _) => law.lacking.to_owned(),
        (Status::Pass, _) | (_, []) => law.held.to_owned(),
        (_, [only]) => only.clone(),
        (_, [first, ..]) => {
            format!("{} of {} are found; the first: {first}", evidence.len(), readings.len())
        }
    };
    let evidence =
        if evidence.len() > 1 { evidence.into_iter().take(DISKS_TOLD_MAX).collect() } else { Vec::new() };
    LawResult { readings, notes, told: Some(Told { status, summary, evidence }) }
}
