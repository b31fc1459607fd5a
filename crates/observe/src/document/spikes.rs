//! Operations that took longer than the threshold, each with its cause.

use super::files::short;
use crate::observation::{Observation, Part, Spike, Writer};
use crate::plot;
use model::figure::{count, elapsed, percent, round, round_figure};
use model::metric::Unit;
use page::{Block, Item, List, Section};

/// Spikes that have a line.
const SPIKES_MAX: usize = 20;
/// A part of a spike that is named.
const SHARE_MIN: f64 = 0.05;

/// `None` if they were not asked for.
pub(super) fn section(seen: &Observation) -> Option<Section> {
    let spikes = seen.spikes.as_ref()?;
    let threshold = elapsed(spikes.threshold_us);
    let number = spikes.seen as usize;
    let mut blocks = vec![Block::paragraph(match number {
        0 => format!("No operation took {threshold} or longer."),
        _ => format!("{} took {threshold} or longer.", count(number, "operation")),
    })];
    blocks.extend(plot::spikes(spikes, seen.duration_s).map(Block::Figure));
    let mut slowest: Vec<&Spike> = spikes.slowest.iter().collect();
    slowest.sort_by(|one, other| other.latency_us.total_cmp(&one.latency_us));
    slowest.truncate(SPIKES_MAX);
    slowest.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
    if slowest.len() < number {
        blocks.push(Block::note(format!("The slowest {}, in their order:", slowest.len())));
    }
    let item = |spike: &&Spike| {
        Item::labelled(format!("{} s", round(spike.at_s)), cause(spike, short(seen, &spike.path)))
    };
    blocks.push(Block::List(List::of(slowest.iter().map(item).collect())));
    Some(Section::new("spikes", "Spikes", blocks))
}

fn cause(spike: &Spike, path: &str) -> String {
    let who = if spike.name.is_empty() { "process" } else { spike.name.as_str() };
    let latency = elapsed(spike.latency_us);
    let mut text = format!("{} of {path} by {who} ({}): {latency}", spike.class.singular(), spike.process);
    let mut parts: Vec<&Part> = spike.parts.iter().filter(|part| part.share >= SHARE_MIN).collect();
    parts.sort_by(|one, other| other.share.total_cmp(&one.share));
    let parts: Vec<String> =
        parts.iter().map(|part| format!("{} {}", part.segment.name(), percent(part.share))).collect();
    if !parts.is_empty() {
        text = format!("{text}; {}", parts.join(", "));
    }
    let other = |writer: &Writer| {
        let name = if writer.name.is_empty() { "thread" } else { writer.name.as_str() };
        let bytes = round_figure(writer.bytes as f64, Unit::Bytes);
        format!("{name} ({}) {} of {bytes}", writer.thread, count(writer.requests as usize, "request"))
    };
    let others: Vec<String> = spike.others.iter().map(other).collect();
    if others.is_empty() { text } else { format!("{text}. Meanwhile others wrote: {}", others.join(", ")) }
}
