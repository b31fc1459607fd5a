//! Latency combs: completions that land on multiples of a period instead of when they happen.
//!
//! A timer tick, a polling interval or a coarse clock turns a smooth latency distribution into teeth at k·period. Such
//! data measure the clock. One narrow peak is not a comb however well it sits on a multiple: three teeth are needed,
//! each of them standing alone in its cell.

/// Half-width of a tooth, as a share of the period: smooth data put twice this share of their mass on teeth.
const TOOTH: f64 = 0.05;
/// Share of a cell's mass that must sit in its tooth; smooth data have 10 %.
const TOOTH_SHARE_MIN: f64 = 0.5;
/// Share of all operations that a tooth must hold to count.
const TOOTH_MASS_MIN: f64 = 0.01;
/// Teeth that make a comb.
const TEETH_MIN: usize = 3;
/// Share of all operations that must sit on teeth.
const COMB_SHARE_MIN: f64 = 0.3;
/// Fewest operations: with less, single operations pass for teeth.
const OPERATIONS_MIN: f64 = 1000.0;
/// Highest tooth that is looked for.
const TEETH_MAX: usize = 40;
/// Heaviest values that candidate periods are derived from.
const CANDIDATE_VALUES: usize = 16;

/// The strongest comb in a histogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comb {
    /// Its period, in the unit of the values.
    pub period: f64,
    pub teeth: usize,
    /// Share of all operations that sit on those teeth.
    pub share: f64,
    /// Share of all operations that smooth data would put there: a tenth of what lies in the teeth's cells.
    pub share_expected: f64,
}

/// Looks for a comb in `buckets` of (value, count), with `resolution` the relative width of a bucket (an HDR histogram
/// of three digits: 0.001). Periods finer than twenty buckets are not looked for: a histogram is itself a comb at that
/// scale. `None` when there is no comb, or fewer than 1000 operations to look at.
///
/// Candidates are the heaviest values divided by 1 to 40; each is refined by least squares over its teeth, and the
/// longest period within 5 % of the greatest share wins, because a comb's mass also sits on the comb of half its
/// period.
pub fn comb(buckets: &[(f64, u64)], resolution: f64) -> Option<Comb> {
    let total: f64 = buckets.iter().map(|bucket| bucket.1 as f64).sum();
    if total < OPERATIONS_MIN || !(0.0..1.0).contains(&resolution) {
        return None;
    }
    let mut usable: Vec<(f64, f64)> = buckets
        .iter()
        .filter(|(value, count)| value.is_finite() && *value > 0.0 && *count > 0)
        .map(|&(value, count)| (value, count as f64 / total))
        .collect();
    usable.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut heaviest = usable.clone();
    heaviest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.total_cmp(&b.0)));
    heaviest.truncate(CANDIDATE_VALUES);
    let mut found: Vec<Comb> = Vec::new();
    for (value, _) in heaviest {
        for tooth in 1..=TEETH_MAX {
            let rough = value / tooth as f64;
            found.extend(
                refine(&usable, rough, resolution).and_then(|period| assess(&usable, period, resolution)),
            );
        }
    }
    let greatest = found.iter().map(|comb| comb.share).fold(0.0, f64::max);
    found
        .into_iter()
        .filter(|comb| comb.share >= 0.95 * greatest)
        .max_by(|a, b| a.period.total_cmp(&b.period))
}

/// Values that teeth of `period` could be distinguished at, with the number of their nearest tooth (0: below the first
/// cell). For ascending values those are the first few.
fn toothed(
    buckets: &[(f64, f64)],
    period: f64,
    resolution: f64,
) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
    let resolvable = buckets.partition_point(|(value, _)| value * resolution <= TOOTH * period);
    buckets[..resolvable].iter().filter_map(move |&(value, mass)| {
        // Values and periods are positive, so cutting half more off rounds; `round` is a call of its own for each
        // value.
        let tooth = (value / period + 0.5) as usize;
        (1..=TEETH_MAX).contains(&tooth).then_some((tooth, value, mass))
    })
}

/// The period that fits the teeth near `period` best: Σ mass·k·value ÷ Σ mass·k² over the mass within the teeth.
fn refine(buckets: &[(f64, f64)], period: f64, resolution: f64) -> Option<f64> {
    let (mut joint, mut square) = (0.0, 0.0);
    for (tooth, value, mass) in toothed(buckets, period, resolution) {
        let k = tooth as f64;
        if (value - k * period).abs() <= TOOTH * period {
            joint += mass * k * value;
            square += mass * k * k;
        }
    }
    let refined = joint / square;
    (refined.is_finite() && refined > 0.0).then_some(refined)
}

