//! Rows measured once, or a few times: no interval can be given, so no difference between rows can be distinguished
//! from noise. The figures themselves may be right.

use crate::claim::Claim;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use model::figure::count;
use stats::TRIALS_MIN;

pub const LAW: Law = Law {
    name: "too-few-repeats",
    looks: Looks::AtTelling,
    needs: "n",
    held: "6 runs or more are behind {}.",
    broken: "Fewer than 6 runs are behind {}.",
    advice: "Repeat every row six times or more, in random order; until then read differences below the \
        usual scatter of a disk (10 %) as none.",
    lacking: "No {} states how often it was measured.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let reading = |(index, claim): (usize, &Claim)| {
        let (status, text) = read(claim)?;
        Some(Reading::new(Concern::Comparison, status, text).of(index))
    };
    let readings = claims.iter().enumerate().filter_map(reading).collect();
    LawResult { readings, notes: uneven(claims).into_iter().collect(), told: None }
}

fn read(claim: &Claim) -> Option<(Status, String)> {
    let n = claim.n?;
    let status = if n < TRIALS_MIN as u64 { Status::Warn } else { Status::Pass };
    let has_spread = claim.estimates.iter().any(|estimate| estimate.spread.is_some());
    let text = match (n, has_spread) {
        (1, _) => "one run: the spread between runs is unknown.".to_owned(),
        (_, false) => format!("n = {n}."),
        (_, true) => format!("n = {n}, too few for the ± that is given."),
    };
    Some((status, text))
}

/// A sentence if only some claims give n.
fn uneven(claims: &[Claim]) -> Option<String> {
    let without = claims.iter().filter(|claim| claim.n.is_none()).count();
    (without > 0 && without < claims.len())
        .then(|| format!("{} do not state how often they were measured.", count(without, "row")))
}
