//! Why a row of a comparison has no answer, and what a reader has to know about the comparison, as data.

use crate::run_remark::RunRemark;
use serde::{Serialize, Serializer};
use stats::NoInterval;

/// Why a row has no answer, or what limits it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowReason {
    /// One side has no value.
    NoValue {
        /// `A` or `B`.
        side: char,
        /// What its records say.
        why: String,
    },
    /// An acknowledged write survives something else on the other side.
    UnlikeDurability {
        /// Durability class in A.
        a: String,
        /// In B.
        b: String,
    },
    /// The statistics give no interval.
    NoInterval(#[serde(serialize_with = "as_text")] NoInterval),
    /// The metric differs by less than the baseline differs from itself.
    InsideNoise,
    /// Audits failed that it rests on, or could not be carried out.
    Withheld(Vec<Doubts>),
    /// The row is over all configurations, and they do not agree.
    Disagree,
}

/// Audits of one side that take an answer away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doubts {
    /// `A` or `B`.
    pub side: char,
    /// Those that failed.
    pub failed: Vec<String>,
    /// Those that are required and could not be carried out.
    pub open: Vec<String>,
}

/// What a reader has to know about a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonRemark {
    /// Each side is one run, so what changes from run to run is not inside the intervals.
    OneRunEach,
    /// What a reader has to know about one side's run.
    OfRun {
        /// `A` or `B`.
        side: char,
        /// What.
        remark: RunRemark,
    },
    /// Studies that one side has alone.
    StudiesOf(Lone),
}

/// What one side has alone: studies or configurations, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lone {
    /// `A` or `B`.
    pub side: char,
    /// Their names; a study's only configuration has an empty one.
    pub names: Vec<String>,
}

/// What the runs were made on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machines {
    /// Machine of A and of B: `db1 (EPYC 9354, 32 CPUs, 256 GiB)`.
    pub hosts: (String, String),
    /// Device and file system of A and of B; `None` if the run measured nothing.
    pub disks: (Option<String>, Option<String>),
}

fn as_text<S: Serializer>(why: &NoInterval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}
