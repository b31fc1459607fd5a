//! How precise the figures of a study are: the noise floor, and the dependence between rounds.

use crate::finding::{Dependence, NoDependence, NoFloor, Noise, floor_text};
use crate::verdict::StudyVerdict;
use model::figure::count;
use model::units::format_significant;
use page::quantity::named;

/// The noise floor of each metric of the asks, as a clause each; for those without one, their titles and the reason.
pub(super) fn noise_floors(study: &StudyVerdict) -> Vec<String> {
    let mut floors: Vec<String> = Vec::new();
    let mut without: Vec<(NoFloor, Vec<String>)> = Vec::new();
    for (name, noise_floor) in study.asked.iter().filter_map(|name| Some((name, study.noise.get(name)?))) {
        let title = named(name).title;
        match noise_floor {
            Noise::Floor(ratio) => floors.push(format!("{title} {}", floor_text(*ratio))),
            Noise::Unknown(why) => match without.iter_mut().find(|(known, _)| known == why) {
                Some((_, titles)) => titles.push(title),
                None => without.push((*why, vec![title])),
            },
        }
    }
    if let ([], [(why, _)]) = (&floors[..], &without[..]) {
        return vec![format!("unknown: {}", why.text())];
    }
    let unknown = |(why, titles): &(NoFloor, Vec<String>)| {
        format!("{} unknown, because {}", titles.join(", "), why.text())
    };
    floors.extend(without.iter().map(unknown));
    floors
}

/// For the metrics of the asks, a clause for each dependence, and one if too few rounds and arms would show one.
/// Nothing if intervals are those of independent rounds for a good reason.
pub(super) fn dependences(study: &StudyVerdict) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    let mut undetectable: Vec<(usize, usize)> = Vec::new();
    for (name, found) in study.asked.iter().filter_map(|name| Some((name, study.dependence.get(name)?))) {
        if let Some((correlation, widened_by)) = found.notable() {
            clauses.push(format!(
                "{}: intervals allow for a correlation of {correlation:.2} between neighbouring rounds and are \
                 {} times as wide",
                named(name).title,
                format_significant(widened_by)
            ));
        }
        match found {
            Dependence::NotAssessable(NoDependence::Undetectable { rounds, arms, .. }) => {
                undetectable.push((*arms, *rounds));
            }
            // Without an estimate there is no interval of a ratio either.
            Dependence::Found { .. }
            | Dependence::NotFound { .. }
            | Dependence::NotAssessable(NoDependence::NotAsked | NoDependence::NoEstimate(_)) => {}
        }
    }
    if let Some((arms, rounds)) = undetectable.into_iter().min() {
        clauses.push(format!(
            "{} of {} would often miss even a strong one, and intervals assume none",
            count(rounds, "round"),
            count(arms, "arm")
        ));
    }
    clauses
}
