//! Trials of our own, one row per configuration: means over trials, with t intervals where six or more are there.
//!
//! A figure is given where every trial has it: the mean p99.9 of the few trials with operations enough may lie above the mean
//! p99.99 of fewer.

use super::repetitions;
use crate::latency::{Latency, Percentile};
use crate::table::{Arrivals, Cache, Direction, Estimate, Row, Setting, Sync};
use model::every_trial::MEMORY_CAP;
use model::metric::{STATISTICS, Statistic};
use model::{Configuration, MemoryCap, Value};
use stats::sample;
use std::collections::{BTreeMap, BTreeSet};

/// Figures that are named as left out.
const NAMES_TOLD: usize = 6;

/// What one trial measured.
#[derive(Clone, Debug, Default)]
pub(super) struct TrialFigures {
    pub(super) study: String,
    pub(super) values: Configuration,
    pub(super) metrics: BTreeMap<String, f64>,
}

/// Trials by configuration, in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Configurations {
    places: BTreeMap<String, usize>,
    groups: Vec<Vec<TrialFigures>>,
}

impl Configurations {
    pub(super) fn add(&mut self, trial: TrialFigures) {
        let key = format!("{}\n{}", trial.study, trial.values);
        let place = *self.places.entry(key).or_insert_with(|| {
            self.groups.push(Vec::new());
            self.groups.len() - 1
        });
        self.groups[place].push(trial);
    }

    /// One row each.
    pub(super) fn rows(&self) -> Vec<Row> {
        let varying = self.varying();
        let rows = self.groups.iter().enumerate();
        rows.filter_map(|(index, group)| row(index, group, &varying)).collect()
    }

    /// A sentence about figures that some of a row's trials have and some do not.
    pub(super) fn left_out(&self) -> Option<String> {
        let of = |group: &Vec<TrialFigures>| -> Vec<String> {
            let names: BTreeSet<&String> = group.iter().flat_map(|trial| trial.metrics.keys()).collect();
            names.into_iter().filter(|name| complete(group, name).is_none()).cloned().collect()
        };
        let names: BTreeSet<String> = self.groups.iter().flat_map(of).collect();
        let told: Vec<&str> = names.iter().take(NAMES_TOLD).map(String::as_str).collect();
        let more = names.len() - told.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!told.is_empty()).then(|| {
            format!("Left out of rows where not every trial could give them: {}{more}.", told.join(", "))
        })
    }

    /// Parameters that differ between configurations of a study: they name the rows.
    fn varying(&self) -> BTreeSet<(String, String)> {
        let mut levels: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for trial in self.groups.iter().filter_map(|group| group.first()) {
            for (name, value) in &trial.values.0 {
                levels.entry((&trial.study, name)).or_default().insert(value.to_string());
            }
        }
        let several = levels.into_iter().filter(|(_, levels)| levels.len() > 1);
        several.map(|((study, name), _)| (study.to_owned(), name.to_owned())).collect()
    }
}

fn row(index: usize, group: &[TrialFigures], varying: &BTreeSet<(String, String)>) -> Option<Row> {
    let first = group.first()?;
    let named = varying.iter().filter(|(study, _)| *study == first.study).map(|(_, name)| name.as_str());
    let label = format!("{} {}", first.study, first.values.label(named));
    let mean = |name: &str| complete(group, name).and_then(|values| sample::mean(&values));
    // Our own workloads: the device workload's operations, or a commit study's page reads.
    let (rate, family) = if first.metrics.contains_key("iops") {
        ("iops", "completion_latency")
    } else {
        ("reads_per_s", "read_latency")
    };
    let metrics: BTreeSet<&String> = group.iter().flat_map(|trial| trial.metrics.keys()).collect();
    let shown = metrics.into_iter().filter_map(|name| estimate(group, name, rate, family)).collect();
    let setting = setting(first, rate);
    Some(Row {
        label: label.trim().to_owned(),
        place: format!("configuration {}", index + 1),
        operations_per_s: mean(rate),
        bandwidth_bytes_per_s: mean("bandwidth_bytes_per_s"),
        latency: latency(group, family),
        in_flight_accounted: (group.len() > 1).then(|| in_flight(group, rate, family)).flatten(),
        page_cache_hit_share: mean("page_cache_hit_share"),
        estimates: shown,
        n: Some(group.len() as u64),
        study: Some(first.study.clone()),
        setting,
        ..Row::default()
    })
}

fn figure(trial: &TrialFigures, name: &str) -> Option<f64> {
    trial.metrics.get(name).copied().filter(|value| value.is_finite())
}

/// Each trial's figure; `None` where one has none.
fn complete(group: &[TrialFigures], name: &str) -> Option<Vec<f64>> {
    group.iter().map(|trial| figure(trial, name)).collect()
}

