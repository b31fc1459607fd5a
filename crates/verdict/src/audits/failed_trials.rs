//! How many trials did not measure: what is left may be the trials that found it easy.

use super::{Context, Judgement};
use crate::counts::{failures, trials};
use crate::phrase::{count, percent};
use crate::verdict::Status;

/// Above this share of trials the rest is a selection, not a sample.
const FAIL_ABOVE: f64 = 0.1;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let counts = trials(context.observations);
    let failed = counts.failed + counts.killed;
    let tried = failed + counts.unsupported + counts.ok + counts.warmup;
    if tried == 0 {
        return Judgement::not_assessable("No trial has run.");
    }
    let advice = "See the reasons; mend the cause and resume the run, which runs these trials again.";
    let share = failed as f64 / tried as f64;
    let judgement = if failed == 0 && counts.unsupported == 0 {
        Judgement::pass(format!("{} ended well.", count(tried, "trial")))
    } else if failed == 0 {
        let summary = format!("{} of {} are not possible here.", counts.unsupported, count(tried, "trial"));
        Judgement::new(Status::Warn, summary, "Exclude these configurations, or run where they are possible.")
    } else {
        let status = if share > FAIL_ABOVE { Status::Fail } else { Status::Warn };
        let summary =
            format!("{failed} of {} failed or were killed ({}).", count(tried, "trial"), percent(share));
        Judgement::new(status, summary, advice)
    };
    judgement.with(failures(context.observations))
}
