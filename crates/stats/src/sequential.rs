//! Stopping before all rounds are run: by precision, or at fixed looks with alpha spending. Never by peeking.

use crate::contrast::Ratio;
use crate::distribution::{normal_cdf, normal_quantile};
use crate::interval::TRIALS_MIN;

/// Whether a ratio is known precisely enough to stop: the half-width of its log interval, as a ratio minus 1, is at
/// most `relative_target` (0.02: ±2 %). The place of the ratio plays no part, so stopping here does not favour any
/// answer; the interval's coverage nevertheless suffers a little, because small spreads stop early
/// (`docs/statistics.md`).
pub fn precise_enough(ratio: &Ratio, relative_target: f64) -> bool {
    let width = ratio.interval.high / ratio.interval.low;
    width.is_finite() && width.sqrt() - 1.0 <= relative_target
}

/// How the total α is spent over the course of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// Little at first, almost all at the end: each side spends 2·(1 − Φ(z(1 − α/4)/√t)) of its α/2.
    OBrienFleming,
    /// Evenly: α·ln(1 + (e − 1)·t).
    Pocock,
}

impl Spending {
    /// Type I error spent up to information fraction `fraction` (rounds done ÷ rounds planned), of `alpha` in all.
    fn spent(self, alpha: f64, fraction: f64) -> Option<f64> {
        match self {
            Self::OBrienFleming => {
                Some(4.0 * normal_cdf(-normal_quantile(1.0 - alpha / 4.0)? / fraction.sqrt()))
            }
            Self::Pocock => Some(alpha * (std::f64::consts::E - 1.0).mul_add(fraction, 1.0).ln()),
        }
    }
}

/// One planned look at the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Rounds done ÷ rounds planned.
    pub fraction: f64,
    /// Total α spent up to and including this look.
    pub spent: f64,
    /// Two-sided boundary for the standardised effect.
    pub boundary: f64,
    /// The same as a p-value: stop when the two-sided p is at most this.
    pub nominal_alpha: f64,
}

/// Why looks cannot be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoLooks {
    /// Fractions must rise strictly within (0, 1].
    #[error(
        "the looks must come at increasing fractions of the study, above 0 and at most 1, the first after at least six \
         rounds"
    )]
    Fractions,
    /// α must lie between 1e-6 and 0.5.
    #[error("alpha must lie between 0.000001 and 0.5")]
    Alpha,
}

/// Boundaries of two-sided tests at fixed looks, at `fractions` of the planned rounds, that keep the overall type I
/// error at `alpha`: Lan & `DeMets`' spending functions, with the exact recursive integration over the looks (not
/// Bonferroni on the increments, which would waste most of the α that correlated looks share).
///
/// The theory is for a normal statistic with known spread. For t tests on few rounds use [`plan_rounds`].
///
/// Sources: Lan & `DeMets`, *Discrete sequential boundaries for clinical trials*, Biometrika 1983; Armitage,
/// `McPherson` & Rowe,
/// *Repeated significance tests on accumulating data*, JRSS A 1969.
///
/// # Errors
/// [`NoLooks`] for fractions that do not rise within (0, 1] (or are none), or an `alpha` out of range.
pub fn plan_looks(fractions: &[f64], alpha: f64, spending: Spending) -> Result<Vec<Look>, NoLooks> {
    let rising = fractions.windows(2).all(|pair| pair[0] < pair[1]);
    let within = fractions.iter().all(|&fraction| fraction > 0.0 && fraction <= 1.0);
    if fractions.is_empty() || !rising || !within {
        return Err(NoLooks::Fractions);
    }
    if !(1e-6..0.5).contains(&alpha) {
        return Err(NoLooks::Alpha);
    }
    let mut looks: Vec<Look> = Vec::with_capacity(fractions.len());
    let mut density: Option<Density> = None;
    let mut before = (0.0, 0.0);
    for &fraction in fractions {
        let spent = spending.spent(alpha, fraction).ok_or(NoLooks::Alpha)?;
        let sd = (fraction - before.0).sqrt();
        // Tiny increments underflow the integration; z = 8 (p = 1e-15) never stops a study either.
        let boundary = bisect_boundary((spent - before.1).max(0.0), |z| match &density {
            None => 2.0 * normal_cdf(-z),
            Some(density) => density.crossing(z * fraction.sqrt(), sd),
        });
        density = Some(match density {
            None => Density::first(boundary * fraction.sqrt(), sd),
            Some(density) => density.next(boundary * fraction.sqrt(), sd),
        });
        looks.push(Look { fraction, spent, boundary, nominal_alpha: 2.0 * normal_cdf(-boundary) });
        before = (fraction, spent);
    }
    Ok(looks)
}

/// Share of α that t tests may spend. Entering boundaries made for a known spread by their p-values, five looks at 6,
/// 12 … 30 rounds err in 5.2 % (O'Brien–Fleming) and 5.5 % (Pocock) of null studies; with this share they stay below 5
/// % (`tests/simulation/stopping.rs`). The excess is known: Jennison & Turnbull, *Group Sequential Methods*, 2000.
const T_TEST_SHARE: f64 = 0.9;

