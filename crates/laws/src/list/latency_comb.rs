//! Latencies on the teeth of a comb: something ticks (a timer, a polling loop, a coarse clock), and the histogram
//! tells it.

use crate::claim::{Claim, time};
use crate::law::{Law, Looks, Reads};
use crate::reading::LATENCY;
use crate::status::Status;
use model::units::format_significant;
use stats::comb::comb;

/// Relative width of fio's bins: 64 to a power of two.
const RESOLUTION: f64 = 1.0 / 64.0;

pub const LAW: Law = Law {
    name: "latency-comb",
    looks: Looks::AtFigures,
    needs: "a histogram, as fio's json+ has one",
    held: "The histograms of {} show no comb.",
    broken: "The latencies of {} form a comb: a timer determines them.",
    advice: "Look for the tick: the kernel's timer, a polling interval, a coarse clock. Percentiles are \
        rounded to its multiples.",
    lacking: "No {} has a latency histogram (fio: --output-format=json+).",
    reads: Reads::Each(LATENCY, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    if claim.bins.is_empty() {
        return None;
    }
    let Some(found) = comb(&claim.bins, RESOLUTION) else { return Some((Status::Pass, String::new())) };
    let text = format!(
        "{} teeth {} apart hold {} % of the operations; in a smooth distribution they hold {} %.",
        found.teeth,
        time(found.period),
        format_significant(found.share * 100.0),
        format_significant(found.share_expected * 100.0)
    );
    Some((Status::Warn, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_comb() {
        let judge = |bins: Vec<(f64, u64)>| LAW.judge(&[Claim { bins, ..Claim::default() }], "row");
        assert_eq!(judge(Vec::new()).status, Status::NotAssessable);
        let smooth = (0..400).map(|step| 1e4 * 1.01f64.powi(step)).map(|value| (value, 1000));
        assert_eq!(judge(smooth.collect()).status, Status::Pass);
        let ticks = judge((1..6).map(|tick| (f64::from(tick) * 4e6, 1000)).collect());
        assert_eq!(ticks.status, Status::Warn);
        assert!(ticks.evidence[0].contains("3 teeth 4.00 ms apart"), "{:?}", ticks.evidence);
    }
}
