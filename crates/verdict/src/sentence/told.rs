//! The parts of a finding in words, before they are joined to a sentence.

use crate::estimate::Estimate;
use model::figure::{exact_percent, round, round_figure, round_figures};
use model::metric::Unit;
use page::quantity::Named;

/// A finding, not yet joined to a sentence.
pub(super) struct Told {
    /// The claim, with its figures.
    pub(super) claim: String,
    /// Whether the claim ends with a bracket: the proof then follows without one of its own.
    pub(super) ends_in_bracket: bool,
    /// Its proof: `95 % interval 1.16–1.24`; empty if there is none.
    pub(super) proof: String,
    pub(super) notes: Vec<String>,
}

impl Told {
    pub(super) fn new(claim: String, proof: String) -> Self {
        Self { claim, ends_in_bracket: false, proof, notes: Vec::new() }
    }

    /// With more behind its claim.
    pub(super) fn and(mut self, more: &str) -> Self {
        self.claim.push_str(more);
        self
    }

    /// The claim ends with a bracket.
    pub(super) fn bracketed(self) -> Self {
        Self { ends_in_bracket: true, ..self }
    }

    pub(super) fn note(mut self, note: Option<String>) -> Self {
        self.notes.extend(note);
        self
    }
}

/// `95 % interval 1.16–1.24`; empty if there is none.
pub(super) fn interval(estimate: &Estimate, unit: Unit) -> String {
    match (estimate.interval, estimate.level) {
        (Some(bounds), Some(level)) => {
            let reference = estimate.point.unwrap_or(bounds.1);
            format!("{} interval {}", exact_percent(level), model::figure::interval(bounds, reference, unit))
        }
        (_, _) => String::new(),
    }
}

/// `95 % confidence`; empty if there is no interval.
pub(super) fn confidence(estimate: &Estimate) -> String {
    estimate.level.map_or_else(String::new, |level| format!("{} confidence", exact_percent(level)))
}

/// A figure of a metric that is named beside it: `9 000` if the title is the unit, `9 000 puts/s`, `98.1 µs`.
pub(super) fn figure(named: &Named, value: f64) -> String {
    match named.unit {
        Unit::PerSecond if named.title_is_unit() => round(value),
        Unit::PerSecond => rate(named, value),
        unit => round_figure(value, unit),
    }
}

/// A figure with its metric: `12 000 IOPS`, `load rate 12 000 puts/s`, `commit latency p50 98.1 µs`.
pub(super) fn figure_with_title(named: &Named, value: f64) -> String {
    match named.unit {
        Unit::PerSecond if named.title_is_unit() => rate(named, value),
        Unit::PerSecond => format!("{} {}", named.title, rate(named, value)),
        unit => format!("{} {}", named.title, round_figure(value, unit)),
    }
}

/// Two figures of a metric that is named before them: `9 000` and `120 000` if the title is the unit, `9 000` and `120
/// 000 puts/s`, `98.1` and `82.0 µs`.
pub(super) fn titled_figures(named: &Named, one: f64, other: f64) -> (String, String) {
    if named.title_is_unit() { (round(one), round(other)) } else { figures(named, one, other) }
}

/// Two figures whose unit follows the second: `9 900` and `8 250 commits/s`, `98.1` and `82.0 µs`.
pub(super) fn figures(named: &Named, one: f64, other: f64) -> (String, String) {
    match named.unit {
        Unit::PerSecond => (round(one), rate(named, other)),
        unit => round_figures(one, other, unit),
    }
}

/// `8 250 commits/s`.
fn rate(named: &Named, value: f64) -> String {
    format!("{} {}", round(value), named.counted_per_s)
}
