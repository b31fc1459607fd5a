//! One estimate from several groups that differ (hosts, devices, placements): a random-effects mean.

use crate::distribution::student_two_sided;
use crate::interval::{Interval, NoInterval};

/// Fewest groups: with two, the spread between groups has one degree of freedom and the interval says nothing.
pub const GROUPS_MIN: usize = 3;

/// A group's estimate and its standard error, both on the scale that is pooled (log ratios, for ratios).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    pub estimate: f64,
    /// Standard error, above zero.
    pub standard_error: f64,
}

/// The pooled estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pooled {
    /// Mean over groups, with a Hartung–Knapp interval; its `n` counts groups.
    pub mean: Interval,
    /// Standard deviation of the true values between groups (τ), same scale.
    pub between_sd: f64,
    /// Share of the variation that is between groups rather than within (I²), 0 to 1.
    pub heterogeneity: f64,
}

/// Pools groups by `DerSimonian` & Laird's random effects, with the interval of Hartung & Knapp (t with k − 1 degrees
/// of freedom, never narrower than the plain one), which holds its level with few groups.
///
/// Sources: `DerSimonian` & Laird, *Meta-analysis in clinical trials*, Control. Clin. Trials 1986; Hartung & Knapp, *A
/// refined method for the meta-analysis of controlled clinical trials*, Stat. Med. 2001.
///
/// # Errors
/// [`NoInterval`] for fewer than three groups, standard errors that are not positive, values that are not finite, or a
/// `level` outside (0, 1).
pub fn pool(groups: &[Group], level: f64) -> Result<Pooled, NoInterval> {
    let n = groups.len();
    if n < GROUPS_MIN {
        return Err(NoInterval::TooFewColumns { n, needed: GROUPS_MIN });
    }
    if groups.iter().any(|group| !group.estimate.is_finite() || !group.standard_error.is_finite()) {
        return Err(NoInterval::NotFinite);
    }
    if groups.iter().any(|group| group.standard_error <= 0.0) {
        return Err(NoInterval::NotPositive);
    }
    let freedom = (n - 1) as f64;
    let within = weigh(groups, 0.0);
    let squares: f64 = groups.iter().map(|group| group.standard_error.powi(-4)).sum();
    let between = ((within.q - freedom) / (within.weight - squares / within.weight)).max(0.0);
    let pooled = weigh(groups, between);
    let scale = (pooled.q / freedom).max(1.0);
    let error = (scale / pooled.weight).sqrt();
    let half_width = student_two_sided(level, freedom).ok_or(NoInterval::OutOfRange)? * error;
    let mean = Interval {
        estimate: pooled.mean,
        low: pooled.mean - half_width,
        high: pooled.mean + half_width,
        level,
        n,
    };
    let heterogeneity = if within.q > freedom { (within.q - freedom) / within.q } else { 0.0 };
    let between_sd = between.sqrt();
    if !between_sd.is_finite() || !heterogeneity.is_finite() {
        return Err(NoInterval::NotFinite);
    }
    Ok(Pooled { mean: mean.finite()?, between_sd, heterogeneity })
}

struct Weighted {
    weight: f64,
    mean: f64,
    /// Weighted sum of squares around the mean (Cochran's Q if `between` is zero).
    q: f64,
}

fn weigh(groups: &[Group], between: f64) -> Weighted {
    let weights: Vec<f64> = groups.iter().map(|g| 1.0 / (g.standard_error.powi(2) + between)).collect();
    let weight: f64 = weights.iter().sum();
    let mean = groups.iter().zip(&weights).map(|(g, w)| w * g.estimate).sum::<f64>() / weight;
    let q = groups.iter().zip(&weights).map(|(g, w)| w * (g.estimate - mean).powi(2)).sum();
    Weighted { weight, mean, q }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    fn groups(pairs: &[(f64, f64)]) -> Vec<Group> {
        pairs.iter().map(|&(estimate, standard_error)| Group { estimate, standard_error }).collect()
    }

    /// Expected figures: the same formulas in numpy 2.4.6, from the papers.
    #[test]
    fn pooling_matches_numpy() {
        let pooled = pool(&groups(&[(0.10, 0.02), (0.25, 0.04), (0.05, 0.03), (0.18, 0.025)]), 0.95).unwrap();
        assert_close(pooled.between_sd, 0.069_133_589_974_675_81, 1e-9);
        assert_close(pooled.mean.estimate, 0.141_511_741_675_593_22, 1e-9);
        assert_close(pooled.mean.low, 0.004_966_677_487_160_509, 1e-6);
        assert_close(pooled.heterogeneity, 0.865_757_232_081_530_2, 1e-9);
    }

    #[test]
    fn groups_that_agree_have_nothing_between_them() {
        let pooled = pool(&groups(&[(0.1, 0.02); 4]), 0.95).unwrap();
        assert_close(pooled.mean.estimate, 0.1, 1e-12);
        assert!(pooled.between_sd.abs() < 1e-12 && pooled.mean.half_width() > 0.0);
    }

    proptest! {
        #[test]
        fn never_panics(pairs in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..10), level in any::<f64>()) {
            let _ = pool(&groups(&pairs), level);
        }
    }
}
