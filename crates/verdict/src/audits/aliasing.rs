//! Whether latencies lie on the teeth of a comb: something ticks (a timer, a polling loop, a busy neighbour's time
//! slice) and operations end on the next tick, so the distribution shows the tick and not the device.

use super::{Bearing, Check, Context, Judgement, Use};
use crate::latencies::Distribution;
use crate::phrase::{count, percent};
use crate::verdict::Status;
use model::units::format_significant;

pub(super) const CHECK: Check =
    Check { name: "aliasing", bearing, moot: "No latency is reported.", judge: check };

/// It applies to latency distributions.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_latency.then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let distributions = &context.latencies.distributions;
    let unreadable = context.latencies.unreadable.iter().cloned();
    if distributions.is_empty() {
        return Judgement::not_assessable("No latency histogram could be read.").with(unreadable);
    }
    let found = distributions
        .iter()
        .filter_map(|distribution| Some((sentence(context, distribution)?, distribution.configuration)));
    let (evidence, at): (Vec<String>, Vec<usize>) = found.unzip();
    if evidence.is_empty() {
        let histograms = count(distributions.len(), "merged histogram");
        return Judgement::pass(format!("No comb in {histograms}.")).with(unreadable);
    }
    let summary = format!(
        "Latencies of {} of {} lie on a comb: something ticks.",
        evidence.len(),
        count(distributions.len(), "merged histogram")
    );
    let advice = "Look for the tick: the kernel's timer (CONFIG_HZ), a polling interval, a hypervisor's time slice. \
                  Percentiles are rounded to multiples of it.";
    Judgement::new(Status::Warn, summary, advice).at(at).with(evidence).with(unreadable)
}

fn sentence(context: &Context<'_>, distribution: &Distribution) -> Option<String> {
    let found = distribution.comb?;
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
