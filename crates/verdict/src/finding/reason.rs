//! Why something cannot be assessed. Like every error, the text is a clause.

use super::unlike::UnlikeEngines;
use model::Value;
use model::durability::DurabilityClass;
use serde::{Serialize, Serializer};
use stats::NoInterval;
use thiserror::Error;

/// Why an ask cannot be answered from these records.
#[derive(Clone, Debug, PartialEq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The plan has no such factor.
    #[error("{0} is not a factor of this study")]
    NotAFactor(String),
    /// There is nothing to compare, rank or follow.
    #[error("{0} has one level only")]
    OneLevel(String),
    /// A crossover without a factor whose levels are the two arms.
    #[error("the ask names no factor whose levels are the two arms")]
    NoArms,
    /// A level has no place on an axis.
    #[error("{factor} = {level} is not a number")]
    NotANumber { factor: String, level: Value },
    /// Levels of two units have no order.
    #[error("{factor} = {one} and {other} do not share a unit")]
    UnlikeUnits {
        factor: String,
        one: Value,
        /// A level with another unit.
        other: Value,
    },
    /// The metric is explanatory, and neither direction is better.
    #[error("the metric is explanatory, so no level is best")]
    NotJudged,
    /// A threshold without a limit.
    #[error("the ask names no limit")]
    NoLimit,
    /// A ratio of zero.
    #[error("the metric is zero in a trial, and zero has no ratio")]
    Zero,
    /// A configuration whose trials do not have the metric.
    #[error("{configuration} has no value: {why}")]
    NoValue {
        configuration: String,
        /// The reason in its records.
        why: String,
    },
    /// A configuration without a successful trial.
    #[error("{configuration} has no value: {why}")]
    NoTrial {
        configuration: String,
        /// The outcome of its trials.
        why: String,
    },
    /// The plan lacks the partner of every configuration.
    #[error("no two configurations of the plan differ in this factor alone")]
    NoPair,
    /// Every round lacks a trial.
    #[error("no round has a value for every arm")]
    NoCompleteRound,
    /// The arms time different work, in the words of the audit comparable-metric.
    #[error("{0}")]
    NotComparable(String),
    /// Engines that were not used alike: the audit same-knobs refuses to rank them.
    #[error("{0}")]
    UnlikeEngines(UnlikeEngines),
    /// References of durability classes are missing.
    #[error("{}", listed(.0))]
    NoReference(Vec<NoReference>),
    /// The statistics give no interval.
    #[error("{0}")]
    NoInterval(#[serde(serialize_with = "as_text")] NoInterval),
    /// The same, of one level.
    #[error("at level {level}: {why}")]
    NoIntervalAt {
        level: Value,
        #[serde(serialize_with = "as_text")]
        why: NoInterval,
    },
}

/// Why a level has no reference of its durability class, or is not one.
#[derive(Clone, Debug, PartialEq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum NoReference {
    /// The plan has no such level.
    #[error("{0} is left out of this run")]
    LeftOut(String),
    /// Two references of one class.
    #[error("{level} and {other} both have class {class}")]
    SameClass {
        level: Value,
        class: DurabilityClass,
        /// The reference of that class.
        other: Value,
    },
    /// Nothing was measured at the level.
    #[error("no trial of {level} succeeded{}", because(.why.as_deref()))]
    NotMeasured {
        level: Value,
        /// The reason in its records, if there are any.
        why: Option<String>,
    },
    /// Trials of a level disagree.
    #[error("trials of {level} declare {}", crate::durability::names(.classes))]
    SeveralClasses {
        level: Value,
        /// The classes that they declare.
        classes: Vec<DurabilityClass>,
    },
    /// No reference has the level's class.
    #[error("{level} has class {class}, which has no reference in this run{}", among(.missing))]
    ClassWithout {
        level: Value,
        class: DurabilityClass,
        /// Why references are missing.
        missing: Vec<NoReference>,
    },
}

impl From<NoInterval> for Reason {
    fn from(why: NoInterval) -> Self {
        Self::NoInterval(why)
    }
}

fn listed(missing: &[NoReference]) -> String {
    missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn among(missing: &[NoReference]) -> String {
    if missing.is_empty() { String::new() } else { format!(" ({})", listed(missing)) }
}

fn because(why: Option<&str>) -> String {
    why.map_or_else(String::new, |why| format!(": {why}"))
}

fn as_text<S: Serializer>(why: &NoInterval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}
