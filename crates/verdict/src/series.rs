//! Operations over the time of a trial, its configuration's trials side by side: filling caches, stalls, steady state.

use crate::verdict::{Series, SeriesPoint};
use model::sidecar::Sidecar;
use model::trial::TrialRecord;

/// The maximum number of points of one line: more cannot be distinguished.
const POINTS_MAX: usize = 300;

/// One trial's operations, interval by interval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OverTime {
    interval_s: f64,
    operations: Vec<f64>,
}

impl OverTime {
    /// The series of one trial; `None` if no interval was completed.
    pub(crate) fn from_sidecar(sidecar: &Sidecar, record: &TrialRecord, families: &[String]) -> Option<Self> {
        let whole = whole_intervals(sidecar, record, families)?;
        let operations = whole.iter().map(|count| *count as f64).collect();
        (!whole.is_empty()).then_some(Self { interval_s: sidecar.interval_s, operations })
    }

    /// The same operations in intervals of this length, a multiple of its own: recorders only double theirs.
    fn coarsened(&self, interval_s: f64) -> Vec<f64> {
        let merged = (interval_s / self.interval_s).round().max(1.0) as usize;
        self.operations.chunks_exact(merged).map(|chunk| chunk.iter().sum()).collect()
    }
}

/// Operations of the first family that has a series, in each interval that lies wholly within the measurement; the last
/// one rarely does. `None` if the intervals are not valid lengths.
pub(crate) fn whole_intervals<'a>(
    sidecar: &'a Sidecar,
    record: &TrialRecord,
    families: &[String],
) -> Option<&'a [u64]> {
    let all = every_interval(sidecar, families)?;
    let duration_s = record.measurement.as_ref()?.phases.first()?.duration_s;
    let whole = (duration_s / sidecar.interval_s + 1e-6) as usize;
    Some(&all[..whole.min(all.len())])
}

/// Operations of the first family that has a series; `None` if its intervals are not valid lengths.
pub(crate) fn every_interval<'a>(sidecar: &'a Sidecar, families: &[String]) -> Option<&'a [u64]> {
    let series = families.iter().find_map(|family| sidecar.series.get(family))?;
    (sidecar.interval_s > 0.0 && sidecar.interval_s <= 60.0).then_some(series)
}

/// The line and the band of one configuration, up to the end of the shortest of its trials: otherwise the mean would
/// jump where a trial ends.
pub(crate) fn of_configuration(configuration: usize, label: String, trials: &[OverTime]) -> Option<Series> {
    let interval_s = trials.iter().map(|trial| trial.interval_s).reduce(f64::max)?;
    let count = trials.len();
    let trials: Vec<Vec<f64>> = trials.iter().map(|trial| trial.coarsened(interval_s)).collect();
    let intervals = trials.iter().map(Vec::len).min().filter(|intervals| *intervals > 0)?;
    let merged = intervals.div_ceil(POINTS_MAX);
    let point = |start: usize| {
        let end = (start + merged).min(intervals);
        let rates = || trials.iter().flat_map(|trial| &trial[start..end]).map(|count| count / interval_s);
        SeriesPoint {
            start_s: start as f64 * interval_s,
            mean_per_s: rates().sum::<f64>() / (count * (end - start)) as f64,
            low_per_s: rates().fold(f64::INFINITY, f64::min),
            high_per_s: rates().fold(0.0, f64::max),
        }
    };
    Some(Series {
        configuration,
        label,
        interval_s,
        trials: count,
        points: (0..intervals).step_by(merged).map(point).collect(),
        end_s: intervals as f64 * interval_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(interval_s: f64, operations: impl IntoIterator<Item = u64>) -> OverTime {
        OverTime { interval_s, operations: operations.into_iter().map(|count| count as f64).collect() }
    }

    fn series(trials: &[OverTime]) -> Series {
        of_configuration(0, "mode=direct".to_owned(), trials).unwrap()
    }

    #[test]
    fn a_line_is_the_mean_and_a_band_the_extremes() {
        let series = series(&[trial(0.1, [100, 200]), trial(0.1, [300, 200])]);
        let points: Vec<_> =
            series.points.iter().map(|point| [point.mean_per_s, point.low_per_s, point.high_per_s]).collect();
        assert_eq!(points, [[2000.0, 1000.0, 3000.0], [2000.0, 2000.0, 2000.0]]);
        assert_eq!((series.trials, series.points[1].start_s), (2, 0.1));
    }

    #[test]
    fn the_shortest_trial_ends_the_line() {
        let series = series(&[trial(0.1, [10; 9]), trial(0.1, [20; 4])]);
        assert_eq!(series.points.len(), 4);
        assert!(series.points.iter().all(|point| (point.mean_per_s - 150.0).abs() < 1e-9));
        assert!(of_configuration(0, String::new(), &[]).is_none());
    }

    /// A stall of one interval would vanish in the mean of many.
    #[test]
    fn a_stall_stays_in_the_band_of_a_long_series() {
        let stalled = (0..3000).map(|interval| if interval == 1234 { 0 } else { 50 });
        let series = series(&[trial(0.1, stalled)]);
        assert_eq!(series.points.len(), POINTS_MAX);
        let stall = &series.points[123];
        assert!(stall.mean_per_s > 400.0 && stall.low_per_s == 0.0, "{stall:?}");
        assert!((series.end_s - 300.0).abs() < 1e-9);
    }

    #[test]
    fn intervals_that_a_recorder_doubled_are_met() {
        let series = series(&[trial(0.1, [10, 30, 20, 20, 7]), trial(0.2, [40, 40])]);
        assert!((series.interval_s - 0.2).abs() < 1e-9);
        let means: Vec<f64> = series.points.iter().map(|point| point.mean_per_s).collect();
        assert_eq!(means, [200.0, 200.0]);
    }
}
