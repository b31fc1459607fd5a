//! Complete randomised blocks: what a table of trials must be before anything is computed from it.

use crate::confidence::widening;
use crate::interval::{NoInterval, TRIALS_MIN};
use crate::sample;

/// Checks `rounds[round][column]`: at least [`TRIALS_MIN`] rounds, at least `columns_min` columns, no ragged row,
/// finite. Returns the number of columns.
pub(crate) fn check(rounds: &[Vec<f64>], columns_min: usize) -> Result<usize, NoInterval> {
    let columns = rounds.first().map_or(0, Vec::len);
    if rounds.iter().any(|row| row.len() != columns) {
        return Err(NoInterval::Ragged);
    }
    if rounds.len() < TRIALS_MIN {
        return Err(NoInterval::TooFew { n: rounds.len(), needed: TRIALS_MIN });
    }
    if columns < columns_min {
        return Err(NoInterval::TooFewColumns { n: columns, needed: columns_min });
    }
    if rounds.iter().flatten().any(|value| !value.is_finite()) {
        return Err(NoInterval::NotFinite);
    }
    Ok(columns)
}

/// The natural logarithm of every value; refuses what is not positive.
pub(crate) fn logs(rounds: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, NoInterval> {
    rounds.iter().map(|row| row.iter().map(|&value| log(value)).collect()).collect()
}

/// The natural logarithm of a positive finite value.
pub(crate) fn log(value: f64) -> Result<f64, NoInterval> {
    if !value.is_finite() {
        Err(NoInterval::NotFinite)
    } else if value <= 0.0 {
        Err(NoInterval::NotPositive)
    } else {
        Ok(value.ln())
    }
}

/// One column, in round order.
pub(crate) fn column(rounds: &[Vec<f64>], index: usize) -> Vec<f64> {
    rounds.iter().map(|row| row[index]).collect()
}

/// Difference of two columns within each round.
pub(crate) fn difference(rounds: &[Vec<f64>], minuend: usize, subtrahend: usize) -> Vec<f64> {
    rounds.iter().map(|row| row[minuend] - row[subtrahend]).collect()
}

/// Mean of every column. The table has been through [`check`], so no column is empty.
pub(crate) fn column_means(rounds: &[Vec<f64>]) -> Vec<f64> {
    let columns = rounds.first().map_or(0, Vec::len);
    (0..columns).map(|index| sample::mean(&column(rounds, index)).unwrap_or(f64::NAN)).collect()
}

/// Positions of numeric levels on the log₂ axis; they must be positive and strictly increasing, one per column.
pub(crate) fn log2_levels(levels: &[f64], columns: usize) -> Result<Vec<f64>, NoInterval> {
    if levels.len() != columns {
        return Err(NoInterval::Ragged);
    }
    if levels.iter().any(|level| !level.is_finite()) {
        return Err(NoInterval::NotFinite);
    }
    if levels.iter().any(|&level| level <= 0.0) {
        return Err(NoInterval::NotPositive);
    }
    if levels.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(NoInterval::LevelsNotIncreasing);
    }
    Ok(levels.iter().map(|level| level.log2()).collect())
}

/// Index of the greatest value; `None` when there is none or one is NaN.
pub(crate) fn index_of_greatest(values: &[f64]) -> Option<usize> {
    if values.iter().any(|value| value.is_nan()) {
        return None;
    }
    (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]))
}

/// Mean square of columns and of the remainder in a randomised complete block analysis of variance, and F's tail.
/// Source: Montgomery, *Design and Analysis of Experiments*, 8th ed., section 4.1.
pub(crate) struct BlockAnalysis {
    pub(crate) f: f64,
    pub(crate) freedom_columns: f64,
    pub(crate) freedom_residual: f64,
    pub(crate) p: f64,
}

/// `estimated` counts the parameters already fitted across columns: 1 for the mean, 2 for a straight line. If
/// neighbouring rounds correlate, the means of the columns scatter more than the remainder shows, by the square of
/// [`widening`].
pub(crate) fn analyse(rounds: &[Vec<f64>], estimated: usize, correlation: f64) -> BlockAnalysis {
    let means = column_means(rounds);
    let grand = sample::mean(&means).unwrap_or(f64::NAN);
    let n = rounds.len() as f64;
    let between = n * means.iter().map(|mean| (mean - grand).powi(2)).sum::<f64>();
    let residual: f64 = rounds
        .iter()
        .map(|row| {
            let block = sample::mean(row).unwrap_or(f64::NAN);
            row.iter().zip(&means).map(|(value, mean)| (value - block - mean + grand).powi(2)).sum::<f64>()
        })
        .sum();
    let freedom_columns = means.len().saturating_sub(estimated) as f64;
    let freedom_residual = freedom_columns * (n - 1.0);
    // Rounding of identical columns leaves dust that must not pass for a departure.
    let scale = rounds.iter().flatten().map(|value| value.powi(2)).sum::<f64>() * 1e-24;
    let between = if between <= scale { 0.0 } else { between };
    let residual = if residual <= scale { 0.0 } else { residual };
    let f = (between / freedom_columns)
        / (residual / freedom_residual)
        / widening(correlation, rounds.len()).powi(2);
    let p = crate::distribution::fisher_upper_p(f, freedom_columns, freedom_residual);
    BlockAnalysis { f, freedom_columns, freedom_residual, p }
}
