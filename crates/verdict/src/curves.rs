//! Latency curves: percentile against value of all trials merged, with a band by a bootstrap over trials.

use crate::verdict::CurvePoint;
use model::sidecar::Counts;
use stats::bootstrap::{RESAMPLES_MIN, Resamples, band};

/// Points of a curve per factor of ten in the share of operations above them.
const STEPS_PER_DECADE: u32 = 10;
/// No run has more than 10⁹ operations above its highest quantile.
const DECADES: u32 = 9;
const BAND_LEVEL: f64 = 0.95;
/// Any seed would do; it is fixed so that the same run always draws the same band.
const SEED: u64 = 0x5359_4e43_4c49_4e45;
/// With more trials than this the band is computed at the drawn quantiles only, so that a report of ten thousand trials
/// takes seconds.
const FINE_TRIALS_MAX: usize = 20;

/// The resamples that curves with the same number of trials share.
#[derive(Debug, Default)]
pub(crate) struct Bands {
    drawn: Option<Resamples>,
}

impl Bands {
    /// The resamples for this number of trials; `None` if there are too few for a band.
    fn for_trials(&mut self, trials: usize) -> Option<&Resamples> {
        if self.drawn.as_ref().is_none_or(|drawn| drawn.trials() != trials) {
            self.drawn = Resamples::draw(trials, RESAMPLES_MIN, SEED).ok();
        }
        self.drawn.as_ref()
    }
}

/// The curve of a configuration: quantiles with at least ten operations above them, dense in the tail.
pub(crate) fn points(trials: &[Counts], merged: &Counts, bands: &mut Bands) -> Vec<CurvePoint> {
    let quantiles = quantiles(total(merged));
    let values = at_quantiles(merged, &quantiles);
    // Too few trials for a band: only the curve.
    let resamples = bands.for_trials(trials.len());
    let band = resamples.and_then(|resamples| {
        let table = Cumulated::from_counts(trials, merged);
        let mut sums = vec![0.0; table.latencies.len()];
        band(resamples, |times| table.merged_at(times, &quantiles, &mut sums), BAND_LEVEL).ok()
    });
    let band = band.unwrap_or_default();
    let point = |(index, (quantile, nanos)): (usize, (&f64, u64))| {
        let value_us = nanos as f64 / 1e3;
        let bounds = band.get(index).map(|at| (at.low / 1e3, at.high / 1e3));
        let (low_us, high_us) = bounds.unwrap_or((value_us, value_us));
        CurvePoint {
            quantile: *quantile,
            value_us,
            low_us: low_us.min(value_us),
            high_us: high_us.max(value_us),
        }
    };
    quantiles.iter().zip(values).enumerate().map(point).collect()
}

/// A few quantiles of the lower half, then the upper half.
fn quantiles(operations: u64) -> Vec<f64> {
    let lower = [0.01, 0.05, 0.1, 0.2, 0.3, 0.4].into_iter();
    let reportable = lower.filter(|quantile| stats::quantile::reportable(*quantile, operations));
    reportable.chain(upper(operations, STEPS_PER_DECADE)).collect()
}

/// 1 − 10^(−k/steps) starting at the median, while ten operations lie above.
fn upper(operations: u64, steps_per_decade: u32) -> impl Iterator<Item = f64> {
    let steps = f64::from(steps_per_decade);
    let all = (0..=DECADES * steps_per_decade).map(move |step| 1.0 - 10f64.powf(-f64::from(step) / steps));
    all.filter(move |quantile| *quantile > 0.45 && stats::quantile::reportable(*quantile, operations))
}

/// The latency at each of these ascending quantiles, nanoseconds: the smallest that this share of operations does not
/// exceed.
fn at_quantiles(counts: &Counts, quantiles: &[f64]) -> Vec<u64> {
    let operations = total(counts) as f64;
    let mut steps = counts.iter();
    let (mut reached, mut value) = (0.0, 0);
    let at = |quantile: &f64| {
        while reached < (quantile * operations).ceil() {
            let Some((nanos, count)) = steps.next() else { break };
            reached += *count as f64;
            value = *nanos;
        }
        value
    };
    quantiles.iter().map(at).collect()
}

/// The operations of each trial up to each of some latencies: what merging a resample's histograms needs, without the
/// histograms.
struct Cumulated {
    /// Ascending latencies, nanoseconds.
    latencies: Vec<u64>,
    /// `trials[trial][latency]`: operations that took at most this long.
    trials: Vec<Vec<f64>>,
}

impl Cumulated {
    fn from_counts(trials: &[Counts], merged: &Counts) -> Self {
        let operations = total(merged);
        let mut latencies = at_quantiles(merged, &quantiles(operations));
        if trials.len() <= FINE_TRIALS_MAX {
            let percents: Vec<f64> = (1..=50).map(|percent| f64::from(percent) / 100.0).collect();
            latencies.extend(at_quantiles(merged, &percents));
            latencies
                .extend(at_quantiles(merged, &upper(operations, 2 * STEPS_PER_DECADE).collect::<Vec<_>>()));
            // The next smaller latency keeps interpolation from spreading many equal ones over the gap below them.
            let below = |nanos: &u64| merged.partition_point(|(value, _)| value < nanos).checked_sub(1);
            let smaller: Vec<u64> = latencies
                .iter()
                .filter_map(|nanos| merged.get(below(nanos)?))
                .map(|(value, _)| *value)
                .collect();
            latencies.extend(smaller);
        }
        latencies.extend(merged.first().map(|(nanos, _)| *nanos));
        latencies.extend(merged.last().map(|(nanos, _)| *nanos));
        latencies.sort_unstable();
        latencies.dedup();
        let trials = trials.iter().map(|counts| cumulate(counts, &latencies)).collect();
        Self { latencies, trials }
    }

