//! How long a study takes at least, known before it begins. Pure.

use crate::looks::ROUNDS_MIN;
use model::Description;
use model::description::Duration;
use model::plan::StudyPlan;

/// What a study has to be given before it can answer anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Least {
    /// Analysed rounds: as many as an interval needs, or fewer if fewer are planned.
    pub rounds: u32,
    /// Trials of these rounds, and of the warm-up rounds before them.
    pub trials: usize,
    /// Seconds that these trials are asked to last. Starting workers, making files and waiting for a quiet device come on
    /// top, and so do trials that end by a count.
    pub seconds: f64,
}

/// The least that a study takes until it has an interval.
pub fn least(study: &StudyPlan) -> Least {
    let rounds = study.rounds_first().min(ROUNDS_MIN);
    let all_rounds = study.warmup_rounds.saturating_add(rounds);
    let round_s: f64 = durations(study).map(Duration::least_s).sum();
    Least {
        rounds,
        trials: study.trials_per_round().saturating_mul(all_rounds as usize),
        seconds: round_s * f64::from(all_rounds),
    }
}

/// How long all trials of a study are asked to last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planned {
    /// Trials, warm-up rounds and the A/A arm included.
    pub trials: usize,
    /// Seconds at least: what becomes steady does so at once, and what ends by a count takes no time.
    pub seconds_min: f64,
    /// Seconds at most: nothing becomes steady before its time is up.
    pub seconds_max: f64,
}

/// What a study's trials are asked to last. Starting workers, making files and waiting for a quiet device come on top.
pub fn planned(study: &StudyPlan) -> Planned {
    let rounds = study.warmup_rounds.saturating_add(study.rounds);
    let seconds_min = durations(study).map(Duration::least_s).sum::<f64>() * f64::from(rounds);
    let waiting = durations(study).map(|duration| duration.steady_max_s - duration.steady_min_s);
    let waiting = waiting.sum::<f64>() * f64::from(rounds);
    Planned {
        trials: study.trials_per_round().saturating_mul(rounds as usize),
        seconds_min,
        seconds_max: seconds_min + waiting,
    }
}

/// What each trial of a round is: every configuration, the A/A arm, and the baseline again in every further block.
pub(crate) fn descriptions_of_round(study: &StudyPlan) -> impl Iterator<Item = &Description> {
    let again = study.trials_per_round().saturating_sub(study.configurations.len());
    let baseline = study.description(study.duplicate).into_iter();
    study.descriptions.iter().chain(baseline.flat_map(move |baseline| std::iter::repeat_n(baseline, again)))
}

/// How long each trial of a round takes.
fn durations(study: &StudyPlan) -> impl Iterator<Item = &Duration> {
    descriptions_of_round(study).map(|description| &description.duration)
}
