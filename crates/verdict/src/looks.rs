//! The confidence that findings of a study have which may end at one of several looks.

use model::plan::StudyPlan;
use stats::sequential::{Spending, plan_rounds};

/// Confidence of a study that is looked at once.
const LEVEL: f64 = 0.95;
/// More looks than this are no plan of ours; integrating over them all would take long.
const LOOKS_MAX: usize = 16;

/// Confidence of a study's findings, all together, after `rounds` rounds.
///
/// The study might have ended at each look before, on a difference or on equivalence, and so each has spent its part of
/// 5 % (Pocock's spending function: evenly over the rounds, because most studies end at the first look). What is left
/// belongs to this look. Where a run ended between two looks, because its time was up, its last round is the look: a
/// spending function does not ask for looks to come where they were planned (Lan & `DeMets`, Biometrika 1983).
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
        // Not a plan of ours: Bonferroni's inequality holds whatever the looks.
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
        // Before the first look is over it is the first look.
        assert!((at(&looks, 2) - at(&looks, 6)).abs() < 1e-12);
        // A look that comes right behind another has little left to spend.
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
