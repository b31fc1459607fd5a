//! The trend of a response over the levels of a numeric factor, on logarithmic axes.
//!
//! Each round gives one slope (natural log of the response over log₂ of the level), so rounds are the sample. The
//! effect over the whole range, `exp(slope · range)`, is an ordinary ratio that goes through [`decide`]. A flat slope
//! is not yet "no effect": a hump has one too. So the departure of the levels from a straight line is tested as well.

use crate::blocks;
use crate::confidence::Confidence;
use crate::contrast::ratio_of_logs;
use crate::equivalence::{Answer, Decided, Rule, decide};
use crate::family::holm;
use crate::interval::{Interval, NoInterval, log_interval};
use crate::sample;

/// Significance at which a step between neighbouring levels counts as going against the trend.
const SIGNIFICANCE: f64 = 0.05;
/// Share of the rule's error that the slope's interval gets; the test of straightness gets the rest. A flat curve
/// called different for either reason is one error, so the two have to share (each at 5 %, they err in 9.8 % of flat
/// curves).
const SLOPE_SHARE: f64 = 0.8;

/// A response over the levels of a factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// Change of the natural log of the response per doubling of the level, with its t interval over rounds. Its level
    /// is a little above the rule's from three levels on (0.96 for 0.95), because the test of straightness takes a
    /// fifth of the error.
    pub slope: Interval,
    /// Effect over the whole range (highest ÷ lowest level, along the line) as a ratio: interval, p, equivalence.
    pub total: Decided,
    /// How far the levels are off the line; `None` with two levels.
    pub linearity: Option<Linearity>,
    /// Whether no step between neighbouring levels goes significantly (Holm, 5 %) against the slope.
    pub monotone: bool,
    /// The answer for the factor: `total`'s, except that `Equivalent` also needs a curve that is flat level by level
    /// (see [`Trend`]'s module documentation); a significant curve with a departure beyond the margin is `Different`.
    pub answer: Answer,
}

/// Lack of fit of the straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linearity {
    /// p-value that the mean curve is straight: F of the mean residuals against their spread over rounds.
    pub p: f64,
    /// Largest distance of a level's mean from the line, as a ratio of at least 1.
    pub departure: f64,
    /// Column of that level.
    pub departure_column: usize,
}

/// Fits `rounds[round][column]` (positive responses) over `levels[column]` (positive, increasing).
///
/// Sources: slope per block as summary measure: Matthews, Altman, Campbell & Royston, *Analysis of serial measurements
/// in medical research*, BMJ 1990; lack of fit: Montgomery, *Design and Analysis of Experiments*, 8th ed., 10.8. The
/// lack-of-fit F supposes residuals of one variance.
///
/// # Errors
/// [`NoInterval`] for fewer than six rounds or two levels, incomplete rounds, values or levels that are not positive,
/// levels that do not increase, or a rule out of range.
pub fn trend(levels: &[f64], rounds: &[Vec<f64>], rule: &Rule) -> Result<Trend, NoInterval> {
    let columns = blocks::check(rounds, 2)?;
    let x = blocks::log2_levels(levels, columns)?;
    let y = blocks::logs(rounds)?;
    let slopes = slopes_of(&x, &y)?;
    // With two levels there is nothing but the slope.
    let share = if columns > 2 { SLOPE_SHARE } else { 1.0 };
    let slope_rule = Rule { level: 1.0 - share * (1.0 - rule.level), ..*rule };
    let slope = log_interval(&slopes, slope_rule.confidence())?;
    let range = x[columns - 1] - x[0];
    let total = decide(&slopes.iter().map(|value| value * range).collect::<Vec<_>>(), &slope_rule)?;
    let linearity = (columns > 2).then(|| linearity(&x, &y, &slopes, rule.correlation)).transpose()?;
    let monotone = monotone(&y, slope.estimate, rule.correlation)?;
    let answer = answer(&total, linearity.as_ref(), &blocks::column_means(&y), rule);
    Ok(Trend { slope, total, linearity, monotone, answer })
}

/// The slope of each round, in the unit of [`Trend::slope`]: the series whose mean the trend is about.
///
/// # Errors
/// As [`trend`].
pub fn slopes(levels: &[f64], rounds: &[Vec<f64>]) -> Result<Vec<f64>, NoInterval> {
    let columns = blocks::check(rounds, 2)?;
    slopes_of(&blocks::log2_levels(levels, columns)?, &blocks::logs(rounds)?)
}

fn slopes_of(x: &[f64], y: &[Vec<f64>]) -> Result<Vec<f64>, NoInterval> {
    y.iter().map(|row| sample::slope(x, row).ok_or(NoInterval::NotFinite)).collect()
}

fn linearity(x: &[f64], y: &[Vec<f64>], slopes: &[f64], correlation: f64) -> Result<Linearity, NoInterval> {
    let centre = sample::mean(x).ok_or(NoInterval::NotFinite)?;
    let mut residuals = Vec::with_capacity(y.len());
    for (row, slope) in y.iter().zip(slopes) {
        let mean = sample::mean(row).ok_or(NoInterval::NotFinite)?;
        residuals.push(row.iter().zip(x).map(|(v, at)| v - mean - slope * (at - centre)).collect::<Vec<_>>());
    }
    let means: Vec<f64> = blocks::column_means(&residuals).iter().map(|mean| mean.abs()).collect();
    let departure_column = blocks::index_of_greatest(&means).ok_or(NoInterval::NotFinite)?;
    let p = blocks::analyse(&residuals, 2, correlation).p;
    Ok(Linearity { p, departure: means[departure_column].exp(), departure_column })
}