/// Counts the teeth of `period`; `None` unless they make a comb.
fn assess(buckets: &[(f64, f64)], period: f64, resolution: f64) -> Option<Comb> {
    let mut cells = vec![(0.0, 0.0); TEETH_MAX + 1];
    for (tooth, value, mass) in toothed(buckets, period, resolution) {
        cells[tooth].1 += mass;
        if (value - tooth as f64 * period).abs() <= TOOTH * period {
            cells[tooth].0 += mass;
        }
    }
    let stands = |cell: &&(f64, f64)| cell.0 >= TOOTH_MASS_MIN && cell.0 >= TOOTH_SHARE_MIN * cell.1;
    let teeth = cells.iter().filter(stands).count();
    let share: f64 = cells.iter().filter(stands).map(|cell| cell.0).sum();
    let share_expected = 2.0 * TOOTH * cells.iter().filter(stands).map(|cell| cell.1).sum::<f64>();
    (teeth >= TEETH_MIN && share >= COMB_SHARE_MIN).then_some(Comb { period, teeth, share, share_expected })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::assert_close;
    use proptest::prelude::*;

    const RESOLUTION: f64 = 0.001;

    /// Buckets of relative width 0.001 with `density(value)` operations per unit.
    fn histogram(from: f64, to: f64, density: impl Fn(f64) -> f64) -> Vec<(f64, u64)> {
        let mut buckets = Vec::new();
        let mut value = from;
        while value < to {
            buckets.push((value, (density(value) * value * RESOLUTION).round() as u64));
            value *= 1.0 + RESOLUTION;
        }
        buckets
    }

    fn peak(value: f64, centre: f64, sd: f64) -> f64 {
        1e6 * (-0.5 * ((value - centre) / sd).powi(2)).exp()
    }

    #[test]
    fn a_timer_tick_of_four_milliseconds_is_found() {
        let buckets = [(4.0, 500), (8.0, 300), (12.0, 100), (16.0, 80), (20.0, 20)];
        let found = comb(&buckets, RESOLUTION).unwrap();
        assert_close(found.period, 4.0, 1e-9);
        assert_eq!(found.teeth, 5);
        assert!(found.share > 0.99 && found.share_expected < 0.11);
    }

    /// 600 histograms were searched from end to end for each of 640 periods.
    #[test]
    fn only_values_that_a_period_can_tell_apart_are_looked_at() {
        let buckets: Vec<(f64, f64)> = (1..=1000).map(|step| (f64::from(step), 1.0)).collect();
        assert_eq!(toothed(&buckets, 2.0, 0.005).count(), 20);
        assert_eq!(toothed(&buckets, 0.05, 0.005).count(), 0);
    }

    #[test]
    fn the_order_of_the_buckets_is_of_no_matter() {
        let mut buckets = [(4.0, 500), (8.0, 300), (12.0, 100), (16.0, 80), (20.0, 20)];
        let ascending = comb(&buckets, RESOLUTION);
        buckets.reverse();
        assert_eq!(comb(&buckets, RESOLUTION), ascending);
    }

    #[test]
    fn teeth_may_be_blurred_and_stand_on_smooth_ground() {
        let buckets = histogram(0.3, 9.0, |v| {
            1e5 * (-v).exp() + (1..=6).map(|k| peak(v, f64::from(k), 0.015) / f64::from(k)).sum::<f64>()
        });
        let found = comb(&buckets, RESOLUTION).unwrap();
        assert_close(found.period, 1.0, 2e-3);
    }

    #[test]
    fn smooth_and_narrow_and_bimodal_are_no_combs() {
        for (name, buckets) in [
            ("log-normal", histogram(0.01, 100.0, |v| 1e6 / v * (-0.5 * (v.ln() / 0.5).powi(2)).exp())),
            ("exponential", histogram(0.001, 30.0, |v| 1e6 * (-v).exp())),
            ("one narrow peak", histogram(9.0, 11.0, |v| peak(v, 10.0, 0.02))),
            ("one spike", vec![(10.0, 100_000)]),
            ("hit and miss", histogram(0.01, 20.0, |v| peak(v, 0.1, 0.005) * 10.0 + peak(v, 5.0, 0.5))),
            ("uniform", histogram(0.5, 50.0, |_| 1e5)),
        ] {
            assert_eq!(comb(&buckets, RESOLUTION), None, "{name}");
        }
    }

    #[test]
    fn empty_and_odd_input_has_no_comb() {
        assert_eq!(comb(&[], RESOLUTION), None);
        assert_eq!(comb(&[(f64::NAN, 5000), (-1.0, 5000), (f64::INFINITY, 5000)], RESOLUTION), None);
        assert_eq!(comb(&[(1.0, 5000)], f64::NAN), None);
    }

    proptest! {
        #[test]
        fn never_panics(buckets in proptest::collection::vec((any::<f64>(), any::<u64>()), 0..40), resolution in any::<f64>()) {
            let _ = comb(&buckets, resolution);
        }

        #[test]
        fn the_unit_does_not_matter(scale in 1e-6..1e6f64) {
            let buckets: Vec<_> = (1..6).map(|k| (f64::from(k) * scale, 1000)).collect();
            let found = comb(&buckets, RESOLUTION).unwrap();
            prop_assert!((found.period / scale - 1.0).abs() < 1e-9);
        }
    }
}
