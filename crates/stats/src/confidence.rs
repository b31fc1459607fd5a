//! What an interval has to hold: its level, and the correlation of neighbouring rounds that it allows for.

/// Effective rounds that an interval is never narrower than, however alike neighbouring rounds are: so few rounds could
/// not show a stronger dependence, and with it every interval would be without bounds.
const ROUNDS_LEAST: f64 = 1.5;

/// Confidence of an interval over rounds. A plain level means independent rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// Coverage probability, between 0 and 1.
    pub level: f64,
    /// Correlation of neighbouring rounds, [`crate::dependence::Dependence::counted`]; 0 for independent rounds.
    pub correlation: f64,
}

impl From<f64> for Confidence {
    fn from(level: f64) -> Self {
        Self { level, correlation: 0.0 }
    }
}

impl Confidence {
    /// The same correlation at another level.
    #[must_use]
    pub fn at(self, level: f64) -> Self {
        Self { level, ..self }
    }

    /// Factor of the half width of an interval over `n` rounds.
    pub fn widening(self, n: usize) -> f64 {
        widening(self.correlation, n)
    }
}

/// By how much the standard error of a mean exceeds s/√n if rounds k apart correlate by `correlation`ᵏ: at least 1.
///
/// The mean of n such values has the variance V·σ²/n with V = 1 + 2·Σ(1 − k/n)·ρᵏ, and s² is σ²·(n − V)/(n − 1) on
/// average, because the values also lie closer to their own mean. So the factor is √(V·(n − 1)/(n − V)), at most
/// √(n/1.5).
///
/// Source: Bayley & Hammersley, *The "effective" number of independent observations in an autocorrelated time series*,
/// JRSS Supplement 1946.
pub fn widening(correlation: f64, n: usize) -> f64 {
    let (rho, n) = (correlation, n as f64);
    if rho.is_nan() || rho <= 0.0 {
        return 1.0;
    }
    if rho >= 1.0 {
        return (n / ROUNDS_LEAST).sqrt().max(1.0);
    }
    let sum = rho / (1.0 - rho) - rho * (1.0 - rho.powf(n)) / (n * (1.0 - rho).powi(2));
    let inflation = (1.0 + 2.0 * sum).min(n);
    (inflation * (n - 1.0) / (n - inflation)).min(n / ROUNDS_LEAST).max(1.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    /// Expected figures: numpy 2.4.6, the sum term by term.
    #[test]
    fn the_factor_is_that_of_the_sum() {
        assert_close(widening(0.7, 12), 2.518_283_749_1, 1e-6);
        assert_close(widening(0.3, 6), 1.379_001_327_7, 1e-6);
        assert_close(widening(0.0, 6), 1.0, 0.0);
        assert_close(widening(0.9, 6), 2.0, 1e-12);
    }

    #[test]
    fn many_rounds_need_the_factor_of_the_textbook() {
        assert_close(widening(0.5, 100_000), 3.0_f64.sqrt(), 1e-4);
    }

    proptest! {
        #[test]
        fn it_rises_with_the_correlation_and_never_makes_more_rounds_worth_less(
            rho in any::<f64>(), step in 0.0..0.5f64, n in 6..500usize
        ) {
            prop_assert!(widening(rho, n) >= 1.0 && widening(rho + step, n) >= widening(rho, n) - 1e-9);
            let error = |n: usize| widening(rho, n) / (n as f64).sqrt();
            prop_assert!(error(n + 1) <= error(n) + 1e-12);
        }
    }
}
