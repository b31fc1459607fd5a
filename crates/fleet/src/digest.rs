//! What a fleet needs of a run: its disk, and the figures of its rounds. A hundredth of the run.

use crate::disk::{Disk, Stratum};
use crate::fact::{Facts, facts};
use crate::question::{Question, metrics};
use model::FileSystem;
use model::host::Placement;
use model::metric;
use model::plan::StudyPlan;
use model::rank::Rank;
use model::run::Run;
use model::sidecar::{Counts, Sidecar};
use model::trial::{Outcome, TrialKey, TrialRecord};
use std::collections::BTreeMap;

/// Reads the sidecar of a trial.
type Sidecars<'a> = &'a dyn Fn(&TrialKey) -> Option<Sidecar>;

/// A run, reduced to what is compared with others.
#[derive(Clone, Debug)]
pub struct Digest {
    /// The run directory.
    pub run: String,
    /// The disk.
    pub disk: Disk,
    /// What it is compared with.
    pub stratum: Stratum,
    /// When the run began, RFC 3339 in UTC.
    pub began_at: String,
    /// When its last trial began: what begins later is another measurement.
    pub last_trial_at: String,
    /// Its place among the runs of one launch.
    pub rank: Option<Rank>,
    /// The natural logarithms of its figures, one for each analysed round.
    pub answers: Vec<(Question, Vec<f64>)>,
    /// Latency histograms of its configurations, all rounds added.
    pub histograms: Vec<(Latencies, Counts)>,
    pub(crate) facts: Facts,
}

/// The latencies that are added over disks: one family of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Latencies {
    /// The study's name.
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
    /// What a run directory of this name contains; `None` if no trial of it measured anything.
    pub fn of(name: String, run: &Run, sidecars: Sidecars<'_>) -> Option<Self> {
        let facts = facts(run, placement(run)?);
        let last = run.records.iter().map(|record| record.started_at.as_str()).max();
        let mut digest = Self {
            run: name,
            disk: Disk { host: run.host.name.clone(), directory: run.plan.directory.display().to_string() },
            stratum: Stratum::of(&facts),
            began_at: run.plan.created_at.clone(),
            last_trial_at: last.unwrap_or_default().to_owned(),
            rank: run.plan.rank,
            answers: Vec::new(),
            histograms: Vec::new(),
            facts,
        };
        for study in &run.plan.studies {
            digest.add(run, study, sidecars);
        }
        Some(digest)
    }

    fn add(&mut self, run: &Run, study: &StudyPlan, sidecars: Sidecars<'_>) {
        let metrics = metrics(study);
        let mut trials: Vec<Vec<&TrialRecord>> = study.configurations.iter().map(|_| Vec::new()).collect();
        for record in run.of_study(study).filter(|record| is_analysed(study, record)) {
            if let Some(of_configuration) = trials.get_mut(record.key.configuration) {
                of_configuration.push(record);
            }
        }
        for (index, trials) in trials.iter().enumerate() {
            let Some(configuration) = study.configurations.get(index) else { continue };
            let parameters = configuration.to_string();
            let question = |metric: &str| Question {
                study: study.name.clone(),
                label: study.label(index),
                metric: metric.to_owned(),
                parameters: parameters.clone(),
            };
            let questions: Vec<Question> = metrics.iter().map(|metric| question(metric)).collect();
            self.histograms.extend(histograms(&questions, trials, sidecars));
            let answers = questions.into_iter().filter_map(|question| {
                let logs = logs(trials, &question.metric)?;
                Some((question, logs))
            });
            self.answers.extend(answers);
        }
    }
}

/// The disk below the measured directory: what a trial found that ran on its own file system, otherwise the first one.
fn placement(run: &Run) -> Option<&Placement> {
    let measured = |record: &'_ TrialRecord| record.measurement.is_some();
    let is_on_host = |record: &&TrialRecord| {
        let description = run.plan.description(&record.key);
        description.is_none_or(|description| description.filesystem == FileSystem::Host)
    };
    let mut found = run.records.iter().filter(|record| measured(record));
    let record = found.clone().find(is_on_host).or_else(|| found.next())?;
    record.measurement.as_ref().map(|measurement| &measurement.placement)
}

/// Successful trials outside the warm-up. The A/A arm would count the baseline twice.
fn is_analysed(study: &StudyPlan, record: &TrialRecord) -> bool {
    let is_warmup = record.warmup || record.key.round < study.warmup_rounds;
    record.outcome == Outcome::Ok && study.has(&record.key) && !is_warmup && !record.key.duplicate
}

/// The logarithm of a metric in each round; a configuration with a trial in every block has their mean. `None` if a trial lacks the
/// metric or it is not above zero: a quantile is recorded by fast trials only, so the others would be a selection.
fn logs(trials: &[&TrialRecord], metric: &str) -> Option<Vec<f64>> {
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for trial in trials {
        let figure = trial.figure(metric).filter(|figure| figure.is_finite() && *figure > 0.0)?;
        rounds.entry(trial.key.round).or_default().push(figure.ln());
    }
    let mean = |logs: &Vec<f64>| logs.iter().sum::<f64>() / logs.len() as f64;
    (!rounds.is_empty()).then(|| rounds.values().map(mean).collect())
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