/// [`plan_looks`] for paired t tests after `rounds` rounds, the last of which is the whole study: stop when the
/// contrast's p is at most the look's `nominal_alpha`.
///
/// # Errors
/// As [`plan_looks`]; also when the first look comes before six rounds ([`NoLooks::Fractions`]).
pub fn plan_rounds(rounds: &[usize], alpha: f64, spending: Spending) -> Result<Vec<Look>, NoLooks> {
    let total = rounds.last().copied().unwrap_or(0);
    if rounds.first().is_none_or(|&first| first < TRIALS_MIN) {
        return Err(NoLooks::Fractions);
    }
    let fractions: Vec<f64> = rounds.iter().map(|&done| done as f64 / total as f64).collect();
    plan_looks(&fractions, T_TEST_SHARE * alpha, spending)
}

/// The z in [0, 8] at which `exceeded(z)`, decreasing, equals `target`.
fn bisect_boundary(target: f64, exceeded: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if exceeded(middle) > target { low = middle } else { high = middle }
    }
    high
}

/// Density of the sum process B(t) = Z(t)·√t at a look, over the paths that have not stopped; on a Simpson grid.
struct Density {
    points: Vec<f64>,
    /// Density times Simpson weight.
    weighted: Vec<f64>,
}

/// Intervals of the Simpson grid (even); doubling it changes boundaries in the sixth digit.
const GRID: usize = 240;

impl Density {
    fn on_grid(bound: f64, density: impl Fn(f64) -> f64) -> Self {
        let step = 2.0 * bound / GRID as f64;
        let points: Vec<f64> = (0..=GRID).map(|index| step.mul_add(index as f64, -bound)).collect();
        let weight = |index: usize| match index {
            0 | GRID => step / 3.0,
            odd if odd % 2 == 1 => 4.0 * step / 3.0,
            _ => 2.0 * step / 3.0,
        };
        let weighted =
            points.iter().enumerate().map(|(index, &point)| weight(index) * density(point)).collect();
        Self { points, weighted }
    }

    fn first(bound: f64, sd: f64) -> Self {
        Self::on_grid(bound, |value| normal_density(value / sd) / sd)
    }

    fn next(&self, bound: f64, sd: f64) -> Self {
        Self::on_grid(bound, |value| self.integrate(|from| normal_density((value - from) / sd) / sd))
    }

    /// Probability to go on until this look and then be outside ±`bound` at the next.
    fn crossing(&self, bound: f64, sd: f64) -> f64 {
        self.integrate(|from| normal_cdf((from - bound) / sd) + normal_cdf((-bound - from) / sd))
    }

    fn integrate(&self, function: impl Fn(f64) -> f64) -> f64 {
        self.points.iter().zip(&self.weighted).map(|(&point, weighted)| weighted * function(point)).sum()
    }
}

fn normal_density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contrast::paired_ratio;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    const FIFTHS: [f64; 5] = [0.2, 0.4, 0.6, 0.8, 1.0];

    fn boundaries(spending: Spending) -> Vec<f64> {
        plan_looks(&FIFTHS, 0.05, spending).unwrap().iter().map(|look| look.boundary).collect()
    }

    /// The boundaries usually printed for five equal looks at two-sided 5 %. Checked independently: scipy 1.17.1's
    /// `multivariate_normal.cdf` over them (correlations √(tᵢ/tⱼ)) leaves outside what the spending functions allow.
    #[test]
    fn boundaries_match_the_usual_tables() {
        for (value, expected) in
            boundaries(Spending::OBrienFleming).iter().zip([4.8769, 3.3569, 2.6803, 2.2898, 2.0310])
        {
            assert_close(*value, expected, 5e-4);
        }
        for (value, expected) in
            boundaries(Spending::Pocock).iter().zip([2.4380, 2.4268, 2.4101, 2.3966, 2.3859])
        {
            assert_close(*value, expected, 5e-4);
        }
    }

    #[test]
    fn one_look_is_an_ordinary_test() {
        let looks = plan_looks(&[1.0], 0.05, Spending::OBrienFleming).unwrap();
        assert_close(looks[0].nominal_alpha, 0.05, 1e-6);
    }

    #[test]
    fn looks_that_make_no_sense_are_refused() {
        for fractions in [&[][..], &[0.5, 0.5], &[0.0, 1.0], &[0.5, 1.1], &[f64::NAN]] {
            assert_eq!(plan_looks(fractions, 0.05, Spending::Pocock), Err(NoLooks::Fractions));
        }
        assert_eq!(plan_looks(&[1.0], f64::NAN, Spending::Pocock), Err(NoLooks::Alpha));
        assert_eq!(plan_rounds(&[5, 10], 0.05, Spending::Pocock), Err(NoLooks::Fractions));
        assert_eq!(plan_rounds(&[], 0.05, Spending::Pocock), Err(NoLooks::Fractions));
    }

    #[test]
    fn precision_looks_at_the_width_only() {
        let rounds = [(1.0, 2.0), (1.0, 2.02), (1.0, 1.98), (1.0, 2.01), (1.0, 1.99), (1.0, 2.0)];
        let ratio = paired_ratio(&rounds, 0.95).unwrap();
        assert!(
            precise_enough(&ratio, 0.02)
                && !precise_enough(&ratio, 0.001)
                && !precise_enough(&ratio, f64::NAN)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn nominal_levels_never_exceed_alpha(first in 0.05..0.5f64, second in 0.55..0.95f64, alpha in 0.001..0.2f64) {
            for spending in [Spending::OBrienFleming, Spending::Pocock] {
                for look in plan_looks(&[first, second, 1.0], alpha, spending).unwrap() {
                    prop_assert!(look.nominal_alpha <= alpha * 1.001 && look.spent <= alpha * 1.000_001);
                }
            }
        }
    }
}
