//! The confidence of a study's findings if the study may end at one of several looks.

use model::plan::StudyPlan;
use stats::sequential::{Spending, plan_rounds};

/// Confidence of a study with a single look.
const LEVEL: f64 = 0.95;
/// Syncline never plans more looks than this; integrating over more would take long.
const LOOKS_MAX: usize = 16;

/// Confidence of all of a study's findings together, after `rounds` rounds.
///
/// The study could have ended at each earlier look, on a difference or on equivalence, so each has spent its part of
/// the 5 % (Pocock's spending function: evenly over the rounds, because most studies end at the first look). The rest
/// belongs to this look. If a run ended between two looks because its time was up, its last round is the look: a
/// spending function does not require looks at their planned times (Lan & `DeMets`, Biometrika 1983).
pub(crate) fn confidence(plan: &StudyPlan, rounds: u32) -> f64 {
    let Some((first, last)) = plan.looks.first().zip(plan.looks.last()) else { return LEVEL };
    let here = rounds.clamp(*first, (*last).max(*first));
    let mut looks: Vec<usize> =
        plan.looks.iter().filter(|look| **look < here).map(|look| *look as usize).collect();
    looks.extend([here as usize, *last as usize]);
    looks.dedup();
    let place = looks.iter().position(|look| *look == here as usize);
    let planned =
        if looks.len() <= LOOKS_MAX { plan_rounds(&looks, 1.0 - LEVEL, Spending::Pocock).ok() } else { None };
    match place.zip(planned).and_then(|(place, planned)| planned.get(place).copied()) {
        Some(look) => 1.0 - look.nominal_alpha,
        // Not one of Syncline's plans: Bonferroni's inequality holds for any looks.
        None => stats::family::simultaneous_level(LEVEL, plan.looks.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use synthetic::Synthetic;

    fn at(looks: &[u32], rounds: u32) -> f64 {
        confidence(
            &Synthetic::commit().rounds(looks.last().copied().unwrap_or(10)).looks(looks).plan(),
            rounds,
        )
    }

    #[test]
    fn a_fixed_number_of_rounds_is_looked_at_once() {
        assert!((at(&[], 6) - 0.95).abs() < 1e-12);
    }

    #[test]
    fn a_look_has_what_those_before_left() {
        let looks = [6, 9, 12, 18];
        for rounds in 6..=18 {
            let level = at(&looks, rounds);
            assert!((0.97..0.9999).contains(&level), "{rounds}: {level}");
        }
        // Until the first look is over, every earlier round counts as the first look.
        assert!((at(&looks, 2) - at(&looks, 6)).abs() < 1e-12);
        // A look soon after another has little left to spend.
        assert!(at(&looks, 7) > at(&looks, 9));
    }

    #[test]
    fn looks_that_make_no_sense_share_the_error() {
        for looks in [&[9, 6][..], &[0, 0], &[1, 2], &[6, 6, 6]] {
            let level = at(looks, 6);
            assert!((0.95..1.0).contains(&level), "{looks:?}: {level}");
        }
        let many: Vec<u32> = (6..1000).collect();
        assert!(at(&many, 900) > 0.9999);
    }
}
