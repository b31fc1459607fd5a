//! Latencies whose unit is off by a thousand or a million: one operation at a time gives rate × latency = 1, so a
//! product of 1000 in row after row shows milliseconds in the header above microseconds.

use crate::claim::{Claim, NumberKind};
use crate::in_flight::InFlight;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;

/// Powers of ten between units of time.
const SLIPS: &[f64] = &[1e3, 1e6, 1e9, 1e-3, 1e-6];
/// A mean of rates and the reciprocal of a mean time differ by a few percent.
const WITHIN: f64 = 0.03;
/// Rounding beyond which a product may be a power of ten by chance, as a share.
const ROUNDING_MAX: f64 = 0.05;
/// Claims beyond a coincidence, and their share of all.
const CLAIMS_MIN: usize = 2;
const SHARE_MIN: f64 = 0.8;

pub const LAW: Law = Law {
    name: "unit-slip",
    looks: Looks::AtTelling,
    needs: "iops, latency_mean_us",
    held: "Rate × mean latency is not a power of a thousand in {}.",
    broken: "The unit of the latency is wrong in {}.",
    advice: "Compare the latency with 1 / rate: the header's unit is not that of its figures.",
    lacking: "No {} gives a rate and a mean latency without what was in flight.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let judged = claims.iter().enumerate().filter_map(|(index, claim)| Some((index, read(claim)?)));
    let judged: Vec<(usize, (Option<f64>, InFlight))> = judged.collect();
    let slipped = judged.iter().filter(|(_, (slip, _))| slip.is_some()).count();
    let is_slip = slipped >= CLAIMS_MIN && slipped as f64 >= SHARE_MIN * judged.len() as f64;
    let reading = |(claim, (slip, found)): (usize, (Option<f64>, InFlight))| {
        let status = if is_slip && slip.is_some() { Status::Fail } else { Status::Pass };
        let text = format!(
            "{}: one operation at a time in a unit that is {} × off.",
            found.words(),
            slip.unwrap_or(1.0)
        );
        Reading::new(Concern::Kinds(&[NumberKind::LatencyMean]), status, text).of(claim)
    };
    judged.into_iter().map(reading).collect()
}

/// The power of ten that rate × latency is, if any; rows that state what was in flight are Little's law's.
fn read(claim: &Claim) -> Option<(Option<f64>, InFlight)> {
    if claim.setting.in_flight_possible().or(claim.setting.numjobs).is_some_and(|possible| possible > 1) {
        return None;
    }
    let found = InFlight::from_claim(claim).filter(InFlight::is_printed)?;
    if found.rounding > ROUNDING_MAX {
        return None;
    }
    let is_near = |slip: &f64| (found.operations / slip - 1.0).abs() <= WITHIN + found.rounding;
    Some((SLIPS.iter().copied().find(is_near), found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn milliseconds_above_microseconds() {
        let table = |rows: &str| format!("iops,latency_mean_ms\n{rows}");
        check(&LAW, &table("12345,81.0\n23456,42.6\n"), Status::Fail, "a unit that is 1000 × off");
        check(&LAW, &table("12345,0.0811\n23456,0.0427\n"), Status::Pass, "not a power of a thousand");
        check(&LAW, "iops\n12345\n", Status::NotAssessable, "No row gives");
    }
}
