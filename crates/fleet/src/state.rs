//! The statement about a fleet, from its digests.

use crate::confirm::{Audits, confirm};
use crate::digest::{Latencies, add};
use crate::disk::Stratum;
use crate::disk_result::{disk_results, times_median};
use crate::distribution::{Distribution, Figure};
use crate::figures::{Answers, Measured, answers, figure, measured};
use crate::gather::Fleet;
use crate::launch;
use crate::question::Question;
use crate::screen::{Screened, screen};
use crate::statement::{Statement, StratumResult};
use crate::suspect::{Suspect, SuspectOutcome};
use stats::{quantile, sample};
use std::collections::BTreeMap;

/// The quantiles of added histograms, as far as ten operations lie beyond them.
const QUANTILES: [f64; 6] = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999];

impl Fleet {
    /// What the runs show. `audits` returns the names of the failed audits of a study in a run, by the run's directory;
    /// it is called for the runs of disks that would be named.
    pub fn state(&self, audits: Audits<'_>) -> Statement {
        let (disks, strata, overlaps) = measured(self);
        let order = self.ordered();
        let questions: Vec<Question> = order.iter().map(|place| self.questions[*place].clone()).collect();
        let answers = answers(&questions, &order, &disks);
        let screened = screen(&answers);
        let outcomes = confirm(&screened, &answers, &disks, &questions, audits);
        let distributions = distributions(&answers, &screened, &disks, &questions);
        let mut suspects = suspects(&screened, &outcomes, &answers, &distributions);
        suspects.sort_by(|a, b| {
            let key = |suspect: &Suspect| !matches!(suspect.outcome, SuspectOutcome::Slow(_));
            key(a).cmp(&key(b)).then(a.times_median.total_cmp(&b.times_median))
        });
        let strata = strata.iter().enumerate();
        let strata = strata.map(|(place, stratum)| stratum_result(place, stratum, &disks, &distributions));
        Statement {
            runs: self.runs(),
            tests: screened.tests,
            strata: strata.collect(),
            disks: disk_results(&disks, &distributions, &answers, &suspects, &self.unread),
            questions,
            distributions,
            suspects,
            overlaps,
            unread: self.unread.clone(),
            missing_ranks: launch::missing(&launch::launches(self)),
        }
    }

    /// The places of the questions in the digests, study by study. Within a study, configurations and metrics come as
    /// the first run planned them.
    fn ordered(&self) -> Vec<usize> {
        let mut studies: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, question) in self.questions.iter().enumerate() {
            studies.entry(&question.study).or_insert(place);
        }
        let mut order: Vec<usize> = (0..self.questions.len()).collect();
        order.sort_by_key(|place| (studies[self.questions[*place].study.as_str()], *place));
        order
    }
}

fn stratum_result(
    place: usize,
    stratum: &Stratum,
    disks: &[Measured<'_>],
    distributions: &[Distribution],
) -> StratumResult {
    let of_it = || disks.iter().filter(|disk| disk.stratum == place);
    let began_at = || of_it().flat_map(|disk| disk.firsts.values()).map(|first| &first.began_at);
    let mut judged = distributions.iter().filter(|found| found.stratum == place && found.limit.is_some());
    StratumResult {
        stratum: stratum.clone(),
        disks: of_it().count(),
        assessable: judged.next().is_some(),
        began_at: began_at().min().cloned().zip(began_at().max().cloned()),
    }
}

fn distributions(
    answers: &[Answers<'_>],
    screened: &Screened,
    disks: &[Measured<'_>],
    questions: &[Question],
) -> Vec<Distribution> {
    // Several questions are about one family of latencies.
    let mut histograms: BTreeMap<(usize, Latencies), (usize, BTreeMap<u64, u64>)> = BTreeMap::new();
    let distribution = |(answers, limit): (&Answers<'_>, &Option<f64>)| {
        let figures: Vec<Figure> = answers.disks.iter().map(|(disk, logs)| figure(*disk, logs)).collect();
        let values: Vec<f64> = figures.iter().map(|figure| figure.value.ln()).collect();
        let latencies = Latencies::behind(&questions[answers.question]);
        let added = latencies.map(|latencies| {
            let key = (answers.stratum, latencies.clone());
            &*histograms.entry(key).or_insert_with(|| added(answers, disks, &latencies))
        });
        let (added, (operations, latencies)) =
            added.map(|(added, counts)| (*added, quantiles(counts))).unwrap_or_default();
        Distribution {
            question: answers.question,
            stratum: answers.stratum,
            figures,
            median: sample::median(&values).map_or(f64::NAN, f64::exp),
            limit: limit.map(|limit| answers.value(limit)),
            added,
            operations,
            latencies,
        }
    };
    answers.iter().zip(&screened.limits).map(distribution).collect()
}

/// The histograms behind the figures of a stratum, added, and the number of disks that have one.
fn added(
    answers: &Answers<'_>,
    disks: &[Measured<'_>],
    latencies: &Latencies,
) -> (usize, BTreeMap<u64, u64>) {
    let firsts = answers.disks.iter().filter_map(|(disk, _)| disks[*disk].firsts.get(&answers.recorded_as));
    let (mut disks, mut sum) = (0, BTreeMap::new());
    for counts in firsts.filter_map(|first| first.histograms.get(latencies)) {
        disks += 1;
        add(&mut sum, counts);
    }
    (disks, sum)
}

/// Operations of a histogram, and its quantiles in microseconds.
fn quantiles(counts: &BTreeMap<u64, u64>) -> (u64, Vec<(f64, f64)>) {
    let operations = counts.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
    let at = |quantile: f64| {
        let needed = (quantile * operations as f64).ceil();
        let mut reached = 0.0;
        let found = counts.iter().find(|(_, count)| {
            reached += **count as f64;
            reached >= needed
        });
        found.map(|(nanos, _)| (quantile, *nanos as f64 / 1e3))
    };
    let reportable = QUANTILES.into_iter().filter(|quantile| quantile::reportable(*quantile, operations));
    (operations, reportable.filter_map(at).collect())
}

fn suspects(
    screened: &Screened,
    outcomes: &[SuspectOutcome],
    answers: &[Answers<'_>],
    distributions: &[Distribution],
) -> Vec<Suspect> {
    let suspect = |(suspicion, outcome): (&crate::screen::Suspicion, &SuspectOutcome)| {
        let distribution = &distributions[suspicion.distribution];
        let figure = *distribution.figures.iter().find(|figure| figure.disk == suspicion.disk)?;
        let sign = answers[suspicion.distribution].sign;
        Some(Suspect {
            disk: suspicion.disk,
            distribution: suspicion.distribution,
            figure,
            times_median: times_median(&figure, distribution, sign),
            p: suspicion.p,
            outcome: outcome.clone(),
        })
    };
    screened.suspects.iter().zip(outcomes).filter_map(suspect).collect()
}