fn monotone(y: &[Vec<f64>], slope: f64, correlation: f64) -> Result<bool, NoInterval> {
    let columns = y.first().map_or(0, Vec::len);
    let mut steps = Vec::with_capacity(columns);
    let confidence = Confidence { level: 0.95, correlation };
    for column in 1..columns {
        steps.push(ratio_of_logs(&blocks::difference(y, column, column - 1), confidence)?);
    }
    let adjusted =
        holm(&steps.iter().map(|step| step.p).collect::<Vec<_>>()).map_err(|_| NoInterval::NotFinite)?;
    Ok(!steps.iter().zip(adjusted).any(|(step, p)| p <= SIGNIFICANCE && step.log_mean * slope < 0.0))
}

fn answer(total: &Decided, linearity: Option<&Linearity>, means: &[f64], rule: &Rule) -> Answer {
    let highest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = means.iter().copied().fold(f64::INFINITY, f64::min);
    let spread = highest - lowest;
    let Some(linearity) = linearity else { return total.answer };
    match total.answer {
        Answer::Different => Answer::Different,
        Answer::Equivalent | Answer::Undecided { .. }
            if linearity.p <= (1.0 - SLOPE_SHARE) * (1.0 - rule.level)
                && spread > rule.margin.ln().max(rule.noise_floor.ln()) =>
        {
            Answer::Different
        }
        Answer::Equivalent if spread > rule.margin.ln() => Answer::Undecided { rounds_needed: None },
        Answer::Equivalent => Answer::Equivalent,
        Answer::Undecided { rounds_needed } => Answer::Undecided { rounds_needed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    const LEVELS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

    /// Six rounds of `curve`, each with its own offset (drift) and a little noise that sums to zero.
    fn rounds(curve: [f64; 4], noise: f64) -> Vec<Vec<f64>> {
        let pattern = [0.9, -0.4, 0.3, -1.1, 0.7, -0.6, 0.2, 0.5, -0.8, 0.4, -0.1];
        (0..6)
            .map(|round| {
                let drift = 1.0 + 0.3 * round as f64;
                let value = |column: usize| {
                    curve[column] * drift * (noise * pattern[(round * 4 + column) % 11]).exp()
                };
                (0..4).map(value).collect()
            })
            .collect()
    }

    #[test]
    fn a_power_law_is_recovered_exactly() {
        let fit = trend(&LEVELS, &rounds([10.0, 20.0, 40.0, 80.0], 0.0), &Rule::for_asks(1, 1.0)).unwrap();
        assert_close(fit.slope.estimate, std::f64::consts::LN_2, 1e-9);
        assert_close(fit.total.ratio.interval.estimate, 8.0, 1e-9);
        assert_eq!((fit.answer, fit.monotone), (Answer::Different, true));
        assert_close(fit.linearity.unwrap().departure, 1.0, 1e-9);
    }

    #[test]
    fn flat_is_equivalent_although_rounds_drift() {
        let fit = trend(&LEVELS, &rounds([10.0; 4], 0.01), &Rule::for_asks(1, 1.0)).unwrap();
        assert_eq!(fit.answer, Answer::Equivalent);
    }

    #[test]
    fn a_hump_has_no_slope_and_is_an_effect_all_the_same() {
        let fit = trend(&LEVELS, &rounds([10.0, 14.0, 14.0, 10.0], 0.01), &Rule::for_asks(1, 1.0)).unwrap();
        assert_eq!(fit.total.answer, Answer::Equivalent);
        assert_eq!(fit.answer, Answer::Different);
        assert!(fit.linearity.unwrap().p < 1e-6);
    }

    #[test]
    fn a_step_back_is_not_monotone() {
        let fit = trend(&LEVELS, &rounds([10.0, 30.0, 20.0, 80.0], 0.01), &Rule::for_asks(1, 1.0)).unwrap();
        assert!(!fit.monotone);
    }

    #[test]
    fn incomplete_and_unordered_input_is_refused() {
        let rule = Rule::for_asks(1, 1.0);
        let table = rounds([10.0; 4], 0.01);
        assert_eq!(trend(&[1.0, 2.0, 4.0], &table, &rule), Err(NoInterval::Ragged));
        assert_eq!(trend(&[1.0, 4.0, 2.0, 8.0], &table, &rule), Err(NoInterval::LevelsNotIncreasing));
        assert_eq!(trend(&[0.0, 1.0, 2.0, 8.0], &table, &rule), Err(NoInterval::NotPositive));
        assert_eq!(trend(&LEVELS, &table[..5], &rule), Err(NoInterval::TooFew { n: 5, needed: 6 }));
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 24), a in any::<f64>(), b in any::<f64>()) {
            let table: Vec<Vec<f64>> = values.chunks(3).map(<[f64]>::to_vec).collect();
            let _ = trend(&[1.0, a, b], &table, &Rule::for_asks(1, 1.0));
        }
    }
}
