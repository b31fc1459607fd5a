//! How long a study takes at least, known before it begins. Pure.

use crate::looks::ROUNDS_MIN;
use model::plan::StudyPlan;
use model::{Configuration, Value};

/// Parameters that end a trial by a count, whatever its runtime.
const COUNTS: &[&str] = &["groups", "number_ios", "entries"];

/// Intervals that a workload runs before it can be steady (SNIA's rule).
const STEADY_INTERVALS: f64 = stats::steady_state::WINDOW as f64;

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
    let duplicate = study.configurations.get(study.duplicate).filter(|_| study.has_duplicate());
    let round_s: f64 = study.configurations.iter().chain(duplicate).map(trial_seconds).sum();
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
    let duplicate = study.configurations.get(study.duplicate).filter(|_| study.has_duplicate());
    let configurations = || study.configurations.iter().chain(duplicate);
    let seconds_min = configurations().map(trial_seconds).sum::<f64>() * f64::from(rounds);
    let waiting = configurations().map(steady_wait_seconds).sum::<f64>() * f64::from(rounds);
    Planned {
        trials: study.trials_per_round().saturating_mul(rounds as usize),
        seconds_min,
        seconds_max: seconds_min + waiting,
    }
}

/// What becoming steady may take beyond the least that it takes.
fn steady_wait_seconds(values: &Configuration) -> f64 {
    let seconds = |name: &str| values.duration(name).map_or(0.0, model::Nanos::seconds);
    let time_max = seconds("steady_time_max");
    time_max - (STEADY_INTERVALS * seconds("steady_interval")).min(time_max)
}

/// What a trial is asked to last; nothing where a count may end it first.
fn trial_seconds(values: &Configuration) -> f64 {
    let seconds = |name: &str| match values.get(name) {
        Some(Value::Duration(duration)) => duration.seconds(),
        Some(_) | None => 0.0,
    };
    let is_counted = COUNTS.iter().any(|name| values.count(name).is_ok_and(|count| count > 0));
    let timed = if is_counted { 0.0 } else { seconds("runtime") };
    let steady = (STEADY_INTERVALS * seconds("steady_interval")).min(seconds("steady_time_max"));
    timed + seconds("ramp_time") + steady + seconds("cooldown")
}
