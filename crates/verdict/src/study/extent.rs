//! How large a study is: profile, rounds, how the trials ran, and their outcomes.

use crate::turns;
use crate::verdict::{StudyVerdict, TrialCounts};
use model::figure::count;
use model::plan::StudyPlan;
use std::fmt::Write as _;

/// Profile, rounds, how the trials ran, and their outcomes.
pub(super) fn extent(study: &StudyVerdict, plan: Option<&StudyPlan>) -> String {
    let mut parts = Vec::new();
    if let Some(plan) = plan {
        let warmup = match plan.warmup_rounds {
            0 => String::new(),
            rounds => format!(" after {rounds} warm-up"),
        };
        parts.push(format!("profile {}", plan.profile));
        // If a study may end early, its trials show how far it came.
        let least = if plan.looks.is_empty() { "" } else { "at least " };
        parts.push(format!("{least}{}{warmup}", count(plan.rounds_first() as usize, "round")));
    }
    parts.push(count(study.cells.len(), "configuration"));
    parts.extend(turns::way(study, plan));
    parts.push(trials(&study.trials));
    parts.join(" · ")
}

fn trials(counts: &TrialCounts) -> String {
    let mut text = format!("{} of {} analysed", counts.ok, count(counts.planned, "trial"));
    for (number, what) in [
        (counts.warmup, "warm-up"),
        (counts.set_aside, "set aside"),
        (counts.failed, "failed"),
        (counts.killed, "killed"),
        (counts.unsupported, "unsupported"),
        (counts.missing, "not run yet"),
    ] {
        if number > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, ", {number} {what}");
        }
    }
    text
}
