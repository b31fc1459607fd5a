//! Dependence between rounds: whether neighbouring rounds resemble each other, and what follows for intervals.

use crate::quantity;
use model::figure::count;
use model::units::format_significant;
use verdict::StudyVerdict;
use verdict::finding::{Dependence, NoDependence};

/// For the metrics of the asks, a clause for each dependence, and one if too few rounds and arms would show one. Nothing if
/// intervals are those of independent rounds for a good reason.
pub(crate) fn dependences(study: &StudyVerdict) -> Vec<String> {
    let mut clauses: Vec<String> = Vec::new();
    let mut undetectable: Vec<(usize, usize)> = Vec::new();
    for (name, found) in study.asked.iter().filter_map(|name| Some((name, study.dependence.get(name)?))) {
        if let Some((correlation, widened_by)) = found.notable() {
            clauses.push(format!(
                "{}: intervals allow for a correlation of {correlation:.2} between neighbouring rounds and are {} times as wide",
                quantity::named(name).title,
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
