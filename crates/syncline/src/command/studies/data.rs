//! Studies as data: what `syncline studies --format json` prints.

use super::questions::title_of;
use lab::minimum::planned;
use lab::plan::{Overrides, resolve};
use model::Schema;
use model::metric;
use model::parameter::Parameter;
use model::study::{Ask, Profile, Study};
use serde::Serialize;
use std::collections::BTreeMap;

/// A study in the list.
#[derive(Serialize)]
pub(super) struct Summary<'a> {
    name: &'a str,
    question: &'a str,
    /// The question of users that it is a part of.
    topic: &'static str,
    workload: &'a str,
    profiles: Vec<&'a str>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(study: &'a Study) -> Self {
        Self {
            name: &study.name,
            question: &study.question,
            topic: title_of(&study.name),
            workload: &study.workload,
            profiles: study.profiles.keys().map(String::as_str).collect(),
        }
    }
}

/// Everything about a study.
#[derive(Serialize)]
pub(super) struct Details<'a> {
    name: &'a str,
    question: &'a str,
    about: &'a str,
    workload: &'a str,
    baseline: &'a BTreeMap<String, String>,
    factors: Vec<FactorDetails<'a>>,
    arms: &'a [BTreeMap<String, String>],
    asks: &'a [Ask],
    profiles: BTreeMap<&'a str, ProfileDetails<'a>>,
    parameters: Vec<ParameterDetails<'a>>,
    metrics: Vec<MetricDetails>,
}

#[derive(Serialize)]
struct FactorDetails<'a> {
    name: &'a str,
    levels: &'a [String],
}

#[derive(Serialize)]
struct ProfileDetails<'a> {
    rounds: Option<u32>,
    warmup_rounds: Option<u32>,
    factors: Vec<FactorDetails<'a>>,
    fixed: &'a BTreeMap<String, String>,
    /// Warm-up rounds and the A/A arm included; absent if the profile cannot be resolved.
    trials: Option<usize>,
    measuring_s_min: Option<f64>,
    measuring_s_max: Option<f64>,
    /// Seconds within which everything ends, as the profile states; `null` if it states nothing.
    stated_s: Option<f64>,
}

#[derive(Serialize)]
struct ParameterDetails<'a> {
    name: &'a str,
    default: &'a str,
    values: String,
    help: &'a str,
}

#[derive(Serialize)]
struct MetricDetails {
    /// The family's name. Each statistic of a latency is a metric: `NAME_p50_us`.
    name: &'static str,
    unit: &'static str,
    statistics: Vec<&'static str>,
    help: &'static str,
}

impl<'a> Details<'a> {
    pub(super) fn new(study: &'a Study, schema: &Schema) -> Self {
        let profiles = study.profiles.iter();
        let families = metric::FAMILIES.iter().filter(|family| schema.metrics.contains(&family.name));
        Self {
            name: &study.name,
            question: &study.question,
            about: &study.about,
            workload: &study.workload,
            baseline: &study.baseline,
            factors: factors(&study.factors),
            arms: &study.arms,
            asks: &study.asks,
            profiles: profiles
                .map(|(name, made)| (name.as_str(), profile(study, schema, name, made)))
                .collect(),
            parameters: schema.all().map(|parameter| parameter_details(parameter, study)).collect(),
            metrics: families.map(metric_details).collect(),
        }
    }
}

fn factors(factors: &[(String, Vec<String>)]) -> Vec<FactorDetails<'_>> {
    factors.iter().map(|(name, levels)| FactorDetails { name, levels }).collect()
}

fn profile<'a>(study: &Study, schema: &Schema, name: &str, profile: &'a Profile) -> ProfileDetails<'a> {
    let overrides = Overrides { profile: Some(name.to_owned()), ..Overrides::default() };
    let planned = resolve(study, schema, &overrides).ok().map(|plan| planned(&plan));
    ProfileDetails {
        rounds: profile.rounds,
        warmup_rounds: profile.warmup_rounds,
        factors: factors(&profile.factors),
        fixed: &profile.fixed,
        trials: planned.map(|planned| planned.trials),
        measuring_s_min: planned.map(|planned| planned.seconds_min),
        measuring_s_max: planned.map(|planned| planned.seconds_max),
        stated_s: planned.and_then(|planned| planned.seconds_stated),
    }
}

fn parameter_details<'a>(parameter: &Parameter, study: &'a Study) -> ParameterDetails<'a> {
    ParameterDetails {
        name: parameter.name,
        default: study.fixed.get(parameter.name).map_or(parameter.default, String::as_str),
        values: parameter.values(),
        help: parameter.help,
    }
}

fn metric_details(family: &metric::Family) -> MetricDetails {
    let statistics = metric::STATISTICS.iter().map(|(name, _)| *name);
    MetricDetails {
        name: family.name,
        unit: family.unit.name(),
        statistics: if family.distribution { statistics.collect() } else { Vec::new() },
        help: family.help,
    }
}
