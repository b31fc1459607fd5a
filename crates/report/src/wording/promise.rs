//! What is known about a durability class's promise.

use model::durability::DurabilityClass;
use model::figure::{count, percent};
use model::units::format_significant;
use verdict::{Flushes, Group, Kills, Promise};

/// The heading of arms that promise the same: `Durability class process: no acknowledged entry lost in 42 kills`.
pub(crate) fn group(group: &Group<'_>) -> String {
    let known = group.promise.map(standing).filter(|known| !known.is_empty());
    match (group.class, known) {
        ("", _) => "Durability class unknown: no trial succeeded".to_owned(),
        (class, None) => format!("Durability class {class}"),
        (class, Some(known)) => format!("Durability class {class}: {known}"),
    }
}

/// Refuted, not refuted, or only declared, and by what.
fn standing(promise: &Promise) -> String {
    let kills = match (&promise.kills, promise.class) {
        (Some(found), class) => Some(kills(found, class)),
        (None, DurabilityClass::None) => Some(DIES.to_owned()),
        (None, DurabilityClass::Process | DurabilityClass::Power) => None,
    };
    let clauses = [promise.flushes.as_ref().map(flushes), kills];
    clauses.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

const DIES: &str = "dies with the process";

fn kills(found: &Kills, class: DurabilityClass) -> String {
    let without = match found.without_result {
        0 => String::new(),
        without => format!(" ({without} of them without a result)"),
    };
    let kills = format!("{}{without}", count(found.kills, "kill"));
    let (losing, most) = (found.losing, format_significant(found.entries_max));
    match (losing, class) {
        (0, _) => format!(
            "no acknowledged entry lost in {kills}, so that at most {} of kills could lose one (95 %)",
            percent(found.share_losing_at_most)
        ),
        (_, DurabilityClass::None) => format!("{DIES}: entries lost in {losing} of {kills}, up to {most}"),
        (_, DurabilityClass::Process | DurabilityClass::Power) => {
            format!("REFUTED: acknowledged entries lost in {losing} of {kills}, up to {most}")
        }
    }
}

fn flushes(found: &Flushes) -> String {
    match (found.known, found.too_few) {
        (0, _) => "declared: it is unknown whether the device saw a flush".to_owned(),
        (known, 0) => format!(
            "declared, which no kill can prove: as many flushes as acknowledgements need, forced writes or no volatile \
             cache in {known} of {}",
            count(found.trials, "trial")
        ),
        (known, too_few) => format!(
            "REFUTED: fewer flushes than acknowledgements need, and no forced writes, in {too_few} of {}",
            count(known, "trial")
        ),
    }
}
