//! Syncline's own trials, one row per configuration: means over trials, with t intervals if there are six or more.
//!
//! A figure is given if every trial has it: the mean p99.9 of the few trials with operations enough may lie above the mean
//! p99.99 of fewer.

use super::repetitions;
use crate::latency::{Latency, Percentile};
use crate::role::Role;
use crate::table::{Arrivals, Cache, Direction, Estimate, Row, Setting};
use model::Description;
use model::description::{self, Load, Rate, Stream};
use model::metric::{STATISTICS, Statistic};
use model::study::ARM_FACTOR;
use stats::sample;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Figures that are named as left out.
const NAMES_TOLD: usize = 6;

/// What one trial measured.
#[derive(Clone, Debug, Default)]
pub(super) struct TrialFigures {
    pub(super) study: String,
    /// Its parameters' levels, as they were printed.
    pub(super) levels: BTreeMap<String, String>,
    pub(super) metrics: BTreeMap<String, f64>,
}

/// Trials of one configuration.
#[derive(Debug)]
struct Group {
    /// What it is; `None` if no workload here has its parameters.
    description: Option<Description>,
    trials: Vec<TrialFigures>,
}

/// Trials by configuration, in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Configurations {
    places: BTreeMap<String, usize>,
    groups: Vec<Group>,
    /// Studies with configurations that nobody here can describe, and why.
    undescribed: BTreeMap<String, String>,
}

impl Configurations {
    pub(super) fn add(&mut self, trial: TrialFigures) {
        let key = format!("{}\n{}", trial.study, label(&trial.levels, |_| true));
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => self.begin(key, &trial),
        };
        self.groups[place].trials.push(trial);
    }

    fn begin(&mut self, key: String, trial: &TrialFigures) -> usize {
        let description = describe(&trial.levels);
        if let Err(what) = &description {
            self.undescribed.entry(trial.study.clone()).or_insert_with(|| what.clone());
        }
        self.groups.push(Group { description: description.ok(), trials: Vec::new() });
        self.places.insert(key, self.groups.len() - 1);
        self.groups.len() - 1
    }

    /// Sentences about studies whose rows have no settings.
    pub(super) fn undescribed(&self) -> impl Iterator<Item = String> {
        self.undescribed.iter().map(|(study, what)| {
            format!("The settings of study {study} are unknown here: {what}. Its rows are judged by their figures.")
        })
    }

    /// One row each.
    pub(super) fn rows(&self) -> Vec<Row> {
        let varying = self.varying();
        let rows = self.groups.iter().enumerate();
        rows.filter_map(|(index, group)| row(index, group, &varying)).collect()
    }

    /// A sentence about figures that some of a row's trials have and some do not.
    pub(super) fn left_out(&self) -> Option<String> {
        let of = |group: &Group| -> Vec<String> {
            let trials = &group.trials;
            let names: BTreeSet<&String> = trials.iter().flat_map(|trial| trial.metrics.keys()).collect();
            names.into_iter().filter(|name| complete(trials, name).is_none()).cloned().collect()
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
        let mut levels: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for trial in self.groups.iter().filter_map(|group| group.trials.first()) {
            for (name, level) in &trial.levels {
                levels.entry((&trial.study, name)).or_default().insert(level);
            }
        }
        let several = levels.into_iter().filter(|(_, levels)| levels.len() > 1);
        several.map(|((study, name), _)| (study.to_owned(), name.to_owned())).collect()
    }
}

fn row(index: usize, group: &Group, varying: &BTreeSet<(String, String)>) -> Option<Row> {
    let (description, group) = (group.description.as_ref(), group.trials.as_slice());
    let first = group.first()?;
    let is_named = |name: &str| varying.contains(&(first.study.clone(), name.to_owned()));
    let label = format!("{} {}", first.study, label(&first.levels, is_named));
    let mean = |name: &str| complete(group, name).and_then(|values| sample::mean(&values));
    let (rate, family) = description.and_then(metrics).unwrap_or_default();
    let names: BTreeSet<&String> = group.iter().flat_map(|trial| trial.metrics.keys()).collect();
    let shown = names.into_iter().filter_map(|name| estimate(group, name, rate, family)).collect();
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
        setting: setting(&first.levels, description),
        ..Row::default()
    })
}

/// These of the levels, as `name=level` pairs.
fn label(levels: &BTreeMap<String, String>, is_named: impl Fn(&str) -> bool) -> String {
    let named = levels.iter().filter(|(name, _)| is_named(name));
    named.map(|(name, level)| format!("{name}={level}")).collect::<Vec<_>>().join(" ")
}

