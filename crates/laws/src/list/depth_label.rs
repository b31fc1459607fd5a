//! A depth without its jobs, or threads without their depth, that Little's law contradicts: the label does not say
//! how many operations were in flight.
//!
//! `QD32` alone means 32 in flight. If rate × mean latency gives fewer than half of them, the engine waited for
//! each operation or the latency leaves out the wait; if it gives more, several jobs ran, or the figures are of
//! different runs.

use super::derived_latency;
use crate::claim::{Arrivals, Claim};
use crate::in_flight::InFlight;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, MEASURED, Reading};
use crate::status::Status;

/// Excess over the label that rounding and a run's ends do not explain.
const MOST: f64 = 1.08;
/// A queue that is kept full is not emptier than this.
const LEAST: f64 = 0.5;
/// Distance from a whole multiple up to which jobs explain the excess.
const MULTIPLE_WITHIN: f64 = 0.05;

pub const LAW: Law = Law {
    name: "depth-label",
    looks: Looks::AtFigures,
    needs: "iops, latency_mean_us, iodepth (or numjobs)",
    held: "Rate × mean latency fits the depth or the threads that label {}.",
    broken: "Rate × mean latency contradicts the depth or the threads that label {}.",
    advice: "Publish depth and number of jobs, and the whole output of one run: the label alone does not \
        say what was in flight.",
    lacking: "No {} gives a rate, a latency and a depth without jobs, or threads without a depth.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let derived = derived_latency::derived(claims);
    let judged = claims.iter().enumerate().filter(|(index, _)| !derived.contains(index));
    let reading = |(index, claim)| {
        let (status, concern, text) = read(claim)?;
        Some(Reading::new(concern, status, text).of(index))
    };
    judged.filter_map(reading).collect()
}

fn read(claim: &Claim) -> Option<(Status, Concern, String)> {
    let setting = &claim.setting;
    if setting.in_flight_possible().is_some() || setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let (label, what) = match (setting.iodepth, setting.numjobs) {
        (Some(depth), None) => (depth, "depth"),
        (None, Some(jobs)) => (jobs, "number of threads"),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let found = InFlight::from_claim(claim)?;
    let ratio = found.operations / label as f64;
    let is_over = ratio * (1.0 - found.rounding) > MOST;
    // Threads also do other work than operations; a queue's depth is what is kept in it.
    let is_under = setting.iodepth.is_some() && !found.is_bound && ratio * (1.0 + found.rounding) < LEAST;
    let text = format!("{}, and the stated {what} is {label}", found.words());
    let whole = ratio.round();
    let is_multiple =
        is_over && (ratio / whole - 1.0).abs() <= MULTIPLE_WITHIN + found.rounding && whole >= 2.0;
    Some(if is_multiple && !found.is_bound {
        let text = format!("{text}: as of {whole} jobs, which are not stated.");
        (Status::Warn, Concern::Comparison, text)
    } else if is_over || is_under {
        (Status::Warn, Concern::Kinds(MEASURED), format!("{text}."))
    } else {
        (Status::Pass, Concern::Kinds(MEASURED), String::new())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_label_that_the_product_contradicts() {
        let table = |row: &str| format!("iops,latency_mean_us,iodepth,numjobs\n{row}\n");
        check(&LAW, &table("100000,318,32,"), Status::Pass, "fits the depth");
        check(&LAW, &table("100000,1281,32,"), Status::Warn, "as of 4 jobs, which are not stated");
        check(&LAW, &table("100000,101,32,"), Status::Warn, "and the stated depth is 32");
        check(&LAW, &table("100000,321,,8"), Status::Warn, "the stated number of threads is 8");
        check(&LAW, &table("100000,101,32,1"), Status::NotAssessable, "No row gives");
    }
}
