//! Rows measured for seconds only, and quantiles with too few operations behind them.

use crate::claim::{Claim, Percentile};
use crate::law::{Law, Looks, Reads};
use crate::reading::{Concern, MEASURED, Reading};
use crate::status::Status;
use model::units::format_significant;

/// Below this a run shows caches, clocks and drives that have not settled, seconds: its figures may be right, but
/// only for so long.
const RUNTIME_MIN_S: f64 = 10.0;
/// Below this how a run begins and ends is a good part of its figures, seconds.
const FIGURE_MIN_S: f64 = 1.0;
/// Operations beyond a quantile that it takes to tell it.
const BEYOND_MIN: f64 = 10.0;

pub const LAW: Law = Law {
    name: "too-short",
    looks: Looks::AtTelling,
    needs: "runtime_s, operations",
    held: "Measured for 10 s or more, with enough operations for every quantile, in {}.",
    broken: "Measured too briefly in {}.",
    advice: "Measure for at least 10 s, longer for higher quantiles; a drive's steady state takes minutes.",
    lacking: "No {} gives its runtime, or quantiles with a number of operations.",
    reads: Reads::Numbers(numbers),
};

fn numbers(claim: &Claim) -> Vec<Reading> {
    runtime(claim).into_iter().chain(quantiles(claim)).collect()
}

/// By the time that it gives, or else by its operations and their rate.
fn runtime(claim: &Claim) -> Option<Reading> {
    let of_rate = || Some((claim.operations? as f64, claim.operations_per_s.filter(|rate| *rate > 0.0)?));
    let (seconds, text) = match (claim.runtime_s, of_rate()) {
        (Some(seconds), _) => (seconds, format!("measured for {} s.", format_significant(seconds))),
        (None, Some((operations, rate))) => {
            let [seconds, operations, per_s] = [operations / rate, operations, rate].map(format_significant);
            let text = format!("measured for {seconds} s: {operations} operations at {per_s}/s.");
            (claim.operations? as f64 / rate, text)
        }
        (None, None) => return None,
    };
    let is_brief = (FIGURE_MIN_S..RUNTIME_MIN_S).contains(&seconds);
    let concern = if is_brief { Concern::Comparison } else { Concern::Kinds(MEASURED) };
    let status = if seconds < RUNTIME_MIN_S { Status::Warn } else { Status::Pass };
    Some(Reading::new(concern, status, text))
}

fn quantiles(claim: &Claim) -> Vec<Reading> {
    let from_rate = || Some(claim.operations_per_s? * claim.runtime_s?);
    let Some(operations) = claim.operations.map(|count| count as f64).or_else(from_rate) else {
        return Vec::new();
    };
    let latencies = [("latency", Some(&claim.latency)), ("completion latency", claim.completion.as_ref())];
    let judge = |name: &str, percentile: &Percentile| {
        let needed = BEYOND_MIN / (1.0 - percentile.quantile);
        // Quantiles are published in decimals: 10/(1 − 0.99) must not come to 1000.0000000001.
        let status = if operations * (1.0 + 1e-9) < needed { Status::Warn } else { Status::Pass };
        let text = format!(
            "{} of {} operations: it needs {}.",
            percentile.name(),
            format_significant(operations),
            format_significant(needed)
        );
        Reading::new(Concern::Names([format!("{name} {}", percentile.name())].into()), status, text)
    };
    latencies
        .into_iter()
        .filter_map(|(name, latency)| Some((name, latency?)))
        .flat_map(|(name, latency)| latency.percentiles.iter().map(move |percentile| judge(name, percentile)))
        .filter(|reading| reading.is_off() || claim.runtime_s.is_none())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn too_short() {
        let table =
            |row: &str| format!("iops,runtime_s,operations,latency_p99_us,latency_p99_99_us\n{row}\n");
        check(&LAW, &table("1000,30,1e6,80,100"), Status::Pass, "for every quantile");
        check(&LAW, &table("1000,6.7,1e6,80,100"), Status::Warn, "measured for 6.70 s");
        check(
            &LAW,
            &table("1000,30,,80,100"),
            Status::Warn,
            "p99.99 of 30\u{2009}000 operations: it needs 100\u{2009}000",
        );
        check(&LAW, &table("1000,,,80,100"), Status::NotAssessable, "runtime");
    }
}
