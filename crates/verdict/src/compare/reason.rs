//! Why a row of a comparison has no answer, and what a reader has to know about the comparison, as data.

use super::between_runs::BetweenRuns;
use crate::durability::Declared;
use crate::run_remark::RunRemark;
use page::quantity;
use serde::{Serialize, Serializer};
use stats::NoInterval;

/// Names of configurations that one side lacks which are printed.
const NAMED_MAX: usize = 3;

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
        a: Declared,
        b: Declared,
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

impl RowReason {
    /// Why a row of this metric has no answer, or what limits it: a clause.
    pub(super) fn text(&self, metric: &str) -> String {
        match self {
            Self::NoValue { side, why } => format!("no value in {side}: {why}"),
            Self::UnlikeDurability { a, b } => format!("the durability class differs: {a} in A, {b} in B"),
            Self::NoInterval(why) => why.to_string(),
            Self::InsideNoise => {
                format!(
                    "{} differs by less than the baseline differs from itself",
                    quantity::named(metric).title
                )
            }
            Self::Withheld(doubts) => {
                let doubts: Vec<String> = doubts.iter().map(Doubts::text).collect();
                format!("withheld: audit {}", doubts.join("; "))
            }
            Self::Disagree => "the configurations disagree: read them one by one".to_owned(),
        }
    }
}

/// Audits of one side that take an answer away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doubts {
    /// `A` or `B`.
    pub side: char,
    pub failed: Vec<String>,
    /// Those that are required and could not be carried out.
    pub open: Vec<String>,
}

impl Doubts {
    /// `littles-law failed, cold-cache could not be carried out in B`.
    fn text(&self) -> String {
        let failed = self.failed.iter().map(|audit| format!("{audit} failed"));
        let open = self.open.iter().map(|audit| format!("{audit} could not be carried out"));
        let audits: Vec<String> = failed.chain(open).collect();
        format!("{} in {}", audits.join(", "), self.side)
    }
}

/// What a reader has to know about a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonRemark {
    /// Where the spread between runs comes from.
    BetweenRuns(BetweenRuns),
    /// What a reader has to know about one side's run.
    OfRun {
        /// `A` or `B`.
        side: char,
        remark: RunRemark,
    },
    /// Studies that one side has alone.
    StudiesOf(Lone),
}

impl ComparisonRemark {
    /// A sentence or two.
    pub(super) fn text(&self) -> String {
        match self {
            Self::BetweenRuns(BetweenRuns::Pairs { pairs }) => format!(
                "The runs of A and B took turns: {pairs} pairs. The intervals include what changes from run to run, \
                 and what both runs of a pair share cancels."
            ),
            Self::BetweenRuns(BetweenRuns::Runs { a, b }) => format!(
                "Each run is one value: {a} of A, {b} of B. The intervals include what changes from run to run as \
                 these runs show it. Runs of A and B in turns would also cancel what changes over hours."
            ),
            Self::BetweenRuns(BetweenRuns::Assumed) => {
                "One or two runs a side do not show what changes from run to run on one machine (placement of the \
                 files, its neighbours, the hour). The intervals include an assumed spread, which was measured on \
                 another machine. Six runs of each side in turns measure it on this one."
                    .to_owned()
            }
            Self::OfRun { side, remark } => format!("{side}: {}", remark.text()),
            Self::StudiesOf(Lone { side, names }) => format!("Only {side} has {}.", names.join(", ")),
        }
    }
}

/// What one side has alone: studies or configurations, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lone {
    /// `A` or `B`.
    pub side: char,
    /// Their names; a study's only configuration has an empty one.
    pub names: Vec<String>,
}

impl Lone {
    /// Configurations: the first few, and how many more there are.
    pub(super) fn configurations(&self) -> String {
        let shown: Vec<&str> = self
            .names
            .iter()
            .take(NAMED_MAX)
            .map(|name| if name.is_empty() { "its one configuration" } else { name.as_str() })
            .collect();
        let more = self.names.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("Only {} has {}{more}.", self.side, shown.join(", "))
    }
}

/// What the runs were made on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machines {
    /// Machine of A and of B: `db1 (EPYC 9354, 32 CPUs, 256 GiB)`.
    pub hosts: (String, String),
    /// Device and file system of A and of B; `None` if the run measured nothing.
    pub disks: (Option<String>, Option<String>),
}

impl Machines {
    /// Which machines and disks these are, in a sentence or two.
    pub(super) fn text(&self) -> String {
        let (ours, theirs) = &self.hosts;
        let hosts = if ours == theirs {
            format!("Both runs were made on {ours}.")
        } else {
            format!("Two machines: A was made on {ours}, B on {theirs}.")
        };
        let disks = match &self.disks {
            (Some(ours), Some(theirs)) if ours == theirs => format!("Both on {ours}."),
            (Some(ours), Some(theirs)) => format!("Two disks or file systems: A on {ours}, B on {theirs}."),
            (None, _) => "A measured nothing.".to_owned(),
            (_, None) => "B measured nothing.".to_owned(),
        };
        format!("{hosts} {disks}")
    }
}

fn as_text<S: Serializer>(why: &NoInterval, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}
