//! The parts of a verdict: data only, ready to be rendered or serialised.

pub use crate::durability::Declared;
pub use crate::estimate::Estimate;
pub use crate::finding::Answer;

use crate::basis::Scope;
use crate::conditions::Conditions;
use crate::finding::{Dependence, Finding, Noise};
use crate::interleaving::Interleaving;
use crate::promise::Promise;
use crate::run_remark::RunRemark;
pub use laws::Status;
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of the analysis of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// One per study of the plan, in its order.
    pub studies: Vec<StudyVerdict>,
    /// How the wall time was spent.
    pub time: TimeShare,
    /// Remarks about the run as a whole.
    pub remarks: Vec<RunRemark>,
}

/// Seconds by activity, over all trials.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TimeShare {
    pub measuring_s: f64,
    /// In the turns of trials, outside their windows: settling, and draining what is in flight.
    pub settling_s: f64,
    /// Measuring what a kill loses, and how long acknowledged data takes to reach the device.
    pub aftermath_s: f64,
    pub preparing_s: f64,
    /// Waiting for a quiet device.
    pub quiescing_s: f64,
    /// Evicting, warming and verifying.
    pub cache_s: f64,
    /// Everything else: starting processes, writing records.
    pub other_s: f64,
}

/// The result of the analysis of one study.
#[derive(Clone, Debug, Serialize)]
pub struct StudyVerdict {
    pub name: String,
    pub question: String,
    /// Indices of the findings that answer the question, the most informative first.
    pub answer: Vec<usize>,
    /// Names of the factors, in order.
    pub factors: Vec<String>,
    /// One per configuration, in plan order.
    pub cells: Vec<Cell>,
    /// Full names of the metrics any cell has, in the metric table's order.
    pub metrics: Vec<String>,
    /// The metrics the study asks about, in order, without repeats: what a headline table shows.
    pub asked: Vec<String>,
    /// One per durability class that any trial declares, weakest first.
    pub promises: Vec<Promise>,
    /// In the order of the asks.
    pub findings: Vec<Finding>,
    /// What was observed of a program, beside what the arm measured that repeats its load; empty for most studies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replayed: Vec<Replayed>,
    /// Latencies by the size of what operations moved; empty if sizes do not vary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sized_latencies: Vec<SizedLatency>,
    /// What operations on an object store cost by a price table; empty without a store.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<Cost>,
    /// What all its findings hold for beside its parameters; `None` if they do not depend on the readahead of a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
    /// How its trials ran; `None` if none took turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleaving: Option<Interleaving>,
    /// Confidence of all its claims together: 0.95, minus what earlier looks have spent.
    pub confidence: f64,
    pub audits: Vec<Audit>,
    /// A/A noise floor by metric, or the reason why there is none.
    pub noise: BTreeMap<String, Noise>,
    /// Whether rounds depend on each other, by metric of the asks.
    pub dependence: BTreeMap<String, Dependence>,
    /// Latency curves from the merged histograms, by metric family and configuration.
    pub curves: Vec<Curve>,
    /// Operations over the time of a trial by configuration, if the trials lasted an interval.
    pub series: Vec<Series>,
    pub trials: TrialCounts,
    /// Failed, killed and unsupported trials: what and why.
    pub failures: Vec<String>,
}

impl StudyVerdict {
    /// The cells by what an acknowledged write survives there, the strongest class last, because arms of different
    /// classes have separate tables. One group without a name if all have the same class; cells without any trial come
    /// last.
    pub fn by_durability(&self) -> Vec<Group<'_>> {
        let mut classes: Vec<&Declared> = self.cells.iter().map(|cell| &cell.durability).collect();
        classes.sort_by_key(|class| (class.is_empty(), *class));
        classes.dedup();
        if classes.iter().filter(|class| !class.is_empty()).count() < 2 {
            return vec![Group { class: None, promise: None, cells: self.cells.iter().collect() }];
        }
        let group = |class: &'_ Declared| {
            let promise = self.promises.iter().find(|promise| class.is(promise.class));
            let cells = self.cells.iter().filter(|cell| cell.durability == *class).collect();
            Group { class: (!class.is_empty()).then(|| class.clone()), promise, cells }
        };
        classes.into_iter().map(group).collect()
    }
}

/// Cells whose acknowledged writes survive the same.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// Their durability class; `None` if there is only one group, or if no trial succeeded.
    pub class: Option<Declared>,
    /// What is known about that promise.
    pub promise: Option<&'a Promise>,
    /// The cells, in plan order.
    pub cells: Vec<&'a Cell>,
}

/// Trials by outcome.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TrialCounts {
    pub planned: usize,
    pub ok: usize,
    /// Successful in a warm-up round: not analysed.
    pub warmup: usize,
    /// Successful in a round that is set aside, because its trials ran in another way than those of the rounds that are
    /// used.
    pub set_aside: usize,
    pub failed: usize,
    /// Killed at the deadline.
    pub killed: usize,
    /// Not possible here.
    pub unsupported: usize,
    /// Not run yet.
    pub missing: usize,
}

/// One configuration's figures.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// Index in the study's plan.
    pub configuration: usize,
    /// Its levels of the factors: `mode=direct group_size=4`.
    pub label: String,
    /// The levels one by one, in the factors' order, as text.
    pub levels: Vec<String>,
    pub n: usize,
    /// What an acknowledged write survives, as its trials declare.
    pub durability: Declared,
    /// By full metric name, if the study asks for a comparison within durability classes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub against_reference: BTreeMap<String, AgainstReference>,
    /// By full name, for each metric of the asks that has a better direction.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub against_best: BTreeMap<String, AgainstBest>,
    /// By full metric name.
    pub figures: BTreeMap<String, Figure>,
}

