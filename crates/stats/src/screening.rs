//! Screening many hosts for few that are worse than the rest: the spread of the rest by median and MAD, and one host
//! against a limit.
//!
//! Values are logarithms in which greater is better, so a slow host has a low value. Median and MAD break down only if
//! half of the hosts are slow; mean and standard deviation would hide one slow host among ten.

use crate::distribution::{student_upper, student_upper_p};
use crate::interval::NoInterval;
use crate::{interval, sample};

/// Fewest hosts whose spread is judged: six are left as controls if two are suspects.
pub const HOSTS_MIN: usize = 8;

/// Hosts for one degree of freedom: the MAD of normal values varies as the standard deviation of 0.37 times as many
/// does. Source: Rousseeuw & Croux, *Alternatives to the median absolute deviation*, J. Amer. Statist. Assoc. 1993
/// (efficiency 36.7 %).
const HOSTS_PER_FREEDOM: f64 = 2.72;

/// The spread of hosts around their median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    /// Standard deviation over hosts, estimated by the MAD: 1.4826·MAD, corrected for few hosts. If more than half of
    /// the hosts are equal the MAD is zero, and the mean absolute deviation takes its place, as for [`crate::outlier`].
    pub deviation: f64,
    pub hosts: usize,
}

impl Spread {
    /// The spread of these hosts.
    ///
    /// # Errors
    /// [`NoInterval`] for fewer than [`HOSTS_MIN`] hosts or values that are not finite.
    pub fn of(values: &[f64]) -> Result<Self, NoInterval> {
        let hosts = values.len();
        if hosts < HOSTS_MIN {
            return Err(NoInterval::TooFew { n: hosts, needed: HOSTS_MIN });
        }
        let median = sample::median(values).ok_or(NoInterval::NotFinite)?;
        let distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        let mad = sample::median(&distances).ok_or(NoInterval::NotFinite)?;
        let deviation = if mad > 0.0 {
            mad / 0.674_5 * small_sample_factor(hosts)
        } else {
            1.253_314 * sample::mean(&distances).ok_or(NoInterval::NotFinite)?
        };
        Ok(Self { median, deviation, hosts })
    }

    /// Chance that a host of this spread is as low as `value`: a t distribution, because the spread itself is an
    /// estimate.
    pub fn below_p(&self, value: f64) -> f64 {
        let distance = self.median - value;
        if self.deviation <= 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        student_upper_p(distance / self.deviation, self.freedom())
    }

    /// The value below which a host of this spread lies with chance `p`; `None` unless `1e-12 <= p <= 0.5`.
    pub fn lower_limit(&self, p: f64) -> Option<f64> {
        Some(self.median - student_upper(p, self.freedom())? * self.deviation)
    }

    fn freedom(&self) -> f64 {
        self.hosts as f64 / HOSTS_PER_FREEDOM
    }
}

/// What the MAD of few normal values is too small by.
/// Source: Croux & Rousseeuw, *Time-efficient algorithms for two highly robust estimators of scale*, COMPSTAT 1992.
fn small_sample_factor(n: usize) -> f64 {
    match n {
        8 => 1.129,
        9 => 1.107,
        n => n as f64 / (n as f64 - 0.8),
    }
}

/// One-sided p-value of the hypothesis that the mean of these values is not below `limit`, by Student's t. Equal values
/// show what a sign test shows: 2⁻ⁿ.
///
/// # Errors
/// [`NoInterval`] for fewer than six values or values that are not finite.
pub fn below_limit_p(values: &[f64], limit: f64) -> Result<f64, NoInterval> {
    let n = values.len();
    if n < interval::TRIALS_MIN {
        return Err(NoInterval::TooFew { n, needed: interval::TRIALS_MIN });
    }
    if !limit.is_finite() {
        return Err(NoInterval::NotFinite);
    }
    let mean = sample::mean(values).ok_or(NoInterval::NotFinite)?;
    let deviation = sample::standard_deviation(values).ok_or(NoInterval::NotFinite)?;
    let error = deviation / (n as f64).sqrt();
    if interval::are_equal_logs(deviation) {
        return Ok(if mean < limit { 0.5_f64.powf(n as f64) } else { 1.0 });
    }
    Ok(student_upper_p((limit - mean) / error, (n - 1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use crate::family::holm;
    use proptest::prelude::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
        let uniform =
            |random: &mut Xoshiro256PlusPlus| ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
    }

    /// Median 5, MAD 2 by hand.
    #[test]
    fn a_spread_follows_its_definition() {
        let spread = Spread::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).unwrap();
        assert_close(spread.median, 5.0, 1e-12);
        assert_close(spread.deviation, 2.0 / 0.6745 * 1.107, 1e-12);
        let limit = spread.lower_limit(0.001).unwrap();
        assert_close(spread.below_p(limit), 0.001, 1e-6);
        assert_close(spread.below_p(5.0), 0.5, 1e-12);
    }

    #[test]
    fn a_slow_host_does_not_widen_the_spread() {
        let mut values: Vec<f64> = (0..20).map(|host| f64::from(host) * 0.001).collect();
        values[0] = -0.7;
        let spread = Spread::of(&values).unwrap();
        assert!(spread.deviation < 0.01 && spread.below_p(-0.7) < 1e-6, "{spread:?}");
    }

    #[test]
    fn few_hosts_are_not_judged() {
        assert_eq!(Spread::of(&[1.0; 7]), Err(NoInterval::TooFew { n: 7, needed: 8 }));
        let equal = Spread::of(&[1.0; 8]).unwrap();
        assert_close(equal.deviation, 0.0, 0.0);
        assert_close(equal.below_p(1.0), 1.0, 0.0);
    }

    /// By hand: t = −0.0918 with 5 degrees of freedom, in the closed form of Abramowitz & Stegun, 26.7.3.
    #[test]
    fn a_host_against_a_limit_follows_students_distribution() {
        let p = below_limit_p(&[3.1, 4.7, 2.2, 9.8, 5.5, 4.1], 5.0).unwrap();
        assert_close(p, 0.465_201_541_356_875_4, 1e-9);
        assert_close(below_limit_p(&[1.0; 6], 2.0).unwrap(), 1.0 / 64.0, 1e-12);
        assert_close(below_limit_p(&[1.0; 6], 1.0).unwrap(), 1.0, 1e-12);
        assert!(below_limit_p(&[1.0; 5], 2.0).is_err());
    }

    /// Holm over hosts keeps the chance that any host of a normal fleet is screened near 5 %, also in small fleets.
    #[test]
    fn normal_fleets_are_seldom_screened() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
        for (hosts, fleets) in [(8, 4000), (12, 3000), (20, 2000), (50, 1000), (200, 500)] {
            let mut screened = 0;
            for _ in 0..fleets {
                let values: Vec<f64> = (0..hosts).map(|_| normal(&mut random)).collect();
                let spread = Spread::of(&values).unwrap();
                let p_values: Vec<f64> = values.iter().map(|value| spread.below_p(*value)).collect();
                screened += usize::from(holm(&p_values).unwrap().iter().any(|p| *p <= 0.05));
            }
            let share = screened as f64 / f64::from(fleets);
            println!("{hosts} hosts: {:.1} % of fleets", share * 100.0);
            assert!(share <= 0.08, "{hosts} hosts: {share}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(values in proptest::collection::vec(any::<f64>(), 0..20), limit in any::<f64>()) {
            let _ = below_limit_p(&values, limit);
            if let Ok(spread) = Spread::of(&values) {
                let p = spread.below_p(limit);
                prop_assert!((0.0..=1.0).contains(&p));
            }
        }
    }
}
