//! Whether there are enough rounds for intervals: n counts trials, never operations.

use super::{Bearing, Check, Context, Judgement};
use crate::phrase::count;
use crate::verdict::{Cell, Status};

/// With fewer trials there is no interval: the order-statistic interval of the median would not reach 95 %.
pub(crate) const ROUNDS_MIN: usize = 6;

/// It applies to every figure, because every figure comes from trials.
pub(super) const CHECK: Check =
    Check { name: "small-n", bearing: |_| Some(Bearing::Required), moot: "", judge: check };

fn check(context: &Context<'_>) -> Judgement {
    let Some(smallest) = context.cells.iter().map(|cell| cell.n).min() else {
        return Judgement::not_assessable("The plan has no configuration.");
    };
    let largest = context.cells.iter().map(|cell| cell.n).max().unwrap_or(smallest);
    if smallest >= ROUNDS_MIN {
        return Judgement::pass(format!("Every configuration has {} or more.", count(smallest, "trial")));
    }
    let cells: Vec<&Cell> = context.cells.iter().filter(|cell| cell.n < ROUNDS_MIN).collect();
    let sentence = |cell: &&Cell| format!("{}: {}.", cell.label, count(cell.n, "trial"));
    let short = cells.iter().filter(|_| largest >= ROUNDS_MIN).map(sentence);
    let short: Vec<String> = short.collect();
    let summary = if largest < ROUNDS_MIN {
        format!(
            "{} at most in a configuration: below {ROUNDS_MIN} there are no intervals.",
            count(largest, "trial")
        )
    } else {
        format!(
            "{} of {} configurations have fewer than {ROUNDS_MIN} trials: no intervals there.",
            short.len(),
            context.cells.len()
        )
    };
    let planned = context.observations.plan.rounds_first() as usize;
    let advice = if planned >= ROUNDS_MIN {
        format!("Resume the run: {planned} rounds are planned.")
    } else {
        format!("Run again with {ROUNDS_MIN} rounds or more.")
    };
    Judgement::new(Status::Warn, summary, advice).at(cells.iter().map(|cell| cell.configuration)).with(short)
}
