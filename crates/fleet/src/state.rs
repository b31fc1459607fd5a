//! The statement about a fleet, from its digests.

use crate::confirm::{Audits, confirm};
use crate::digest::Latencies;
use crate::disk::Stratum;
use crate::fact::Facts;
use crate::figures::{Answers, Measured, answers, figure, measured};
use crate::gather::Fleet;
use crate::question::Question;
use crate::screen::{Screened, screen};
use crate::statement::{
    Difference, DiskResult, Distribution, Figure, Outcome, RunOfDisk, Standing, Statement, StratumResult,
    Suspect,
};
use stats::{quantile, sample};
use std::collections::{BTreeMap, BTreeSet};

/// The quantiles of added histograms, as far as ten operations lie beyond them.
const QUANTILES: [f64; 6] = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999];

impl Fleet {
    /// What the runs show. `audits` returns the names of the failed audits of a study in a run, by the run's directory; it is called for
    /// the runs of disks that would be named.
    pub fn state(&self, audits: Audits<'_>) -> Statement {
        let (disks, strata, overlaps) = measured(self);
        let order = self.ordered();
        let questions: Vec<Question> = order.iter().map(|place| self.questions[*place].clone()).collect();
        let answers = answers(&questions, &order, &disks);
        let screened = screen(&answers);
        let outcomes = confirm(&screened, &answers, &disks, &questions, audits);
        let distributions = self.distributions(&answers, &screened, &strata, &questions);
        let mut suspects = suspects(&screened, &outcomes, &answers, &distributions);
        suspects.sort_by(|a, b| {
            let key = |suspect: &Suspect| !matches!(suspect.outcome, Outcome::Slow(_));
            key(a).cmp(&key(b)).then(a.times_median.total_cmp(&b.times_median))
        });
        let disks = disk_results(&disks, &distributions, &answers, &suspects);
        let strata = strata.iter().enumerate().map(|(place, stratum)| {
            let of_it = |distribution: &&Distribution| distribution.stratum == place;
            StratumResult {
                stratum: (*stratum).clone(),
                disks: disks.iter().filter(|disk| disk.stratum == place).count(),
                assessable: distributions.iter().filter(of_it).any(|found| found.limit.is_some()),
            }
        });
        Statement {
            runs: self.runs(),
            tests: screened.tests,
            strata: strata.collect(),
            disks,
            questions,
            distributions,
            suspects,
            overlaps,
            unread: self.unread.clone(),
        }
    }

    /// The places of the questions in the digests, study by study. Within a study, configurations and metrics come as the first run
    /// planned them.
    fn ordered(&self) -> Vec<usize> {
        let mut studies: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, question) in self.questions.iter().enumerate() {
            studies.entry(&question.study).or_insert(place);
        }
        let mut order: Vec<usize> = (0..self.questions.len()).collect();
        order.sort_by_key(|place| (studies[self.questions[*place].study.as_str()], *place));
        order
    }

    fn distributions(
        &self,
        answers: &[Answers<'_>],
        screened: &Screened,
        strata: &[&Stratum],
        questions: &[Question],
    ) -> Vec<Distribution> {
        let distribution = |(answers, limit): (&Answers<'_>, &Option<f64>)| {
            let figures: Vec<Figure> = answers.disks.iter().map(|(disk, logs)| figure(*disk, logs)).collect();
            let values: Vec<f64> = figures.iter().map(|figure| figure.value.ln()).collect();
            let added = Latencies::behind(&questions[answers.question])
                .and_then(|latencies| self.histograms.get(&(strata[answers.stratum].clone(), latencies)));
            let (operations, latencies) = added.map(quantiles).unwrap_or_default();
            Distribution {
                question: answers.question,
                stratum: answers.stratum,
                figures,
                median: sample::median(&values).map_or(f64::NAN, f64::exp),
                limit: limit.map(|limit| answers.value(limit)),
                operations,
                latencies,
            }
        };
        answers.iter().zip(&screened.limits).map(distribution).collect()
    }
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
    outcomes: &[Outcome],
    answers: &[Answers<'_>],
    distributions: &[Distribution],
) -> Vec<Suspect> {
    let suspect = |(suspicion, outcome): (&crate::screen::Suspicion, &Outcome)| {
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

/// How many times as fast as the median a disk is.
fn times_median(figure: &Figure, distribution: &Distribution, sign: f64) -> f64 {
    (sign * (figure.value / distribution.median).ln()).exp()
}

fn disk_results(
    disks: &[Measured<'_>],
    distributions: &[Distribution],
    answers: &[Answers<'_>],
    suspects: &[Suspect],
) -> Vec<DiskResult> {
    let mut slowest: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    let mut judged = BTreeSet::new();
    for (place, (distribution, answers)) in distributions.iter().zip(answers).enumerate() {
        for figure in &distribution.figures {
            let times = times_median(figure, distribution, answers.sign);
            let known = slowest.entry(figure.disk).or_insert((place, times));
            if times < known.1 {
                *known = (place, times);
            }
            if distribution.limit.is_some() && figure.interval.is_some() {
                judged.insert(figure.disk);
            }
        }
    }
    let result = |(index, measured): (usize, &Measured<'_>)| {
        let mut of_disk = suspects.iter().filter(|suspect| suspect.disk == index).peekable();
        let is_suspect = of_disk.peek().is_some();
        let standing = of_disk.map(|suspect| standing(&suspect.outcome)).min();
        let unsuspected =
            if judged.contains(&index) { Standing::WithinLimits } else { Standing::NotAssessable };
        let run = |it: &&crate::gather::Measurement| RunOfDisk {
            run: it.run.clone(),
            began_at: it.began_at.clone(),
            rank: it.rank,
        };
        DiskResult {
            disk: measured.disk.clone(),
            stratum: measured.stratum,
            runs: measured.all.iter().map(run).collect(),
            standing: standing.unwrap_or(unsuspected),
            slowest: slowest.get(&index).copied(),
            differences: if is_suspect { differences(measured, disks) } else { Vec::new() },
        }
    };
    disks.iter().enumerate().map(result).collect()
}

fn standing(outcome: &Outcome) -> Standing {
    match outcome {
        Outcome::Slow(_) => Standing::Slow,
        Outcome::NotConfirmed(_) => Standing::NotConfirmed,
        Outcome::Doubted { .. }
        | Outcome::TooFewControls { .. }
        | Outcome::TooFewRounds { .. }
        | Outcome::MeasureAgain => Standing::Suspect,
    }
}

/// What most disks of the stratum share, and this one does not.
fn differences(suspect: &Measured<'_>, disks: &[Measured<'_>]) -> Vec<Difference> {
    let of_stratum = disks.iter().filter(|disk| disk.stratum == suspect.stratum);
    let facts: Vec<&Facts> = of_stratum.filter_map(|disk| Some(&disk.first?.facts)).collect();
    let Some(here) = suspect.first.map(|first| &first.facts) else { return Vec::new() };
    let recorded: BTreeSet<_> = facts.iter().flat_map(|facts| facts.keys().copied()).collect();
    let difference = |fact| {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for text in facts.iter().filter_map(|facts| facts.get(&fact)) {
            *counts.entry(text).or_insert(0) += 1;
        }
        let (most, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let differs = 2 * count > facts.len() && here.get(&fact) != Some(most);
        differs.then(|| Difference { fact, here: here.get(&fact).cloned(), most: most.clone() })
    };
    recorded.into_iter().filter_map(difference).collect()
}
