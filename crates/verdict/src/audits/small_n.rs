//! Whether there are enough rounds for intervals: n counts trials, never operations.

use super::{Bearing, Check, Context, Judgement};
use crate::phrase::count;
use crate::verdict::{Cell, Status};
use stats::TRIALS_MIN;

/// It applies to every figure, because every figure comes from trials.
pub(super) const CHECK: Check =
    Check { name: "small-n", bearing: |_| Some(Bearing::Required), moot: "", judge: check };

fn check(context: &Context<'_>) -> Judgement {
    let Some(smallest) = context.cells.iter().map(|cell| cell.n).min() else {
        return Judgement::not_assessable("The plan has no configuration.");
    };
    let largest = context.cells.iter().map(|cell| cell.n).max().unwrap_or(smallest);
    if smallest >= TRIALS_MIN {
        return Judgement::pass(format!("Every configuration has {} or more.", count(smallest, "trial")));
    }
    let cells: Vec<&Cell> = context.cells.iter().filter(|cell| cell.n < TRIALS_MIN).collect();
    let sentence = |cell: &&Cell| format!("{}: {}.", cell.label, count(cell.n, "trial"));
    let short = cells.iter().filter(|_| largest >= TRIALS_MIN).map(sentence);
    let short: Vec<String> = short.collect();
    let summary = if largest < TRIALS_MIN {
        format!(
            "{} at most in a configuration: below {TRIALS_MIN} there are no intervals.",
            count(largest, "trial")
        )
    } else {
        format!(
            "{} of {} configurations have fewer than {TRIALS_MIN} trials: no intervals there.",
            short.len(),
            context.cells.len()
        )
    };
    let planned = context.observations.plan.rounds_first() as usize;
    let advice = if planned >= TRIALS_MIN {
        format!("Resume the run: {planned} rounds are planned.")
    } else {
        format!("Run again with {TRIALS_MIN} rounds or more.")
    };
    Judgement::new(Status::Warn, summary, advice).at(cells.iter().map(|cell| cell.configuration)).with(short)
}
