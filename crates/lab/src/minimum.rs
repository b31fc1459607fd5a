//! How long a study takes at minimum, known before it begins. Pure.

use crate::cycles::WINDOW_SHARE;
use crate::interim::ROUNDS_MIN;
use model::description::Duration;
use model::plan::StudyPlan;

/// What a study has to be given before it can answer anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// Analysed rounds: as many as an interval needs, or fewer if fewer are planned.
    pub rounds: u32,
    /// Trials of these rounds, and of the warm-up rounds before them.
    pub trials: usize,
    /// Seconds that these trials are asked to last, or the profile's own statement if that is longer. Without a
    /// statement, starting workers, making files and waiting for a quiet device come on top, and so do trials that end
    /// by a count.
    pub seconds: f64,
}

/// The least that a study takes until it has an interval.
pub fn minimum(study: &StudyPlan) -> Minimum {
    let rounds = study.rounds_first().min(ROUNDS_MIN);
    let all_rounds = study.warmup_rounds.saturating_add(rounds);
    let round_s = round_s(study, Duration::timed_least_s, Duration::beside_least_s);
    // What is stated includes what a count ends, so a budget that holds it is sure to suffice.
    let round_s = study.round_s_stated.map_or(round_s, |stated| stated.max(round_s));
    Minimum {
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
    /// Those of which only a count ends a part: the seconds do not include that part.
    pub trials_counted: usize,
    /// Seconds at least: what becomes steady does so at once, and what ends by a count takes no time.
    pub seconds_min: f64,
    /// Seconds at most: nothing becomes steady before its time is up, and no count ends what has a time.
    pub seconds_max: f64,
    /// Seconds within which everything ends, or under a budget the first look comes, preparation included, as the
    /// profile's author states; `None` if nothing is stated.
    pub seconds_stated: Option<f64>,
}

/// What a study's trials are asked to last. Starting workers, making files and waiting for a quiet device come on top.
pub fn planned(study: &StudyPlan) -> Planned {
    let rounds = study.warmup_rounds.saturating_add(study.rounds);
    let of_rounds = |round_s: f64| round_s * f64::from(rounds);
    let beside_max_s =
        |duration: &Duration| duration.beside_least_s() + duration.steady_max_s - duration.steady_min_s;
    let counted =
        arms_of_round(study).filter(|arm| duration(study, *arm).is_some_and(Duration::has_no_end_by_time));
    Planned {
        trials: study.trials_per_round().saturating_mul(rounds as usize),
        trials_counted: counted.count().saturating_mul(rounds as usize),
        seconds_min: of_rounds(round_s(study, Duration::timed_least_s, Duration::beside_least_s)),
        seconds_max: of_rounds(round_s(study, Duration::timed_s, beside_max_s)),
        seconds_stated: study
            .round_s_stated
            .map(|round_s| round_s * f64::from(study.warmup_rounds.saturating_add(study.rounds_first()))),
    }
}

/// Seconds of a round whose phases take so long.
fn round_s(study: &StudyPlan, timed: fn(&Duration) -> f64, beside: impl Fn(&Duration) -> f64) -> f64 {
    let of_arm = |arm: usize| {
        let seconds = |duration: &Duration| timed(duration) / measured_share(study, arm) + beside(duration);
        duration(study, arm).map_or(0.0, seconds)
    };
    arms_of_round(study).map(of_arm).sum()
}

/// The share of a trial's phases that is measured: of a turn, one window.
pub(crate) fn measured_share(study: &StudyPlan, configuration: usize) -> f64 {
    if study.takes_turns(configuration) { WINDOW_SHARE } else { 1.0 }
}

/// The configuration of each trial of a round: all of them, the A/A arm, and the baseline again in every further block.
pub(crate) fn arms_of_round(study: &StudyPlan) -> impl Iterator<Item = usize> {
    let again = study.trials_per_round().saturating_sub(study.configurations.len());
    (0..study.configurations.len()).chain(std::iter::repeat_n(study.duplicate, again))
}

fn duration(study: &StudyPlan, configuration: usize) -> Option<&Duration> {
    study.description(configuration).map(|description| &description.duration)
}
