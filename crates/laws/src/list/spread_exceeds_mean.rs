//! A ± larger than the figure before it: rates and times are not negative, so the runs do not scatter around that
//! mean. A few of them lie far away, or the figure before the ± is another. On page 002 a page costs 2.43 ± 3.42
//! µs.

use crate::claim::{Claim, Estimate, SpreadKind};
use crate::law::{Law, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use model::units::format_significant;

pub const LAW: Law = Law {
    name: "spread-exceeds-mean",
    looks: Looks::AtTelling,
    needs: "half_width_of_COLUMN or sd_of_COLUMN",
    held: "No spread is larger than its figure in {}.",
    broken: "A spread is larger than its figure in {}.",
    advice: "Look at the runs themselves: publish their median with an interval of its own (order \
        statistics), and find out what the outliers are.",
    lacking: "No {} gives a figure with a spread.",
    reads: Reads::Numbers(numbers),
};

fn numbers(claim: &Claim) -> Vec<Reading> {
    claim.estimates.iter().filter_map(read).collect()
}

fn read(estimate: &Estimate) -> Option<Reading> {
    let (mean, spread) = (estimate.figure.filter(|mean| mean.value > 0.0)?, estimate.spread.as_ref()?);
    let is_larger = spread.figure.least() > mean.most();
    let what = match spread.kind {
        SpreadKind::HalfWidth => "±",
        SpreadKind::StandardDeviation => "a standard deviation of",
    };
    let [mean, width] = [mean.value, spread.figure.value].map(format_significant);
    let text = format!("{} is {mean}, {what} {width}.", estimate.column);
    let names = [estimate.number(), &spread.column].map(str::to_owned).into();
    let status = if is_larger { Status::Warn } else { Status::Pass };
    Some(Reading::new(Concern::Names(names), status, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_cost_of_two_and_a_half_plus_or_minus_three() {
        let table = |row: &str| format!("cost,cost_ci\n{row}\n");
        check(&LAW, &table("2.43,3.42"), Status::Warn, "cost is 2.43, ± 3.42");
        check(&LAW, &table("2.43,0.42"), Status::Pass, "larger than its figure in 1 row");
        check(&LAW, &table("2.43,"), Status::NotAssessable, "No row gives");
    }
}
