//! Ranking of arms, with ties if the data do not separate them.

use crate::Better;
use crate::blocks;
use crate::confidence::Confidence;
use crate::contrast::ratio_of_logs;
use crate::family::{holm, simultaneous_level};
use crate::interval::NoInterval;
use crate::rounds::{fewest, would_reach};

/// An arm's place.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Column of the arm.
    pub arm: usize,
    /// 1 + the number of arms that are significantly better; arms that are not separated from the best are all first.
    pub rank: usize,
    /// Geometric mean over rounds, in the response's unit.
    pub geometric_mean: f64,
    /// Arms it is not separated from, in column order.
    pub tied_with: Vec<usize>,
}

/// Ranks the arms in `rounds[round][arm]` (positive responses), best first.
///
/// Every pair of arms is compared by the paired log ratio; two arms are separated when Holm's adjusted p-value over all
/// pairs is at most 1 − level. Ties need not be transitive: A may tie with B and B with C while A and C are separated,
/// which is why ties are listed per arm.
///
/// # Errors
/// [`NoInterval`] for fewer than six rounds or two arms, incomplete rounds, values that are not positive and finite, or
/// a level outside (0, 1).
pub fn rank(
    rounds: &[Vec<f64>],
    better: Better,
    confidence: impl Into<Confidence>,
) -> Result<Vec<Place>, NoInterval> {
    let confidence = confidence.into();
    let alpha = 1.0 - confidence.level;
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(NoInterval::OutOfRange);
    }
    let arms = blocks::check(rounds, 2)?;
    let logs = blocks::logs(rounds)?;
    let means = blocks::column_means(&logs);
    let pairs: Vec<(usize, usize)> = (0..arms).flat_map(|a| (a + 1..arms).map(move |b| (a, b))).collect();
    let p_values = pairs
        .iter()
        .map(|&(a, b)| Ok(ratio_of_logs(&blocks::difference(&logs, a, b), confidence)?.p))
        .collect::<Result<Vec<_>, NoInterval>>()?;
    let adjusted = holm(&p_values).map_err(|_| NoInterval::NotFinite)?;
    let mut separated = vec![vec![false; arms]; arms];
    for (&(a, b), p) in pairs.iter().zip(&adjusted) {
        separated[a][b] = *p <= alpha;
        separated[b][a] = *p <= alpha;
    }
    let goodness = |arm: usize| means[arm] * better.sign();
    let mut places: Vec<Place> = (0..arms)
        .map(|arm| Place {
            arm,
            rank: 1 + (0..arms).filter(|&o| separated[arm][o] && goodness(o) > goodness(arm)).count(),
            geometric_mean: means[arm].exp(),
            tied_with: (0..arms).filter(|&other| other != arm && !separated[arm][other]).collect(),
        })
        .collect();
    places.sort_by(|a, b| goodness(b.arm).total_cmp(&goodness(a.arm)));
    Ok(places)
}

/// Rounds in all that would separate some pair of arms whose ratio lies beyond `noise_floor`; `None` without such a
/// pair, or no realistic number would. The first pair that Holm separates has to pass Bonferroni's bound.
///
/// # Errors
/// As [`rank`].
pub fn rounds_to_separate(
    rounds: &[Vec<f64>],
    confidence: impl Into<Confidence>,
    noise_floor: f64,
) -> Result<Option<usize>, NoInterval> {
    let confidence = confidence.into();
    let arms = blocks::check(rounds, 2)?;
    let logs = blocks::logs(rounds)?;
    let pairs = arms * (arms - 1) / 2;
    let together = confidence.at(simultaneous_level(confidence.level, pairs));
    let mut fewest_of_all: Option<usize> = None;
    for (a, b) in (0..arms).flat_map(|a| (a + 1..arms).map(move |b| (a, b))) {
        let ratio = ratio_of_logs(&blocks::difference(&logs, a, b), together)?;
        let effect = ratio.log_mean.abs();
        if effect > noise_floor.ln() {
            let needed = fewest(rounds.len(), |n| would_reach(effect, ratio.log_sd, together, n));
            fewest_of_all = fewest_of_all.into_iter().chain(needed).min();
        }
    }
    Ok(fewest_of_all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounds() -> Vec<Vec<f64>> {
        let noise = [[1.00, 1.01, 0.99], [1.01, 0.99, 1.00], [0.99, 1.00, 1.01], [1.00, 0.99, 1.01]];
        (0..8)
            .map(|round| [10.0, 20.0, 20.02].iter().zip(noise[round % 4]).map(|(v, n)| v * n).collect())
            .collect()
    }

    #[test]
    fn arms_that_are_not_separated_share_a_rank() {
        let places = rank(&rounds(), Better::Higher, 0.95).unwrap();
        let ranks: Vec<_> = places.iter().map(|place| (place.arm, place.rank)).collect();
        assert_eq!(ranks, [(2, 1), (1, 1), (0, 3)]);
        assert_eq!(places[0].tied_with, [1]);
    }

    #[test]
    fn lower_can_be_better() {
        let places = rank(&rounds(), Better::Lower, 0.95).unwrap();
        assert_eq!((places[0].arm, places[0].rank, places[1].rank), (0, 1, 2));
    }

    #[test]
    fn what_would_separate_is_the_pair_that_needs_the_fewest() {
        let table = rounds();
        let all = rounds_to_separate(&table, 0.95, 1.0).unwrap();
        // 10 and 20 are apart already: one round more would find them so.
        assert_eq!(all, Some(table.len() + 1));
        assert_eq!(rounds_to_separate(&table, 0.95, 3.0), Ok(None));
        let close: Vec<Vec<f64>> = table.iter().map(|row| row[1..].to_vec()).collect();
        let needed = rounds_to_separate(&close, 0.95, 1.0).unwrap().unwrap();
        assert!((40..80).contains(&needed), "{needed}");
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40), level in any::<f64>()) {
            let table: Vec<Vec<f64>> = values.chunks(3).map(<[f64]>::to_vec).collect();
            let _ = rank(&table, Better::Higher, level);
            let _ = rounds_to_separate(&table, level, 1.1);
        }
    }
}
