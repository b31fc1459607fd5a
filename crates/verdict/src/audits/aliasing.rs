//! Whether latencies sit on the teeth of a comb: something ticks (a timer, a polling loop, a busy neighbour's time slice)
//! and operations end on the next tick, so the distribution tells the tick and not the device.

use super::{Context, Judgement};
use crate::latencies::Distribution;
use crate::phrase::{count, percent};
use crate::verdict::Status;
use model::units::format_significant;
use stats::comb::comb;

/// Relative width of a bucket: histograms hold three significant digits.
const RESOLUTION: f64 = 1e-3;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let distributions = &context.latencies.distributions;
    let unreadable = context.latencies.unreadable.iter().cloned();
    if distributions.is_empty() {
        return Judgement::not_assessable("No latency histogram could be read.").with(unreadable);
    }
    let evidence: Vec<String> =
        distributions.iter().filter_map(|distribution| sentence(context, distribution)).collect();
    if evidence.is_empty() {
        let histograms = count(distributions.len(), "merged histogram");
        return Judgement::pass(format!("No comb in {histograms}.")).with(unreadable);
    }
    let summary = format!(
        "Latencies of {} of {} sit on a comb: something ticks.",
        evidence.len(),
        count(distributions.len(), "merged histogram")
    );
    let advice = "Look for the tick: the kernel's timer (CONFIG_HZ), a polling interval, a hypervisor's time slice. \
                  Percentiles are rounded to its multiples.";
    Judgement::new(Status::Warn, summary, advice).with(evidence).with(unreadable)
}

fn sentence(context: &Context<'_>, distribution: &Distribution) -> Option<String> {
    let buckets: Vec<(f64, u64)> =
        distribution.merged.iter().map(|(nanos, operations)| (*nanos as f64 / 1e3, *operations)).collect();
    let found = comb(&buckets, RESOLUTION)?;
    let label = context.observations.plan.label(distribution.configuration);
    Some(format!(
        "{label}, {}: {} teeth {} µs apart hold {} of the operations, where a smooth distribution has {}.",
        distribution.family,
        found.teeth,
        format_significant(found.period),
        percent(found.share),
        percent(found.share_expected)
    ))
}
