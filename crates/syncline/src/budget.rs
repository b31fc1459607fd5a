//! What of a budget is left to trials.

use model::run::Run;
use std::time::{Duration, Instant};

/// Cleaning up and the report take this part of a budget …
const AFTERWARDS_PART: u32 = 30;
/// … and never longer than this.
const AFTERWARDS_MAX: Duration = Duration::from_secs(10);

/// When the last trial of a budget that begins now should have ended.
pub(crate) fn last_trial_ends(budget: Duration) -> Instant {
    Instant::now() + time_for_trials(budget)
}

/// What a budget leaves to its trials: cleaning up and the report belong to it too.
pub(crate) fn time_for_trials(budget: Duration) -> Duration {
    budget.saturating_sub((budget / AFTERWARDS_PART).min(AFTERWARDS_MAX))
}

/// The least budget, in whole seconds, that leaves this time to its trials.
pub(crate) fn budget_for(trials: Duration) -> Duration {
    let budget = trials.saturating_add((trials / (AFTERWARDS_PART - 1)).min(AFTERWARDS_MAX));
    Duration::from_secs(budget.as_secs() + u64::from(budget.subsec_nanos() > 0))
}

/// What the recorded trials left of a run's budget; `None` if it has none.
pub(crate) fn budget_left(run: &Run) -> Option<Duration> {
    let used_s: f64 = run.records.iter().map(|record| record.wall_s + record.prepare_s).sum();
    let left_s = run.plan.budget_s? - used_s;
    Some(Duration::try_from_secs_f64(left_s).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_budget_leaves_the_time_that_it_was_made_for() {
        for seconds in [1, 7, 29, 60, 289, 290, 3600] {
            let wanted = Duration::from_secs(seconds);
            let budget = budget_for(wanted);
            assert!(time_for_trials(budget) >= wanted, "{seconds} s: {budget:?}");
            assert!(time_for_trials(budget.saturating_sub(Duration::from_secs(2))) < wanted, "{seconds} s");
        }
    }
}
