//! Rates that are the bandwidth divided by the block size, or bandwidths that are the rate times it: one
//! measurement printed twice, which cannot confirm itself.
//!
//! For two figures measured apart, the coarser one's rounding hides the finer one's last digits. If the finer figure is
//! what the coarser gives to its own last digit, it was computed from it.

use crate::claim::Claim;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading};
use crate::status::Status;
use model::units::{format_bytes_approximate, format_significant};
use std::collections::BTreeSet;

/// How much finer one figure must be printed for its last digits to tell anything.
const FINER_MIN: f64 = 8.0;
/// Chance of figures that were measured apart lying like that, below which it is reported.
const CHANCE_MAX: f64 = 1e-3;

pub const LAW: Law = Law {
    name: "derived-rate",
    looks: Looks::AtFigures,
    needs: "iops, bandwidth_mib_per_s, block_bytes",
    held: "Rate and bandwidth are separate measurements in {}.",
    broken: "Rate and bandwidth are one measurement printed twice in {}.",
    advice: "Treat them as one figure; their agreement confirms nothing. Publish operations, bytes and time \
        as counted.",
    lacking: "No {} prints its rate much finer than its bandwidth, or the other way round, with a block \
        size.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let pairs =
        claims.iter().enumerate().filter_map(|(index, claim)| Some((index, Pair::from_claim(claim)?)));
    let pairs: Vec<(usize, Pair)> = pairs.collect();
    let chance: f64 = pairs.iter().map(|(_, pair)| pair.chance).product();
    let is_derived = pairs.iter().all(|(_, pair)| pair.agrees) && chance < CHANCE_MAX;
    let status = if is_derived { Status::Warn } else { Status::Pass };
    let reading = |(index, pair): (usize, Pair)| {
        let concern = Concern::Names(BTreeSet::from([pair.computed.to_owned()]));
        Reading::new(concern, status, pair.text).of(index)
    };
    pairs.into_iter().map(reading).collect()
}

/// Rate and bandwidth of one claim, in operations per second.
struct Pair {
    /// Name of the finer of the two.
    computed: &'static str,
    /// Whether the finer is what the coarser gives.
    agrees: bool,
    /// The chance of that, had both been measured.
    chance: f64,
    text: String,
}

impl Pair {
    fn from_claim(claim: &Claim) -> Option<Self> {
        let (rate, bandwidth) = (claim.rate()?, claim.bandwidth()?);
        let block = claim.setting.block_bytes.filter(|block| *block > 0)? as f64;
        let (rate_step, bandwidth_step) = (rate.uncertainty, bandwidth.uncertainty / block);
        let (fine, coarse) = (rate_step.min(bandwidth_step), rate_step.max(bandwidth_step));
        if fine <= 0.0 || coarse < FINER_MIN * fine || rate.value <= 0.0 {
            return None;
        }
        let computed = if rate_step < bandwidth_step { "iops" } else { "bandwidth" };
        let text = format!(
            "{}/s and {}/s agree to the last digit of the {}.",
            format_significant(rate.value),
            format_bytes_approximate(bandwidth.value),
            if computed == "iops" { "rate" } else { "bandwidth" }
        );
        let agrees = (rate.value - bandwidth.value / block).abs() <= fine;
        Some(Self { computed, agrees, chance: (2.0 * fine / coarse).min(1.0), text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_rate_derived_from_the_bandwidth() {
        let table = |rows: &str| format!("iops,bandwidth_mib_per_s,block_bytes\n{rows}");
        let derived = table("812801,3175.0,4KiB\n545537,2131.0,4KiB\n");
        check(&LAW, &derived, Status::Pass, "separate measurements");
        let derived = table("813312,3177,4KiB\n545536,2131,4KiB\n");
        check(&LAW, &derived, Status::Warn, "to the last digit of the rate");
        check(&LAW, &table("812871,3175,4KiB\n545431,2131,4KiB\n"), Status::Pass, "separate measurements");
        let reversed = table("813k,3175.781,4KiB\n545k,2128.906,4KiB\n");
        check(&LAW, &reversed, Status::Warn, "to the last digit of the bandwidth");
        check(&LAW, &table("545000,2131,4KiB\n"), Status::NotAssessable, "much finer");
    }
}
