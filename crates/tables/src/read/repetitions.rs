//! Several measurements of one row: their means, how far they lie apart, and what must be taken run by run.

use crate::role::Role;
use laws::{Claim, Estimate, Figure, Latency, LatencyFigure, Spread, SpreadKind};
use stats::interval::mean_interval;
use stats::sample;
use std::collections::BTreeMap;

/// Level of the intervals.
const LEVEL: f64 = 0.95;
/// Places that a row names one by one.
const PLACES_TOLD: usize = 4;

/// One measurement, with what tells whether another is a repetition of it; `None`: it stands alone.
pub(super) struct Single {
    pub(super) key: Option<String>,
    /// Its job's number, from 1.
    pub(super) number: usize,
    /// What follows the number in its place: `, reads`.
    pub(super) ending: &'static str,
    pub(super) row: Claim,
}

/// One row for all with the same key, in order of appearance, and a sentence for each that was put together.
pub(super) fn rows(singles: Vec<Single>) -> (Vec<Claim>, Vec<String>) {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Single>> = Vec::new();
    for mut single in singles {
        let place = match single.key.take() {
            Some(key) => *places.entry(key).or_insert(groups.len()),
            None => groups.len(),
        };
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(single);
    }
    let mut remarks = Vec::new();
    let mut rows = Vec::new();
    for mut group in groups {
        let place = place(&group);
        if group.len() == 1 {
            rows.extend(group.pop().map(|single| Claim { place, ..single.row }));
            continue;
        }
        let n = group.len();
        remarks.push(format!("{place} have one name and the same options: taken as {n} runs of one row."));
        rows.extend(mean_row(place, group.into_iter().map(|single| single.row).collect()));
    }
    (rows, remarks)
}

/// Interval of the mean, or the standard deviation where fewer runs are there than an interval takes.
fn spread(name: &str, values: &[f64]) -> Option<Spread> {
    let spread = |what: &str, kind, value| Spread {
        column: format!("{what} of {name}"),
        kind,
        figure: Figure::exact(value),
    };
    match mean_interval(values, LEVEL) {
        Ok(interval) => Some(spread("±", SpreadKind::HalfWidth, interval.half_width())),
        Err(_) => sample::standard_deviation(values)
            .map(|deviation| spread("sd", SpreadKind::StandardDeviation, deviation)),
    }
}

/// Operations in flight by Little's law, run by run: mean rate × mean latency is more than that wherever slow runs have
/// long latencies, which is always.
fn in_flight(runs: &[Claim]) -> Option<f64> {
    let product = |row: &Claim| Some(row.operations_per_s? * row.latency.mean_ns? / 1e9);
    sample::mean(&runs.iter().filter_map(product).collect::<Vec<_>>())
}

/// `job 1`, `jobs 1 to 6`, `jobs 1, 3, 5, 7 and 8 more`; then the ending.
fn place(group: &[Single]) -> String {
    let numbers: Vec<usize> = group.iter().map(|single| single.number).collect();
    let ending = group.first().map_or("", |single| single.ending);
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return String::new() };
    let told: Vec<String> = numbers.iter().take(PLACES_TOLD).map(usize::to_string).collect();
    let named = if numbers.len() == 1 {
        format!("job {first}")
    } else if numbers.len() > 2 && last - first + 1 == numbers.len() {
        format!("jobs {first} to {last}")
    } else if numbers.len() > PLACES_TOLD {
        format!("jobs {} and {} more", told.join(", "), numbers.len() - PLACES_TOLD)
    } else {
        format!("jobs {}", told.join(", "))
    };
    named + ending
}

/// Mean of a figure that every run has.
fn mean(runs: &[Claim], of: impl Fn(&Claim) -> Option<f64>) -> Option<f64> {
    values(runs, of).and_then(|values| sample::mean(&values))
}

fn values(runs: &[Claim], of: impl Fn(&Claim) -> Option<f64>) -> Option<Vec<f64>> {
    runs.iter().map(of).collect()
}

fn mean_row(place: String, runs: Vec<Claim>) -> Option<Claim> {
    let latency = mean_latency(&runs, |row| Some(&row.latency)).unwrap_or_default();
    let mut estimates = Vec::new();
    let mut estimate = |name: String, values: Option<Vec<f64>>| {
        let Some(values) = values else { return };
        let spread = spread(&name, &values);
        estimates.push(Estimate {
            same_as: Some(Role::number_of(&name).unwrap_or_else(|| name.clone())),
            column: name,
            figure: sample::mean(&values).map(Figure::exact),
            spread,
            median: None,
        });
    };
    estimate("iops".to_owned(), values(&runs, |row| row.operations_per_s));
    estimate("bandwidth_bytes_per_s".to_owned(), values(&runs, |row| row.bandwidth_bytes_per_s));
    estimate("latency_mean_ns".to_owned(), values(&runs, |row| row.latency.mean_ns));
    for percentile in &latency.percentiles {
        let of = |row: &Claim| row.latency.get(LatencyFigure::Percentile(percentile.quantile));
        estimate(format!("latency_{}_ns", percentile.name().replace('.', "_")), values(&runs, of));
    }
    Some(Claim {
        place,
        operations_per_s: mean(&runs, |row| row.operations_per_s),
        bandwidth_bytes_per_s: mean(&runs, |row| row.bandwidth_bytes_per_s),
        in_flight_accounted: in_flight(&runs).map(|accounted| (accounted, accounted)),
        page_cache_hit_share: mean(&runs, |row| row.page_cache_hit_share),
        latency,
        sync: mean_latency(&runs, |row| Some(&row.sync)).unwrap_or_default(),
        syncs_under_way: mean(&runs, |row| row.syncs_under_way),
        completion: mean_latency(&runs, |row| row.completion.as_ref()),
        estimates,
        n: Some(runs.len() as u64),
        operations: mean(&runs, |row| row.operations.map(|count| count as f64)).map(|count| count as u64),
        runtime_s: mean(&runs, |row| row.runtime_s),
        bins: bins(&runs),
        ..runs.into_iter().next()?
    })
}

/// Means of what every run has; the extremes are those of all runs.
fn mean_latency(runs: &[Claim], of: impl Fn(&Claim) -> Option<&Latency>) -> Option<Latency> {
    let lines: Vec<&Latency> = runs.iter().map(of).collect::<Option<_>>()?;
    let mut mean = Latency::default();
    for (figure, _) in lines.first()?.figures() {
        let values: Option<Vec<f64>> = lines.iter().map(|line| line.get(figure)).collect();
        let Some(values) = values else { continue };
        let value = match figure {
            LatencyFigure::Min => values.into_iter().reduce(f64::min),
            LatencyFigure::Max => values.into_iter().reduce(f64::max),
            LatencyFigure::Mean | LatencyFigure::StandardDeviation | LatencyFigure::Percentile(_) => {
                sample::mean(&values)
            }
        };
        mean.put(figure, value?);
    }
    Some(mean)
}

/// The histogram of all runs together.
fn bins(runs: &[Claim]) -> Vec<(f64, u64)> {
    let mut bins: Vec<(f64, u64)> = runs.iter().flat_map(|row| row.bins.iter().copied()).collect();
    bins.sort_by(|a, b| a.0.total_cmp(&b.0));
    bins.dedup_by(|later, kept| {
        let is_same = later.0.total_cmp(&kept.0).is_eq();
        if is_same {
            kept.1 = kept.1.saturating_add(later.1);
        }
        is_same
    });
    bins
}
