//! Intervals of a mean that leave out the median that is published, or recommended, beside it: the distribution is
//! skewed or a mixture, and the interval says nothing of what is recommended. On page 002 sizes of two kinds were
//! pooled.

use crate::claim::{Claim, Estimate, SpreadKind};
use crate::law::{Law, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use model::units::format_significant;

pub const LAW: Law = Law {
    name: "interval-excludes-median",
    looks: Looks::AtFigures,
    needs: "half_width_of_COLUMN, median_of_COLUMN",
    held: "The mean's interval contains the median in {}.",
    broken: "The mean's interval does not contain the median in {}.",
    advice: "Do not give that interval to the median: look at the values themselves, separate what was \
        pooled, and give the median an interval of its own (order statistics).",
    lacking: "No {} gives a mean with the half width of its interval and a median of the same values.",
    reads: Reads::Numbers(numbers),
};

fn numbers(claim: &Claim) -> Vec<Reading> {
    claim.estimates.iter().filter_map(read).collect()
}

fn read(estimate: &Estimate) -> Option<Reading> {
    let mean = estimate.figure?;
    let median = estimate.median.as_ref()?;
    let half = estimate.spread.as_ref().filter(|spread| spread.kind == SpreadKind::HalfWidth)?;
    let rounding = mean.uncertainty + median.figure.uncertainty + half.figure.uncertainty;
    let is_outside = (median.figure.value - mean.value).abs() > half.figure.value + rounding;
    let text = format!(
        "{} is {} ± {}, but its median is {}.",
        estimate.column,
        format_significant(mean.value),
        format_significant(half.figure.value),
        format_significant(median.figure.value)
    );
    let names = [&estimate.column, &half.column, &median.column].into_iter().cloned().collect();
    let status = if is_outside { Status::Warn } else { Status::Pass };
    Some(Reading::new(Concern::Names(names), status, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_means_interval_without_the_median() {
        let table = |row: &str| format!("ratio_mean,ratio_ci,ratio_median\n{row}\n");
        check(
            &LAW,
            &table("1.152,0.022,1.186"),
            Status::Warn,
            "ratio_mean is 1.15 ± 0.0220, but its median is 1.19",
        );
        check(&LAW, &table("1.152,0.022,1.163"), Status::Pass, "contains the median");
        // As far as three digits show.
        check(&LAW, &table("1.15,0.02,1.19"), Status::Pass, "contains the median");
        check(&LAW, &table("1.152,,1.186"), Status::NotAssessable, "half width");
    }
}
