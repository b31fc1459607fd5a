//! How many trials did not measure: what is left may be the trials that found it easy.

use super::{Context, Judgement};
use crate::counts::{cause, failures, trials};
use crate::phrase::{count, percent};
use crate::verdict::Status;

/// Above this share of trials the rest is a selection, not a sample.
const FAIL_ABOVE: f64 = 0.1;

const MEND: &str =
    "See the reasons; mend the cause and resume the run, which runs failed and killed trials again.";
const EXCLUDE: &str = "Exclude these configurations, or run where they are possible.";

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let counts = trials(context.observations);
    let failed = counts.failed + counts.killed;
    let measured = counts.ok + counts.warmup;
    let tried = failed + counts.unsupported + measured;
    if tried == 0 {
        return Judgement::not_assessable("No trial has run.");
    }
    let share = failed as f64 / tried as f64;
    let of_tried = count(tried, "trial");
    let advice = if failed > 0 { MEND } else { EXCLUDE };
    let judgement = if measured == 0 {
        let first = context.observations.all().find_map(cause).unwrap_or_default();
        let summary = format!("None of {of_tried} measured: {}.", first.trim_end_matches('.'));
        Judgement::new(Status::Fail, summary, advice)
    } else if failed > 0 {
        let status = if share > FAIL_ABOVE { Status::Fail } else { Status::Warn };
        let summary = format!("{failed} of {of_tried} failed or were killed ({}).", percent(share));
        Judgement::new(status, summary, advice)
    } else if counts.unsupported > 0 {
        let summary = format!("{} of {of_tried} are not possible here.", counts.unsupported);
        Judgement::new(Status::Warn, summary, advice)
    } else {
        Judgement::pass(format!("{of_tried} ended well."))
    };
    judgement.with(failures(context.observations))
}
