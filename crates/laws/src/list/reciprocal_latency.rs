//! A latency that is 1 / rate although several threads worked at a time: it is the time per operation of all of
//! them together, and one operation took as many times longer as there were in flight (Little 1961).

use crate::claim::{Arrivals, Claim, NumberKind};
use crate::in_flight::InFlight;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;

/// Rounding beyond which one in flight looks like a few, as a share.
const ROUNDING_MAX: f64 = 0.05;
/// What a program's own rounding before it divides may add, as a share.
const WITHIN: f64 = 0.005;
/// Claims beyond a coincidence.
const CLAIMS_MIN: usize = 2;

pub const LAW: Law = Law {
    name: "reciprocal-latency",
    looks: Looks::AtTelling,
    needs: "iops, latency_mean_us, in_flight (or numjobs)",
    held: "The latency is not the reciprocal of the rate in {}.",
    broken: "The latency is 1 / rate although several operations were in flight in {}.",
    advice: "Do not read it as the time that an operation takes: multiply it by the operations in flight, \
        or time each operation.",
    lacking: "No {} gives a rate, a mean latency and more than one thread or operation in flight.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let judged = claims.iter().enumerate().filter_map(|(index, claim)| Some((index, read(claim)?)));
    let judged: Vec<(usize, (bool, String))> = judged.collect();
    let several = judged.iter().filter(|(_, (is_reciprocal, _))| *is_reciprocal).count() >= CLAIMS_MIN;
    let off = if several { Status::Fail } else { Status::Warn };
    let reading = |(claim, (is_reciprocal, text))| {
        let status = if is_reciprocal { off } else { Status::Pass };
        Reading::new(Concern::Kinds(&[NumberKind::LatencyMean]), status, text).of(claim)
    };
    judged.into_iter().map(reading).collect()
}

fn read(claim: &Claim) -> Option<(bool, String)> {
    if claim.setting.arrivals == Some(Arrivals::Open) {
        return None;
    }
    let jobs = claim.setting.in_flight_possible().or(claim.setting.numjobs).filter(|jobs| *jobs > 1)?;
    let found = InFlight::from_claim(claim).filter(InFlight::is_printed)?;
    if found.rounding > ROUNDING_MAX {
        return None;
    }
    let is_reciprocal = (found.operations - 1.0).abs() <= found.rounding + WITHIN;
    Some((is_reciprocal, format!("{}, and {jobs} are kept in flight.", found.words())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn one_over_the_rate_is_no_latency_of_eight_threads() {
        let table = |rows: &str| format!("iops,latency_mean_us,numjobs\n{rows}");
        check(&LAW, &table("12345,81.0,8\n23456,42.6,8\n"), Status::Fail, "8 are kept in flight");
        check(&LAW, &table("12345,81.0,8\n23456,341,8\n"), Status::Warn, "1 of 2 rows");
        check(&LAW, &table("12345,648,8\n"), Status::Pass, "not the reciprocal");
        check(&LAW, &table("12345,81.0,1\n"), Status::NotAssessable, "more than one thread");
    }
}