fn figure(trial: &TrialFigures, name: &str) -> Option<f64> {
    trial.metrics.get(name).copied().filter(|value| value.is_finite())
}

/// Each trial's figure; `None` if one has none.
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
    let is_latency = !family.is_empty() && name.starts_with(family);
    let is_field = name == rate || name == "bandwidth_bytes_per_s" || is_latency;
    Some(Estimate {
        column: name.to_owned(),
        same_as: is_field.then(|| Role::number_of(name).unwrap_or_else(|| name.to_owned())),
        value: sample::mean(&values),
        spread,
        median: None,
        step: 0.0,
    })
}

/// What a configuration is. The name of an arm is the study's own, and no parameter.
fn describe(levels: &BTreeMap<String, String>) -> Result<Description, String> {
    let mut parameters = levels.clone();
    parameters.remove(ARM_FACTOR);
    workload::export::describe(&parameters)
}

/// What the configuration is, by its description; its parameters are what somebody chose.
fn setting(levels: &BTreeMap<String, String>, description: Option<&Description>) -> Setting {
    let knobs = Arc::new(levels.clone());
    let Some(description) = description else {
        return Setting { knobs, ..Setting::default() };
    };
    let role = operations(description).and_then(|load| load.role.as_deref());
    let streams = || description.streams.iter().filter(|stream| role.is_none_or(|role| stream.role == role));
    let depth = description.depth.as_ref().map(|depth| depth.operations);
    Setting {
        pattern: pattern(streams()),
        direction: direction(streams()),
        mode: streams().next().map(|stream| stream.mode),
        block_bytes: one(streams().map(|stream| stream.block_bytes)),
        iodepth: depth,
        numjobs: Some(description.threads),
        in_flight: streams().next().and_then(|stream| stream.in_flight_max).filter(|_| depth.is_none()),
        synced: Some(description.syncs),
        durability: description.durability,
        file_bytes: description.data_bytes,
        memory_cap_bytes: description.memory_cap_bytes,
        cache: cache(description.cache),
        arrivals: arrivals(description),
        knobs,
        knobs_are_complete: true,
        ..Setting::default()
    }
}

/// The operations that a row is about: those on the data, or on the log if there are no others.
fn operations(description: &Description) -> Option<&Load> {
    let on = |role: &str| description.figures.loads.iter().find(|load| load.role.as_deref() == Some(role));
    on("data").or_else(|| description.figures.loads.iter().find(|load| load.role.is_some()))
}

/// The metric of a load's operations per second, and its latency's family.
fn metrics(description: &Description) -> Option<(&str, &str)> {
    let load = operations(description)?;
    match load.rates.as_slice() {
        [Rate::Every { metric, operations: 1 }] => Some((metric, &load.latency)),
        _ => None,
    }
}

fn direction<'a>(streams: impl Iterator<Item = &'a Stream>) -> Option<Direction> {
    let directions: Vec<description::Direction> = streams.map(|stream| stream.direction).collect();
    let has = |direction| directions.contains(&direction);
    match (has(description::Direction::Read), has(description::Direction::Write)) {
        (true, true) => Some(Direction::Mixed),
        (true, false) => Some(Direction::Read),
        (false, true) => Some(Direction::Write),
        (false, false) => None,
    }
}

/// fio's name of what these operations do.
fn pattern<'a>(streams: impl Iterator<Item = &'a Stream> + Clone) -> Option<String> {
    let is_random = streams.clone().next()?.is_random?;
    let name = match (direction(streams)?, is_random) {
        (Direction::Read, false) => "read",
        (Direction::Read, true) => "randread",
        (Direction::Write, false) => "write",
        (Direction::Write, true) => "randwrite",
        (Direction::Mixed, false) => "rw",
        (Direction::Mixed, true) => "randrw",
    };
    Some(name.to_owned())
}

/// What all of them are.
fn one(mut sizes: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let first = sizes.next()??;
    sizes.all(|size| size == Some(first)).then_some(first)
}

/// What the preparation made of the page cache and proved.
const fn cache(asked: model::Cache) -> Option<Cache> {
    match asked {
        model::Cache::Cold => Some(Cache::Cold),
        model::Cache::Warm => Some(Cache::Warm),
        model::Cache::AsIs => None,
    }
}

/// A depth that a parameter sets is kept, unless a schedule decides.
fn arrivals(description: &Description) -> Option<Arrivals> {
    match (&description.arrivals, &description.depth) {
        (Some(_), _) => Some(Arrivals::Open),
        (None, Some(_)) => Some(Arrivals::Closed),
        (None, None) => None,
    }
}
