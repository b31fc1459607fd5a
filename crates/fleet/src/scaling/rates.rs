//! A rate of all ranks in each round.
//!
//! If a round is divided into blocks, every block has a trial of the baseline and is compared through it, as the
//! verdict compares the trials of one machine: a rate is multiplied by the baseline's mean over the round and divided
//! by the baseline in the trial's own block.

use model::plan::StudyPlan;
use model::shared::SharedTrial;
use model::trial::TrialKey;
use stats::sample;
use std::collections::{BTreeMap, BTreeSet};

/// The trials of a study in which all ranks completed something of it at the same time.
pub(super) struct Rates<'a> {
    trials: BTreeMap<&'a TrialKey, &'a SharedTrial>,
    /// By configuration and round.
    compared_per_s: BTreeMap<(usize, u32), f64>,
}

impl<'a> Rates<'a> {
    /// The rates of this metric.
    pub(super) fn of(study: &StudyPlan, trials: &[&'a SharedTrial], metric: &str) -> Self {
        let rate = |trial: &SharedTrial| trial.rates.get(metric).copied().filter(|rate| *rate > 0.0);
        let trials: BTreeMap<&'a TrialKey, &'a SharedTrial> =
            trials.iter().filter(|trial| rate(trial).is_some()).map(|trial| (&trial.key, *trial)).collect();
        let is_divided = study.blocks_per_round() > 1;
        let mut blocks: BTreeMap<u32, BTreeMap<u32, f64>> = BTreeMap::new();
        for trial in trials.values().filter(|trial| trial.key.configuration == study.duplicate) {
            blocks.entry(trial.key.round).or_default().extend(Some(trial.key.block).zip(rate(trial)));
        }
        let times = |key: &TrialKey| {
            let controls = blocks.get(&key.round)?;
            let controls_of_round: Vec<f64> = controls.values().copied().collect();
            Some(sample::geometric_mean(&controls_of_round)? / controls.get(&key.block)?)
        };
        let compared = |trial: &&SharedTrial| {
            let times = if is_divided { times(&trial.key)? } else { 1.0 };
            Some(((trial.key.configuration, trial.key.round), rate(trial)? * times))
        };
        let compared_per_s = trials.values().filter_map(compared).collect();
        Self { trials, compared_per_s }
    }

    /// The rate of a configuration in a round, as it is compared with those of others.
    pub(super) fn get(&self, configuration: usize, round: u32) -> Option<f64> {
        self.compared_per_s.get(&(configuration, round)).copied()
    }

    /// Whether a trial has a rate.
    pub(super) fn has(&self, key: &TrialKey) -> bool {
        self.trials.contains_key(key)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a TrialKey> {
        self.trials.keys().copied()
    }

    /// A trial of this configuration in each of these rounds.
    pub(super) fn trials(&self, configuration: usize, rounds: &BTreeSet<u32>) -> Vec<&'a SharedTrial> {
        let is_asked = |key: &TrialKey| key.configuration == configuration && rounds.contains(&key.round);
        let mut trials: Vec<&SharedTrial> =
            self.trials.values().copied().filter(|trial| is_asked(&trial.key)).collect();
        trials.dedup_by_key(|trial| trial.key.round);
        trials
    }
}
