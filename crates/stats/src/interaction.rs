//! Is a contrast the same in every cell of the other factors?
//!
//! Averaging a contrast over cells is only a main effect when the cells agree. The check is the F test of a randomised
//! complete block design: cells against the cell-by-round remainder, rounds as blocks. It supposes that log ratios
//! spread alike in all cells; if they do not, it rejects a little too often, which errs on the side of showing the
//! cells.

use crate::blocks;
use crate::interval::NoInterval;

/// How much a contrast varies between cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// p-value that the contrast is the same in every cell.
    pub p: f64,
    /// F statistic (cells ÷ remainder); NaN if neither varies.
    pub f: f64,
    /// Degrees of freedom of cells and of the remainder.
    pub freedom: (usize, usize),
    /// Geometric mean ratio of each cell.
    pub cell_ratios: Vec<f64>,
    /// Largest distance of a cell's ratio from the mean over cells, as a ratio of at least 1.
    pub departure: f64,
    /// The cell it belongs to.
    pub departure_cell: usize,
}

/// Tests `rounds[round][cell]` of natural-log ratios, with this correlation of neighbouring rounds (0 for independent
/// rounds).
///
/// Source: Montgomery, *Design and Analysis of Experiments*, 8th ed., section 4.1.
///
/// # Errors
/// [`NoInterval`] for fewer than six rounds or two cells, incomplete rounds, or values that are not finite.
pub fn interaction(rounds: &[Vec<f64>], correlation: f64) -> Result<Interaction, NoInterval> {
    let cells = blocks::check(rounds, 2)?;
    let means = blocks::column_means(rounds);
    let grand = means.iter().sum::<f64>() / cells as f64;
    let departures: Vec<f64> = means.iter().map(|mean| (mean - grand).abs()).collect();
    let departure_cell = blocks::index_of_greatest(&departures).ok_or(NoInterval::NotFinite)?;
    let analysis = blocks::analyse(rounds, 1, correlation);
    Ok(Interaction {
        p: analysis.p,
        f: analysis.f,
        freedom: (analysis.freedom_columns as usize, analysis.freedom_residual as usize),
        cell_ratios: means.iter().map(|mean| mean.exp()).collect(),
        departure: departures[departure_cell].exp(),
        departure_cell,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    fn table() -> Vec<Vec<f64>> {
        vec![
            vec![0.10, 0.14, 0.31],
            vec![0.12, 0.09, 0.28],
            vec![0.08, 0.11, 0.35],
            vec![0.15, 0.13, 0.30],
            vec![0.09, 0.16, 0.27],
            vec![0.11, 0.10, 0.33],
        ]
    }

    /// Expected figures: numpy 2.4.6, two-way analysis of variance without replication, p from `scipy.stats.f.sf`.
    #[test]
    fn f_matches_a_two_way_analysis_of_variance() {
        let outcome = interaction(&table(), 0.0).unwrap();
        assert_close(outcome.f, 76.900_347_624_565_54, 1e-9);
        assert_close(outcome.p, 8.480_496_828_700_968e-7, 1e-6);
        assert_eq!((outcome.freedom, outcome.departure_cell), ((2, 10), 2));
    }

    #[test]
    fn identical_cells_do_not_interact() {
        let rounds: Vec<Vec<f64>> = (0..6).map(|round| vec![0.1 * f64::from(round); 4]).collect();
        let outcome = interaction(&rounds, 0.0).unwrap();
        assert_close(outcome.p, 1.0, 1e-12);
        assert_close(outcome.departure, 1.0, 1e-12);
    }

    #[test]
    fn one_cell_is_no_question() {
        assert_eq!(interaction(&vec![vec![0.1]; 6], 0.0), Err(NoInterval::TooFewColumns { n: 1, needed: 2 }));
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..40), width in 1..5usize) {
            let rounds: Vec<Vec<f64>> = values.chunks(width).map(<[f64]>::to_vec).collect();
            if let Ok(outcome) = interaction(&rounds, 0.0) {
                prop_assert!((0.0..=1.0).contains(&outcome.p));
            }
        }
    }
}
