//! Checks that a number can be believed, one file each. To add one: its file and its line in [`AUDITS`].

mod aliasing;
mod cold_cache;
mod comparable_metric;
mod drift;
mod durability_class;
mod factor_took_effect;
mod failed_trials;
mod layout;
mod littles_law;
mod overhead;
mod same_knobs;
mod shape;
mod small_n;
mod steady_state;
mod steal_and_pressure;
mod tally;
mod volatile_cache;

use crate::latencies::Latencies;
use crate::observations::Observations;
use crate::verdict::{Audit, Cell, Status};
use model::host::HostFacts;
use model::study::Ask;

/// What an audit looks at.
pub(crate) struct Context<'a> {
    /// The machine.
    pub(crate) host: &'a HostFacts,
    /// The study's plan and records.
    pub(crate) observations: &'a Observations<'a>,
    /// Figures by configuration.
    pub(crate) cells: &'a [Cell],
    /// Metrics that are asked about.
    pub(crate) asked: &'a [String],
    /// Merged latency distributions.
    pub(crate) latencies: &'a Latencies,
}

/// What an audit finds; its name is in the list.
#[derive(Clone, Debug, PartialEq)]
struct Judgement {
    status: Status,
    summary: String,
    evidence: Vec<String>,
    advice: String,
}

impl Judgement {
    fn pass(summary: impl Into<String>) -> Self {
        Self::new(Status::Pass, summary, "")
    }

    fn not_assessable(summary: impl Into<String>) -> Self {
        Self::new(Status::NotAssessable, summary, "")
    }

    fn new(status: Status, summary: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status, summary: summary.into(), evidence: Vec::new(), advice: advice.into() }
    }

    fn with(mut self, evidence: impl IntoIterator<Item = String>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}

/// An audit's name and its check.
type Check = (&'static str, fn(&Context<'_>) -> Judgement);

const AUDITS: &[Check] = &[
    ("littles-law", littles_law::check),
    ("factor-took-effect", factor_took_effect::check),
    ("comparable-metric", comparable_metric::check),
    ("cold-cache", cold_cache::check),
    ("layout", layout::check),
    ("volatile-cache", volatile_cache::check),
    ("durability-class", durability_class::check),
    ("same-knobs", same_knobs::check),
    ("small-n", small_n::check),
    ("failed-trials", failed_trials::check),
    ("drift", drift::check),
    ("shape", shape::check),
    ("steal-and-pressure", steal_and_pressure::check),
    ("aliasing", aliasing::check),
    ("overhead", overhead::check),
    ("steady-state", steady_state::check),
];

/// Every audit of a study, worst first; in the list's order where two end alike.
pub(crate) fn all(context: &Context<'_>) -> Vec<Audit> {
    let mut audits: Vec<Audit> = AUDITS
        .iter()
        .map(|(name, check)| {
            let Judgement { status, summary, evidence, advice } = check(context);
            Audit { name: (*name).to_owned(), status, summary, evidence, advice }
        })
        .collect();
    audits.sort_by_key(|audit| audit.status);
    audits
}

/// What the audits have to say about one ask on one metric: the sentences that limit its finding.
pub(crate) fn caveats(
    observations: &Observations<'_>,
    audits: &[Audit],
    ask: &Ask,
    metric: &str,
) -> Vec<String> {
    let mut caveats: Vec<String> = Vec::new();
    caveats.extend(comparable_metric::caveat(observations.plan, ask, metric));
    caveats.extend(same_knobs::caveat(observations.plan, ask));
    for audit in audits.iter().filter(|audit| audit.status == Status::Fail) {
        let concerns = audit.name != "factor-took-effect" || ask.factor == factor_took_effect::FACTOR;
        if concerns {
            caveats.push(format!("Audit {} failed: {}", audit.name, audit.summary));
        }
    }
    caveats
}

#[cfg(test)]
mod tests;
