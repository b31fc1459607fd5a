//! The digests of a fleet, as they are read.

use crate::digest::{Digest, Latencies, add};
use crate::disk::{Disk, Stratum};
use crate::fact::Facts;
use crate::question::Question;
use crate::statement::Unread;
use model::rank::Rank;
use std::collections::BTreeMap;

/// Runs of many disks, reduced to what is compared.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    pub(crate) questions: Vec<Question>,
    places: BTreeMap<Question, usize>,
    pub(crate) disks: BTreeMap<(Stratum, Disk), Vec<Measurement>>,
    pub(crate) histograms: BTreeMap<(Stratum, Latencies), BTreeMap<u64, u64>>,
    pub(crate) unread: Vec<Unread>,
}

/// One run of a disk.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    pub(crate) run: String,
    pub(crate) began_at: String,
    pub(crate) last_trial_at: String,
    pub(crate) rank: Option<Rank>,
    pub(crate) facts: Facts,
    /// Logarithms of its figures, one for each round, by the question's place.
    pub(crate) answers: BTreeMap<usize, Vec<f64>>,
}

impl Fleet {
    /// Adds a run. The first run of a disk that is added has its histograms added to those of its stratum, so that each disk counts once:
    /// add the runs in the order in which they began.
    pub fn add(&mut self, digest: Digest) {
        let Digest { run, disk, stratum, began_at, last_trial_at, rank, answers, histograms, facts } = digest;
        let answers = answers.into_iter().map(|(question, logs)| (self.place(question), logs)).collect();
        let measurement = Measurement { run, began_at, last_trial_at, rank, facts, answers };
        let of_disk = self.disks.entry((stratum.clone(), disk)).or_default();
        if of_disk.is_empty() {
            for (latencies, counts) in histograms {
                add(self.histograms.entry((stratum.clone(), latencies)).or_default(), &counts);
            }
        }
        of_disk.push(measurement);
    }

    /// Adds a run directory that is not used: with the error, or because no trial in it measured anything.
    pub fn add_unread(&mut self, run: String, why: Option<String>) {
        self.unread.push(Unread { run, why });
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
