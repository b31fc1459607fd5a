//! Bandwidth = operations per second × block size.

use crate::claim::{Claim, NumberKind};
use crate::law::{Law, Looks, Reads};
use crate::status::Status;
use model::units::{format_bytes, format_bytes_approximate, format_significant};

/// Disagreement that rounding does not explain, beyond which something is off.
const WARN_BEYOND: f64 = 0.02;
/// Disagreement beyond which one of the figures is of something else.
const FAIL_BEYOND: f64 = 0.10;
/// Factors between units of the same letter.
const CONFUSIONS: &[(f64, &str)] = &[
    (1.048_576, "MB were printed as MiB or the other way round"),
    (1.024, "KB were printed as KiB or the other way round"),
    (1.073_741_824, "GB were printed as GiB or the other way round"),
    (8.0, "bits were printed as bytes or the other way round"),
];

pub const LAW: Law = Law {
    name: "bandwidth",
    looks: Looks::AtFigures,
    needs: "iops, bandwidth_mib_per_s, block_bytes",
    held: "Bandwidth is rate × block size in {}.",
    broken: "Bandwidth is not rate × block size in {}.",
    advice: "Find out which of rate, bandwidth and block size is wrong; units of 1000 and 1024 are the \
        usual reason.",
    lacking: "No {} gives rate, bandwidth and block size together.",
    reads: Reads::Each(&[NumberKind::Rate, NumberKind::Bandwidth], read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    let (rate, bandwidth) = (claim.rate()?, claim.bandwidth()?);
    let block = claim.setting.block_bytes?;
    let ratio = bandwidth.value / (rate.value * block as f64);
    if !ratio.is_finite() {
        return None;
    }
    let rounding = rate.relative() + bandwidth.relative();
    let off = ((ratio - 1.0).abs() - rounding).max(0.0);
    let within = 0.004 + rounding;
    let is_confused =
        |factor: f64| (ratio / factor - 1.0).abs() < within || (ratio * factor - 1.0).abs() < within;
    let hint = CONFUSIONS.iter().find(|(factor, _)| is_confused(*factor));
    let text = format!(
        "{}/s × {} = {}/s, and {}/s is published, {} % {}{}.",
        format_significant(rate.value),
        format_bytes(block),
        format_bytes_approximate(rate.value * block as f64),
        format_bytes_approximate(bandwidth.value),
        format_significant((ratio - 1.0).abs() * 100.0),
        if ratio > 1.0 { "more" } else { "less" },
        hint.map(|(_, hint)| format!(": {hint}")).unwrap_or_default()
    );
    let status = if off > FAIL_BEYOND {
        Status::Fail
    } else if off > WARN_BEYOND {
        Status::Warn
    } else {
        Status::Pass
    };
    Some((status, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn bandwidth() {
        let table = |row: &str| format!("iops,bandwidth_mib_per_s,block_bytes\n{row}\n");
        check(&LAW, &table("545000,2129,4KiB"), Status::Pass, "rate × block size");
        check(&LAW, &table("545000,2232,4KiB"), Status::Warn, "MB were printed as MiB");
        check(&LAW, &table("545000,1000,4KiB"), Status::Fail, "= 2.08 GiB/s, and");
        check(&LAW, &table("545000,1000,"), Status::NotAssessable, "together");
    }
}
