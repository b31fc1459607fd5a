//! The digests of a fleet, as they are read.

use crate::digest::{Digest, Latencies};
use crate::disk::{Disk, Stratum};
use crate::fact::Facts;
use crate::gap::{FailedTrials, Unread};
use crate::question::Question;
use model::rank::Rank;
use model::sidecar::Counts;
use std::collections::BTreeMap;

/// Runs of many disks, reduced to what is compared.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    pub(crate) questions: Vec<Question>,
    places: BTreeMap<Question, usize>,
    pub(crate) disks: BTreeMap<Disk, Vec<Measurement>>,
    pub(crate) unread: Vec<Unread>,
}

/// One run of a disk.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    pub(crate) run: String,
    pub(crate) stratum: Stratum,
    pub(crate) began_at: String,
    pub(crate) last_trial_at: String,
    pub(crate) rank: Option<Rank>,
    pub(crate) again: bool,
    pub(crate) failed: FailedTrials,
    pub(crate) facts: Facts,
    /// Logarithms of its figures, one for each round, by the question's place; none for a question without a figure.
    pub(crate) answers: BTreeMap<usize, Vec<f64>>,
    /// Its histograms, as long as no later run of the disk has them.
    pub(crate) histograms: BTreeMap<Latencies, Counts>,
}

impl Fleet {
    /// Adds a run, in any order.
    pub fn add(&mut self, digest: Digest) {
        let Digest { run, disk, stratum, began_at, last_trial_at, rank, again, failed, .. } = digest;
        let (answers, facts) = (digest.answers, digest.facts);
        let answers = answers.into_iter().map(|(question, logs)| (self.place(question), logs)).collect();
        // The histograms are most of a digest, and only those of first measurements are shown.
        let histograms = if again { Vec::new() } else { digest.histograms }.into_iter().collect();
        let mut new = Measurement {
            run,
            stratum,
            began_at,
            last_trial_at,
            rank,
            again,
            failed,
            facts,
            answers,
            histograms,
        };
        let of_disk = self.disks.entry(disk).or_default();
        for other in of_disk.iter_mut() {
            let (older, newer) =
                if other.began_at <= new.began_at { (other, &mut new) } else { (&mut new, other) };
            older.histograms.retain(|latencies, _| !newer.histograms.contains_key(latencies));
        }
        of_disk.push(new);
    }

    /// Adds a run directory that is not used.
    pub fn add_unread(&mut self, unread: Unread) {
        self.unread.push(unread);
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.disks.values().map(Vec::len).sum()
    }

    fn place(&mut self, question: Question) -> usize {
        if let Some(place) = self.places.get(&question) {
            return *place;
        }
        let place = self.questions.len();
        self.questions.push(question.clone());
        self.places.insert(question, place);
        place
    }
}