/// One metric of one configuration, relative to the reference of its durability class.
#[derive(Clone, Debug, Serialize)]
pub struct AgainstReference {
    pub reference: String,
    /// Ratio to it, paired within rounds, with a descriptive interval; `None` for the reference itself.
    pub ratio: Option<Estimate>,
}

/// One metric of one configuration, relative to the configuration of its durability class with the best mean.
#[derive(Clone, Debug, Serialize)]
pub struct AgainstBest {
    /// Index of the best in the study's plan. The best of many means is flattering.
    pub configuration: usize,
    /// Ratio to it, paired within rounds, with a descriptive interval; `None` for the best itself.
    pub ratio: Option<Estimate>,
}

/// One metric of one configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Each analysed trial's value, with its round; `None` if the trial has none.
    pub values: Vec<(u32, Option<f64>)>,
    /// What ratios are made of, by round, if the trials of a round took turns in blocks: relative to the baseline of
    /// their own block. Otherwise it is empty, and ratios are of the values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub compared: BTreeMap<u32, f64>,
    /// Arithmetic mean over trials with its t interval.
    pub mean: Estimate,
    /// Median over trials with its order-statistic interval.
    pub median: Estimate,
    /// Rounds whose value is marked as an outlier (never dropped).
    pub outliers: Vec<u32>,
    /// Why there are no values, if there are none.
    pub unsupported: Option<String>,
    /// A warning if the data's shape makes the intervals cover less than stated.
    pub shape_warning: Option<String>,
}

/// A figure that was observed and measured again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// Full name of the metric.
    pub metric: String,
    pub observed: f64,
    /// Arithmetic mean over the trials of the arm.
    pub replayed: Estimate,
    /// Why nothing was measured again; `None` if something was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Replayed ÷ observed; `None` if either is missing or nothing was observed.
    pub ratio: Option<f64>,
    /// How far the ratio of a load that is repeated may be from 1.
    pub tolerance: f64,
    /// `None` without a ratio.
    pub is_within: Option<bool>,
}

/// The latencies of one operation on what is of one class of sizes, means over the trials of a configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizedLatency {
    /// Index of the configuration.
    pub configuration: usize,
    pub label: String,
    /// `get`, `put`.
    pub operation: String,
    /// The most bytes of the class; `None` for the class of what is larger than all others.
    pub bytes_max: Option<u64>,
    /// Operations of all trials.
    pub operations: u64,
    pub mean_us: Estimate,
    pub p50_us: Estimate,
    pub p99_us: Estimate,
}

/// What the operations of a configuration took of an object store, and what that costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Index of the configuration.
    pub configuration: usize,
    pub label: String,
    /// Requests per operation, with those that were repeated.
    pub writes: Estimate,
    pub lists: Estimate,
    pub reads: Estimate,
    /// Nobody charges for these.
    pub deletes: Estimate,
    /// Bytes per operation that left the store.
    pub bytes_out: Estimate,
    /// One for each store of the price table.
    pub by_store: Vec<StoreCost>,
}

/// What a store would charge, US dollars.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoreCost {
    pub store: String,
    /// For a million operations whose bytes stay near the store ([`Prices::within`](crate::Prices)).
    pub usd_per_million: Estimate,
    /// For a million operations whose bytes go to the internet.
    pub usd_per_million_to_internet: Estimate,
    /// For an hour at the measured rate, if the bytes stay near the store.
    pub usd_per_hour: Estimate,
}

/// A check whether a number can be believed.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// Its name: `littles-law`.
    pub name: String,
    pub status: Status,
    /// What it found, as one sentence.
    pub summary: String,
    /// The figures behind it, as sentences.
    pub evidence: Vec<String>,
    /// The remedy; empty if it passed.
    pub advice: String,
    /// The scope of an outcome other than pass: answers that rest on none of it remain valid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<Scope>,
    /// Plan indices of the configurations that it could not judge, whatever its outcome for the others: a pass does not
    /// cover them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unassessed: Vec<usize>,
}

/// A latency curve of one configuration: percentile against value, all its trials merged.
#[derive(Clone, Debug, Serialize)]
pub struct Curve {
    /// Metric family: `commit_latency`.
    pub family: String,
    /// Index of the configuration.
    pub configuration: usize,
    pub label: String,
    /// Quantile (0…1), value, lower and upper bound of the bootstrap band over trials, in microseconds.
    pub points: Vec<CurvePoint>,
}

/// One point of a [`Curve`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CurvePoint {
    /// Quantile, 0…1.
    pub quantile: f64,
    /// Value, µs.
    pub value_us: f64,
    /// Lower bound of the band, µs; the value itself if there are too few trials for a band.
    pub low_us: f64,
    /// Upper bound of the band, µs.
    pub high_us: f64,
}

/// Operations over the time of a trial: one configuration, its trials aligned at the start of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Index of the configuration.
    pub configuration: usize,
    pub label: String,
    /// Seconds over which operations were counted: the shortest stall that can be seen.
    pub interval_s: f64,
    pub trials: usize,
    /// By time; at most 300, each covering one interval or, in a long trial, several.
    pub points: Vec<SeriesPoint>,
    /// End of the last point: the whole intervals of the shortest trial, seconds.
    pub end_s: f64,
}

/// One point of a [`Series`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SeriesPoint {
    /// Where it starts, seconds from the start of the measurement; it lasts until the next one starts.
    pub start_s: f64,
    /// Operations per second, mean over trials.
    pub mean_per_s: f64,
    /// Operations per second in the slowest single interval of any trial.
    pub low_per_s: f64,
    /// The same in the fastest.
    pub high_per_s: f64,
}