    /// The quantiles of the trials' merged histograms, each taken `times` times, nanoseconds; `sums` is a work buffer.
    fn merged_at(&self, times: &[f64], quantiles: &[f64], sums: &mut [f64]) -> Vec<f64> {
        sums.fill(0.0);
        // A resample omits a third of the trials and contains others several times.
        let mut drawn = self.trials.iter().zip(times).filter(|(_, times)| **times > 0.0);
        // Two at a time, so that every sum is read and written half as often. Whole numbers have the same sum in any
        // order.
        while let Some((one, times)) = drawn.next() {
            if let Some((other, other_times)) = drawn.next() {
                for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
                    *sum += times * one + other_times * other;
                }
            } else {
                sums.iter_mut().zip(one).for_each(|(sum, operations)| *sum += times * operations);
            }
        }
        let operations = sums.last().copied().unwrap_or(0.0);
        // Quantiles ascend, and so do the sums: one pass finds them all.
        let mut above = 0;
        let at = |quantile: &f64| {
            let needed = (quantile * operations).ceil();
            while above + 1 < sums.len() && sums[above] < needed {
                above += 1;
            }
            self.interpolate(sums, above, needed)
        };
        quantiles.iter().map(at).collect()
    }

    /// The latency that this number of operations does not exceed; `above` is the index of the first sum that reaches
    /// it.
    fn interpolate(&self, sums: &[f64], above: usize, needed: f64) -> f64 {
        let at = |index: usize| Some((*sums.get(index)?, *self.latencies.get(index)? as f64));
        match (above.checked_sub(1).and_then(at), at(above)) {
            (Some((few, shorter)), Some((many, longer))) if many > few => {
                shorter + (longer - shorter) * ((needed - few) / (many - few)).clamp(0.0, 1.0)
            }
            (_, Some((_, longer))) => longer,
            (_, None) => 0.0,
        }
    }
}

fn cumulate(counts: &Counts, latencies: &[u64]) -> Vec<f64> {
    let mut steps = counts.iter().peekable();
    let mut operations = 0.0;
    let at = |latency: &u64| {
        while let Some((_, count)) = steps.next_if(|(nanos, _)| nanos <= latency) {
            operations += *count as f64;
        }
        operations
    };
    latencies.iter().map(at).collect()
}

/// Operations in a distribution.
fn total(counts: &Counts) -> u64 {
    counts.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(from: u64, to: u64) -> Counts {
        (from..to).map(|nanos| (nanos, 10)).collect()
    }

    #[test]
    fn a_curve_ends_where_fewer_than_ten_operations_lie_beyond() {
        let trials = vec![uniform(1, 1001)];
        let points = points(&trials, &trials[0], &mut Bands::default());
        let last = points.last().unwrap();
        assert!((last.quantile - 0.999).abs() < 1e-9, "{last:?}");
        assert!((last.value_us - 0.999).abs() < 1e-9);
        assert!(
            points.iter().all(|point| point.low_us.total_cmp(&point.high_us).is_eq()),
            "one trial has no band"
        );
    }

    #[test]
    fn the_band_shows_how_far_trials_differ() {
        let alike = vec![uniform(1000, 2000); 8];
        let merged: Counts = (1000..2000).map(|nanos| (nanos, 80)).collect();
        let flat = points(&alike, &merged, &mut Bands::default());
        assert!(flat.iter().all(|point| point.high_us - point.low_us <= 0.02 * point.value_us));
        let differing: Vec<Counts> =
            (0..8).map(|trial| uniform(1000 + 500 * trial, 2000 + 500 * trial)).collect();
        let mut merged: Counts = differing.concat();
        merged.sort_unstable();
        let wide = points(&differing, &merged, &mut Bands::default());
        let median = wide.iter().find(|point| point.quantile > 0.49).unwrap();
        assert!(median.high_us / median.low_us > 1.3, "{median:?}");
        assert!(wide.windows(2).all(|pair| pair[0].value_us <= pair[1].value_us));
    }

    /// The bands of 600 curves of 49 trials were resampled at five times as many latencies as are drawn.
    #[test]
    fn a_band_of_many_trials_is_computed_where_it_is_drawn() {
        let trials = vec![uniform(1, 5001); 49];
        let merged: Counts = (1..5001).map(|nanos| (nanos, 490)).collect();
        let drawn = quantiles(total(&merged)).len();
        assert!(Cumulated::from_counts(&trials, &merged).latencies.len() <= drawn + 2);
        assert!(
            Cumulated::from_counts(&trials[..6], &merged).latencies.len() > 2 * drawn,
            "few trials are resampled finely"
        );
        let mut bands = Bands::default();
        let first: *const Resamples = bands.for_trials(49).unwrap();
        assert!(std::ptr::eq(first, bands.for_trials(49).unwrap()), "drawn once");
    }
}
