//! How many trials failed to measure: the others may be those that found it easy.

use super::{Bearing, Check, Context, Judgement};
use crate::counts::{cause, failures, trials};
use crate::observations::{Observations, ended_well};
use crate::phrase::{count, percent};
use crate::verdict::Status;
use model::trial::TrialOutcome;

/// Above this share of trials, of the study or of one configuration, the rest is a selection and not a sample.
pub(super) const FAIL_ABOVE: f64 = 0.1;

const MEND: &str =
    "Read the reasons, remove the cause and resume the run: it runs failed and killed trials again.";
const EXCLUDE: &str = "Exclude these configurations, or run where they are possible.";

/// It applies to every figure, because every figure comes from the trials that succeeded.
pub(super) const CHECK: Check =
    Check { name: "failed-trials", bearing: |_| Some(Bearing::Required), moot: "", judge: check };

fn check(context: &Context<'_>) -> Judgement {
    let counts = trials(context.observations);
    let failed = counts.failed + counts.killed;
    let measured = counts.ok + counts.warmup + counts.set_aside;
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
        let selected = selected(context.observations);
        let is_selection = share > FAIL_ABOVE || !selected.is_empty();
        let status = if is_selection { Status::Fail } else { Status::Warn };
        let summary = format!("{failed} of {of_tried} failed or were killed ({}).", percent(share));
        let judgement = Judgement::new(status, summary, advice);
        // If failures are spread so thin that no configuration has many, they are about the whole study.
        if selected.is_empty() { judgement } else { judgement.at(selected) }
    } else if counts.unsupported > 0 {
        let summary = format!("{} of {of_tried} are not possible here.", counts.unsupported);
        Judgement::new(Status::Warn, summary, advice)
    } else {
        Judgement::pass(format!("{of_tried} succeeded."))
    };
    judgement.with(failures(context.observations))
}

/// Configurations with this share of failed or killed trials, and more than a single one.
fn selected(observations: &Observations<'_>) -> Vec<usize> {
    let mut tried: Vec<(usize, usize)> = vec![(0, 0); observations.plan.configurations.len()];
    for record in observations.all() {
        let Some((all, failed)) = tried.get_mut(record.key.configuration) else { continue };
        *all += 1;
        *failed +=
            usize::from(!ended_well(record) && !matches!(record.outcome, TrialOutcome::Unsupported(_)));
    }
    let is_selection = |(all, failed): (usize, usize)| failed > 1 && failed as f64 > FAIL_ABOVE * all as f64;
    let found = tried.into_iter().enumerate().filter(|(_, counts)| is_selection(*counts));
    found.map(|(configuration, _)| configuration).collect()
}
