//! What a fleet needs of a run: its disk, and the figures of its rounds. A hundredth of the run. Which trials count is
//! the verdict's rule.

use crate::disk::{Disk, Stratum};
use crate::fact::{Facts, facts};
use crate::gap::{FailedTrials, Unread, Unused};
use crate::question::{Question, metrics};
use model::metric;
use model::plan::StudyPlan;
use model::rank::Rank;
use model::run::Run;
use model::sidecar::{Counts, Sidecar};
use model::trial::{TrialKey, TrialRecord};
use stats::sample;
use std::collections::BTreeMap;
use verdict::Observations;

/// Reads the sidecar of a trial.
type Sidecars<'a> = &'a dyn Fn(&TrialKey) -> Option<Sidecar>;

/// A run, reduced to what is compared with others.
#[derive(Clone, Debug)]
pub struct Digest {
    pub run: String,
    pub disk: Disk,
    /// What it is compared with.
    pub stratum: Stratum,
    /// When the run began, RFC 3339 in UTC.
    pub began_at: String,
    /// When its last trial began: what begins later is another measurement.
    pub last_trial_at: String,
    /// Its place among the runs of one launch.
    pub rank: Option<Rank>,
    /// Whether it measures the disk again: it then settles a suspicion, and raises none.
    pub again: bool,
    /// Its trials that failed.
    pub failed: FailedTrials,
    /// Every question of its plan with the natural logarithms of its figures, one for each analysed round; none if a
    /// trial has no figure.
    pub answers: Vec<(Question, Vec<f64>)>,
    /// Latency histograms of its configurations, all rounds added.
    pub histograms: Vec<(Latencies, Counts)>,
    pub(crate) facts: Facts,
}

/// The latencies that are added over disks: one family of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Latencies {
    pub study: String,
    /// Every parameter of the configuration, as `name=value`.
    pub parameters: String,
    /// Metric family: `commit_latency`.
    pub family: String,
}

impl Latencies {
    /// The family that a question's metric is a statistic of; `None` for a rate.
    pub(crate) fn behind(question: &Question) -> Option<Self> {
        let metric = metric::find(&question.metric).filter(|metric| metric.statistic.is_some())?;
        Some(Self {
            study: question.study.clone(),
            parameters: question.parameters.clone(),
            family: metric.family.name.to_owned(),
        })
    }
}

impl Digest {
    /// What a run directory of this name contains.
    ///
    /// # Errors
    /// [`Unread`] if no trial of it measured anything, or if other ranks measured the same storage: then nothing is
    /// known about its device.
    pub fn of(name: String, run: &Run, sidecars: Sidecars<'_>) -> Result<Self, Box<Unread>> {
        if run.plan.rank.is_some_and(|rank| rank.is_shared) {
            return Err(Box::new(Unread { run: name, why: Unused::Shared }));
        }
        let disk = Disk { host: run.host.name.clone(), directory: run.plan.directory.display().to_string() };
        let (began_at, rank) = (run.plan.created_at.clone(), run.plan.rank);
        let studies: Vec<Observations<'_>> =
            run.plan.studies.iter().map(|study| Observations::new(run, study)).collect();
        let failed = FailedTrials::of(&studies);
        let Some(placement) = run.placement() else {
            let why = Unused::MeasuredNothing { disk, began_at, rank, failed };
            return Err(Box::new(Unread { run: name, why }));
        };
        let facts = facts(run, placement);
        let last = run.records.iter().map(|record| record.started_at.as_str()).max();
        let mut digest = Self {
            run: name,
            disk,
            stratum: Stratum::of(&facts),
            began_at,
            last_trial_at: last.unwrap_or_default().to_owned(),
            rank,
            again: run.plan.again,
            failed,
            answers: Vec::new(),
            histograms: Vec::new(),
            facts,
        };
        for (study, observations) in run.plan.studies.iter().zip(&studies) {
            digest.add(study, observations, sidecars);
        }
        Ok(digest)
    }

    fn add(&mut self, study: &StudyPlan, observations: &Observations<'_>, sidecars: Sidecars<'_>) {
        let metrics = metrics(study);
        for (index, configuration) in study.configurations.iter().enumerate() {
            let trials: Vec<&TrialRecord> = observations.of_configuration(index).collect();
            let parameters = configuration.to_string();
            let question = |metric: &&str| Question {
                study: study.name.clone(),
                label: study.label(index),
                metric: (*metric).to_owned(),
                parameters: parameters.clone(),
            };
            let questions: Vec<Question> = metrics.iter().map(question).collect();
            self.histograms.extend(histograms(&questions, &trials, sidecars));
            let answers = questions.into_iter().map(|question| {
                let logs = logs(&trials, &question.metric).unwrap_or_default();
                (question, logs)
            });
            self.answers.extend(answers);
        }
    }
}

/// The logarithm of a metric in each round; a configuration with a trial in every block has their mean. `None` if a
/// trial lacks the metric or it is not above zero: a quantile is recorded by fast trials only, so the others would be a
/// selection.
fn logs(trials: &[&TrialRecord], metric: &str) -> Option<Vec<f64>> {
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for trial in trials {
        let figure = trial.figure(metric).filter(|figure| figure.is_finite() && *figure > 0.0)?;
        rounds.entry(trial.key.round).or_default().push(figure.ln());
    }
    rounds.values().map(|logs| sample::mean(logs)).collect()
}

/// The histograms behind these questions, each sidecar read once.
fn histograms(
    questions: &[Question],
    trials: &[&TrialRecord],
    sidecars: Sidecars<'_>,
) -> Vec<(Latencies, Counts)> {
    let mut added: BTreeMap<Latencies, BTreeMap<u64, u64>> = questions
        .iter()
        .filter_map(Latencies::behind)
        .map(|latencies| (latencies, BTreeMap::new()))
        .collect();
    if added.is_empty() {
        return Vec::new();
    }
    for sidecar in trials.iter().filter_map(|trial| sidecars(&trial.key)) {
        for (latencies, sum) in &mut added {
            // A sidecar that cannot be read lacks the family, as one without it does.
            if let Ok(Some(counts)) = sidecar.counts(&latencies.family) {
                add(sum, &counts);
            }
        }
    }
    let found = added.into_iter().filter(|(_, sum)| !sum.is_empty());
    found.map(|(latencies, sum)| (latencies, sum.into_iter().collect())).collect()
}

/// Adds counters to a histogram.
pub(crate) fn add(sum: &mut BTreeMap<u64, u64>, counts: &Counts) {
    for (nanos, count) in counts {
        let known = sum.entry(*nanos).or_insert(0);
        *known = known.saturating_add(*count);
    }
}
