//! Two arms along a factor.

use super::levels::{confidence, range};
use super::opening::first_word;
use super::told::{self, Told};
use crate::estimate::Estimate;
use crate::finding::{Finding, Levels, Side};
use page::quantity::named;

/// They change places once.
pub(super) fn change_places(finding: &Finding, at: &Estimate, starts: Side) -> Told {
    let (level, baseline) = arms(finding);
    let shown = |number: f64| finding.subject.place(number);
    let between = at
        .interval
        .map_or_else(String::new, |(low, high)| format!(", between {} and {}", shown(low), shown(high)));
    let claim = format!(
        "{level} and {baseline} change places in {} at {} = {}{between}: {level} is {} before and {} after",
        named(&finding.metric).title,
        finding.ask.factor,
        at.point.map_or_else(|| "–".to_owned(), shown),
        word(starts),
        word(starts.other())
    );
    Told::new(claim, told::confidence(at))
}

/// They keep their order.
pub(super) fn keep_places(finding: &Finding, always: Side) -> Told {
    let (level, baseline) = arms(finding);
    let claim = format!(
        "{level} has the {} {} at every level of {}{}: it does not change places with {baseline}",
        word(always),
        named(&finding.metric).title,
        finding.ask.factor,
        range(finding)
    );
    Told::new(claim, confidence(finding))
}

/// They change places several times.
pub(super) fn change_places_often(finding: &Finding, changes: usize) -> Told {
    let (level, baseline) = arms(finding);
    let claim = format!(
        "{level} and {baseline} change places in {} {changes} times along {}{}, so there is no single crossover",
        named(&finding.metric).title,
        finding.ask.factor,
        range(finding)
    );
    Told::new(claim, confidence(finding))
}

/// It is undecided whether they change places.
pub(super) fn undecided(finding: &Finding, arms: &Levels) -> Told {
    let (level, baseline) = arms.names();
    let claim = format!(
        "{} is undecided whether {level} and {baseline} change places in {} along {}{}: at some levels the data do not \
         distinguish them",
        first_word(finding, "it"),
        named(&finding.metric).title,
        finding.ask.factor,
        range(finding)
    );
    Told::new(claim, confidence(finding))
}

fn arms(finding: &Finding) -> (String, String) {
    finding.subject.levels().map(Levels::names).unwrap_or_default()
}

fn word(side: Side) -> &'static str {
    match side {
        Side::Above => "higher",
        Side::Below => "lower",
    }
}
