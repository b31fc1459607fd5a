//! Latencies that are the operations in flight divided by the rate: one measurement printed twice. Their product is
//! the number in flight by construction, as of pgbench's average without `-l`, so Little's law confirms nothing.
//!
//! In a measured closed loop the product falls short by the loop's own work, some tenths of a percent. If it is the
//! stated number to the last digit in every row, the latency was computed.

use crate::claim::{Arrivals, Claim};
use crate::in_flight::InFlight;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use std::collections::BTreeSet;

/// How far below the stated number measured products lie, as a share.
const SCATTER: f64 = 0.05;
/// Chance of measured figures lying like that, below which it is reported.
const CHANCE_MAX: f64 = 1e-3;

pub const LAW: Law = Law {
    name: "derived-latency",
    looks: Looks::AtTelling,
    needs: "iops, latency_mean_us, in_flight",
    held: "Rate and mean latency are separate measurements in {}.",
    broken: "Rate and mean latency are one measurement printed twice in {}.",
    advice: "Treat them as one figure; their agreement confirms nothing. Publish latencies that were timed \
        one by one.",
    lacking: "No {} gives a rate, a mean latency and the operations in flight, printed finely enough.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let status = if derived(claims).is_empty() { Status::Pass } else { Status::Warn };
    let reading = |(claim, (found, _)): (usize, (InFlight, bool))| {
        let text = format!("{}, exactly the stated number.", found.words());
        Reading::new(Concern::Comparison, status, text).of(claim)
    };
    judged(claims).into_iter().map(reading).collect()
}

/// The claims whose latency was computed from the rate.
pub(super) fn derived(claims: &[Claim]) -> BTreeSet<usize> {
    let judged = judged(claims);
    let chance: f64 = judged.iter().map(|(_, (found, _))| chance(found)).product();
    let all_agree = judged.iter().all(|(_, (_, agrees))| *agrees);
    let is_derived = all_agree && chance < CHANCE_MAX;
    judged.into_iter().filter(|_| is_derived).map(|(claim, _)| claim).collect()
}

/// The chance that a measured product is the stated number but for rounding.
fn chance(found: &InFlight) -> f64 {
    (2.0 * found.rounding / SCATTER).min(1.0)
}

fn judged(claims: &[Claim]) -> Vec<(usize, (InFlight, bool))> {
    claims.iter().enumerate().filter_map(|(index, claim)| Some((index, read(claim)?))).collect()
}

/// What is in flight, and whether it is what is stated.
fn read(claim: &Claim) -> Option<(InFlight, bool)> {
    if claim.setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let possible = claim.setting.in_flight_possible().or(claim.setting.numjobs)?;
    let found =
        InFlight::from_claim(claim).filter(InFlight::is_printed).filter(|found| chance(found) < 1.0)?;
    // A figure in full comes from a program, whose product is no matter of print.
    let is_rounded = found.rounding > 0.0;
    let agrees = found.is_exactly(possible as f64);
    is_rounded.then_some((found, agrees))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_product_that_is_the_stated_number_in_every_row() {
        let table = |rows: &str| format!("iops,latency_mean_us,in_flight\n{rows}");
        let computed = table("12345,648.04,8\n23456,341.06,8\n34567,231.44,8\n");
        check(&LAW, &computed, Status::Warn, "exactly the stated number");
        let measured = table("12345,641.04,8\n23456,339.06,8\n34567,229.44,8\n");
        check(&LAW, &measured, Status::Pass, "separate measurements");
        check(&LAW, "iops,latency_mean_us\n5,6\n", Status::NotAssessable, "No row gives");
    }
}
