//! Intervals without the number of runs behind them, and means without any spread. The figures may be right for all
//! that: what is unknown is whether two of them differ.

use crate::claim::Claim;
use crate::law::{Law, Looks, Reads};
use crate::reading::COMPARISON;
use crate::status::Status;

pub const LAW: Law = Law {
    name: "n-hidden",
    looks: Looks::AtTelling,
    needs: "n, half_width_of_COLUMN",
    held: "The number of runs and their spread are given in {}.",
    broken: "The number of runs or their spread is not given in {}.",
    advice: "Ask for n and for the runs themselves: a mean or a ± without n cannot be judged.",
    lacking: "No {} holds a figure.",
    reads: Reads::Each(COMPARISON, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    if claim.numbers().is_empty() {
        return None;
    }
    let has_spread = claim.estimates.iter().any(|estimate| estimate.spread.is_some());
    Some(match (claim.n, has_spread) {
        (None, true) => (Status::Warn, "a ± is given, but not n.".to_owned()),
        (None, false) => (Status::Warn, "neither n nor a spread between runs is given.".to_owned()),
        // One run has no spread; too few for an interval is another check's business.
        (Some(0 | 1), _) | (Some(_), true) => (Status::Pass, String::new()),
        (Some(n), false) if n < stats::TRIALS_MIN as u64 => (Status::Pass, String::new()),
        (Some(n), false) => (Status::Warn, format!("n = {n}, but no spread between runs is given.")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::too_few_repeats;
    use crate::tests::check;

    #[test]
    fn too_few_repeats_and_n_hidden() {
        let table = |row: &str| format!("iops,iops_ci,n\n{row}\n");
        check(&too_few_repeats::LAW, &table("1000,20,6"), Status::Pass, "6 runs or more");
        check(&too_few_repeats::LAW, &table("1000,20,3"), Status::Warn, "n = 3");
        check(&too_few_repeats::LAW, &table("1000,20,1"), Status::Warn, "one run");
        check(&too_few_repeats::LAW, &table("1000,20,"), Status::NotAssessable, "how often");
        check(&LAW, &table("1000,20,6"), Status::Pass, "given in 1 row");
        check(&LAW, &table("1000,,1"), Status::Pass, "given in 1 row");
        check(&LAW, &table("1000,20,"), Status::Warn, "a ± is given, but not n");
        check(&LAW, &table("1000,,"), Status::Warn, "neither n nor a spread");
        check(&LAW, &table("1000,,10"), Status::Warn, "n = 10, but no spread");
        check(&LAW, &table(",,10"), Status::NotAssessable, "No row holds a figure");
    }
}
