//! The cost ladder of durability: the cost of each stronger class.

use super::effect::{Effect, excluded};
use super::opening::first_word;
use super::told::{Told, confidence, interval};
use crate::estimate::Estimate;
use crate::finding::Rung;
use crate::quantity::times;
use model::durability::DurabilityClass;
use model::metric::{Better, Unit};

/// A step with a cost or a gain.
pub(super) fn different(effect: &Effect<'_>, rung: &Rung) -> Told {
    let (cost, title, promise) = (cost(effect), &effect.named.title, promise(rung));
    let surviving = first_word(effect.finding, "surviving");
    if cost.point.is_some_and(|cost| cost > 1.0) {
        let further = if rung.is_further { "a further " } else { "" };
        let (level, baseline) = &effect.names;
        let became = effect.baseline_and_level().map_or_else(String::new, |(from, to)| {
            format!(": {from} with {baseline} become {to} with {level}")
        });
        let claim = format!("{surviving} {promise} costs {further}{} in {title}{became}", times(&cost));
        return Told::new(claim, interval(&cost, Unit::Count));
    }
    let gain = cost.reversed();
    let claim = format!(
        "{surviving} {promise} costs nothing in {title}, which is {} better{}",
        times(&gain),
        sides(effect)
    );
    Told::new(claim, interval(&gain, Unit::Count))
}

/// A step without a cost.
pub(super) fn equivalent(effect: &Effect<'_>, rung: &Rung, within: &str) -> Told {
    let (promise, title) = (promise(rung), &effect.named.title);
    let surviving = first_word(effect.finding, "surviving");
    let claim =
        format!("{surviving} {promise} costs nothing in {title}, to within {within}{}", sides(effect));
    Told::new(claim, interval(&cost(effect), Unit::Count))
}

/// A step with an undecided cost.
pub(super) fn undecided(effect: &Effect<'_>, rung: &Rung) -> Told {
    let cost = cost(effect);
    let claim = format!(
        "{} is undecided whether surviving {} costs anything in {}{}{}",
        first_word(effect.finding, "it"),
        promise(rung),
        effect.named.title,
        sides(effect),
        excluded(&cost, "costs")
    );
    Told::new(claim, confidence(&cost))
}

/// `: 520 000 with pwrite, 630 entries/s with fdatasync`.
fn sides(effect: &Effect<'_>) -> String {
    let (level, baseline) = &effect.names;
    effect
        .baseline_and_level()
        .map_or_else(String::new, |(from, to)| format!(": {from} with {baseline}, {to} with {level}"))
}

/// The ratio as a cost: above 1 if the stronger class is worse. For a metric without a better direction it is
/// unchanged.
fn cost(effect: &Effect<'_>) -> Estimate {
    match effect.named.better {
        Better::Higher => effect.ratio.reversed(),
        Better::Lower | Better::Neither => effect.ratio.clone(),
    }
}

/// What an acknowledged write survives in the stronger class.
fn promise(rung: &Rung) -> &'static str {
    match rung.stronger {
        DurabilityClass::None => "nothing",
        DurabilityClass::Process => "a killed process",
        DurabilityClass::Power => "power loss (as declared)",
    }
}
