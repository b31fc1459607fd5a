//! One latency line on rows whose rates differ: it was measured at most once. On page 001 the rows capped to 10 GiB and
//! 2.5 GiB share minimum, mean, deviation and maximum to the last digit.

use crate::claim::{Claim, time};
use crate::in_flight::InFlight;
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, LATENCY, Reading, grouped};
use crate::status::Status;
use model::units::format_significant;

/// Figures that must agree to the last digit, the mean among them.
const FIGURES_MIN: usize = 3;
/// Digits that these figures must have between them: `1 ms, 2 ms, 9 ms` agree by chance.
const DIGITS_MIN: f64 = 6.0;
/// Digits of a figure that was not rounded.
const DIGITS_IN_FULL: f64 = 15.0;
/// Rates that differ by more are not of one run.
const RATE_WITHIN: f64 = 0.01;
/// Distance from the operations possible in flight up to which a latency belongs to its row.
const FITS_WITHIN: f64 = 0.10;

pub const LAW: Law = Law {
    name: "duplicated-latency",
    looks: Looks::AtFigures,
    needs: "iops, latency_mean_us, latency_sd_us, latency_max_us",
    held: "{} have their own latency lines.",
    broken: "Rows with different rates have the same latency line: {}.",
    advice: "At most one of the rows measured that line: run the others again.",
    lacking: "Fewer than two rows give a rate and a latency line of three figures or more.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let found: LawResult = grouped(claims, line).iter().flat_map(|group| read(claims, group)).collect();
    if found.readings.len() < 2 { LawResult::default() } else { found }
}

/// A latency line's figures, bit by bit; `None` for lines that could agree by chance.
fn line(claim: &Claim) -> Option<Vec<(String, u64)>> {
    claim.operations_per_s.and(claim.latency.mean_ns)?;
    let figures: Vec<(String, f64)> =
        claim.latency.figures().map(|(figure, value)| (figure.name(), value)).collect();
    let digits = figures.iter().map(|(name, value)| digits(claim, name, *value)).sum::<f64>();
    let is_told = figures.len() >= FIGURES_MIN && digits >= DIGITS_MIN;
    is_told.then(|| figures.into_iter().map(|(name, value)| (name, value.to_bits())).collect())
}

/// Digits that a figure was printed with.
fn digits(claim: &Claim, name: &str, value: f64) -> f64 {
    let step = claim.figure(&format!("latency {name}"), value).uncertainty;
    if step > 0.0 { (value / step).log10().clamp(0.0, DIGITS_IN_FULL) } else { DIGITS_IN_FULL }
}

fn read(claims: &[Claim], group: &[usize]) -> Vec<Reading> {
    let rate = |index: usize| claims[index].operations_per_s.unwrap_or(0.0);
    let rates = || group.iter().map(|index| rate(*index));
    let (low, high) = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    let is_one_run = group.len() < 2 || high <= low * (1.0 + RATE_WITHIN);
    let reading = |claim: usize| {
        let concern = Concern::Kinds(LATENCY);
        if is_one_run {
            return Reading::new(concern, Status::Pass, String::new()).of(claim);
        }
        let others: Vec<String> = group
            .iter()
            .filter(|other| **other != claim)
            .take(3)
            .map(|other| claims[*other].name())
            .collect();
        let shared =
            format!("shares its latency line ({}) with {}", describe(&claims[claim]), others.join(", "));
        let (status, fit) = fit(&claims[claim]);
        Reading::new(concern, status, format!("{shared}{fit}.")).of(claim)
    };
    group.iter().map(|claim| reading(*claim)).collect()
}

/// Whether the line may be this row's own, by Little's law.
fn fit(claim: &Claim) -> (Status, String) {
    let implied = InFlight::from_claim(claim).filter(|found| !found.is_bound).map(|found| found.operations);
    let (Some(implied), Some(possible)) = (implied, claim.setting.in_flight_possible()) else {
        return (Status::Fail, String::new());
    };
    let told = format!("{} in flight of {possible} possible", format_significant(implied));
    if (implied / possible as f64 - 1.0).abs() <= FITS_WITHIN {
        (Status::Warn, format!("; by Little's law it may be this row's ({told})"))
    } else {
        (Status::Fail, format!("; by Little's law it is not this row's ({told})"))
    }
}

fn describe(claim: &Claim) -> String {
    let told = ["min", "mean", "sd", "max"].into_iter();
    let told = told.filter_map(|name| Some(format!("{name} {}", time(claim.latency.named(name)?))));
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn duplicated_latency() {
        let header = "iops,latency_mean_us,latency_sd_us,latency_max_us,iodepth,numjobs\n";
        let table = |rows: &str| format!("{header}{rows}");
        let twice = table("1129000,177.01,171.71,3294,16,8\n721000,177.01,171.71,3294,16,8\n");
        check(&LAW, &twice, Status::Fail, "line 2: shares");
        check(&LAW, &twice, Status::Fail, "it may be this row's (128 in flight");
        let same_run = table("721000,177.01,171.71,3294,16,8\n721000,177.01,171.71,3294,16,8\n");
        check(&LAW, &same_run, Status::Pass, "their own");
        let own = table("1129000,113.5,171.71,3294,16,8\n721000,177.01,171.71,3294,16,8\n");
        check(&LAW, &own, Status::Pass, "their own");
        check(&LAW, "iops,latency_mean_us\n1,177\n2,177\n", Status::NotAssessable, "three figures");
    }
}
