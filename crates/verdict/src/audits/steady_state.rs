//! Whether throughput had settled, after SNIA's rule (Solid State Storage Performance Test Specification 2.0): five
//! minutes-long averages within 20 % of each other and without a slope.

use super::{Context, Judgement};
use crate::latencies::Throughput;
use crate::phrase::{count, percent};
use crate::verdict::Status;
use stats::steady_state::{SteadyState, steady_state};

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let plan = context.observations.plan;
    let mut unsteady = Vec::new();
    let mut assessed = 0;
    for Throughput { configuration, round, per_minute } in &context.latencies.throughputs {
        match steady_state(per_minute) {
            SteadyState::Steady { .. } => assessed += 1,
            SteadyState::NotSteady { range, slope_excursion } => {
                assessed += 1;
                unsteady.push(format!(
                    "{} (round {round}): the last five minutes range over {} of their average and move by {}.",
                    plan.label(*configuration),
                    percent(range),
                    percent(slope_excursion)
                ));
            }
            SteadyState::NotAssessable(_) => {}
        }
    }
    if assessed == 0 {
        return Judgement::not_assessable(
            "Not assessable on trials of seconds: SNIA's rule needs five averages of a minute each.",
        );
    }
    if unsteady.is_empty() {
        return Judgement::pass(format!(
            "Throughput had settled in {} (SNIA's rule).",
            count(assessed, "trial")
        ));
    }
    let summary =
        format!("Throughput had not settled in {} of {}.", unsteady.len(), count(assessed, "trial"));
    let advice = "Run longer, or fill the drive first: these figures are of a drive on its way somewhere.";
    Judgement::new(Status::Warn, summary, advice).with(unsteady)
}