fn in_flight(group: &[TrialFigures], rate: &str, family: &str) -> Option<f64> {
    let mean = format!("{family}_mean_us");
    let runs =
        group.iter().map(|trial| (figure(trial, rate), figure(trial, &mean).map(|micros| micros * 1e3)));
    repetitions::in_flight(runs)
}

fn latency(group: &[TrialFigures], family: &str) -> Latency {
    let mut latency = Latency::default();
    for (name, statistic) in STATISTICS {
        let value_ns = complete(group, &format!("{family}_{name}_us"))
            .and_then(|values| sample::mean(&values))
            .map(|micros| micros * 1e3);
        match (statistic, value_ns) {
            (Statistic::Mean, _) => latency.mean_ns = value_ns,
            (Statistic::StandardDeviation, _) => latency.sd_ns = value_ns,
            (Statistic::Max, _) => latency.max_ns = value_ns,
            (Statistic::Quantile(quantile), Some(value_ns)) => {
                latency.percentiles.push(Percentile { quantile: *quantile, value_ns });
            }
            (Statistic::Quantile(_), None) => {}
        }
    }
    latency
}

fn estimate(group: &[TrialFigures], name: &str, rate: &str, family: &str) -> Option<Estimate> {
    let values = complete(group, name)?;
    let spread = repetitions::spread(name, &values);
    let is_field = name == rate || name == "bandwidth_bytes_per_s" || name.starts_with(family);
    Some(Estimate {
        column: name.to_owned(),
        same_as: is_field.then(|| name.to_owned()),
        value: sample::mean(&values),
        spread,
        median: None,
        step: 0.0,
    })
}

fn setting(trial: &TrialFigures, rate: &str) -> Setting {
    let values = &trial.values;
    let is_device = rate == "iops";
    let pattern = if is_device { values.text("rw").ok() } else { Some("randread".to_owned()) };
    let depth = if is_device { "iodepth" } else { "read_depth" };
    let jobs = if is_device { "numjobs" } else { "committers" };
    let open = matches!(values.get("rate_iops"), Some(Value::Count(_) | Value::Number(_)));
    let arrivals = is_device.then_some(if open { Arrivals::Open } else { Arrivals::Closed });
    let known = [
        "rw",
        depth,
        jobs,
        "mode",
        "bs",
        "page_size",
        "ioengine",
        "end_fsync",
        "fdatasync",
        "size",
        MEMORY_CAP,
    ];
    let knobs = values.0.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    let direction: Option<Direction> =
        pattern.as_deref().and_then(|pattern| Direction::from_pattern(pattern).ok());
    let file_bytes = values.bytes("size").ok();
    Setting {
        direction,
        mode: mode(values, is_device),
        block_bytes: values.bytes(if is_device { "bs" } else { "page_size" }).ok(),
        iodepth: values.count(depth).ok(),
        numjobs: values.count(jobs).ok(),
        engine: values.text("ioengine").ok(),
        sync: sync(values),
        file_bytes,
        memory_cap_bytes: cap(values.get(MEMORY_CAP), file_bytes),
        arrivals,
        knobs: knobs.map(|(name, value)| (name.clone(), value.to_string())).collect(),
        pattern,
        cache: cache(values),
        ..Setting::default()
    }
}

/// The mode of what the rate counts: a commit study's page reads may have one of their own.
fn mode(values: &Configuration, is_device: bool) -> Option<model::IoMode> {
    let own = if is_device { None } else { values.io_mode("data_mode").ok() };
    own.or_else(|| values.io_mode("mode").ok())
}

/// How the device workload syncs what it writes.
fn sync(values: &Configuration) -> Option<Sync> {
    let at_end = values.flag("end_fsync").ok()?;
    Some(match values.count("fdatasync") {
        Ok(1) => Sync::Fdatasync,
        Ok(0) | Err(_) if !at_end => Sync::Never,
        Ok(_) | Err(_) => Sync::Later,
    })
}

/// What the preparation made of the page cache and proved.
fn cache(values: &Configuration) -> Option<Cache> {
    match values.text("cache").ok()?.as_str() {
        "cold" => Some(Cache::Cold),
        "warm" => Some(Cache::Warm),
        _ => None,
    }
}

/// The cap in bytes; a percentage is one of the file, if there is one.
fn cap(value: Option<&Value>, file_bytes: Option<u64>) -> Option<u64> {
    match MemoryCap::from_level(value?)? {
        MemoryCap::Bytes(bytes) => Some(bytes),
        cap @ MemoryCap::Percent(_) => Some(cap.bytes(file_bytes?)),
    }
}
