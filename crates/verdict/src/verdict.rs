//! What a verdict consists of: data only, ready to be rendered or serialised.

pub use crate::estimate::Estimate;
pub use crate::finding::Answer;

use crate::basis::Scope;
use crate::finding::Finding;
use crate::run_remark::RunRemark;
use model::mechanism::Measured;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that can be said of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// One per study of the plan, in its order.
    pub studies: Vec<StudyVerdict>,
    /// Where the wall time went.
    pub time: TimeShare,
    /// What is to be known of the run as a whole.
    pub remarks: Vec<RunRemark>,
}

/// Seconds by what they were spent on, over all trials.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TimeShare {
    /// Measuring.
    pub measuring_s: f64,
    /// Measuring what a kill loses, and how long what was acknowledged takes to the device.
    pub aftermath_s: f64,
    /// Making files.
    pub preparing_s: f64,
    /// Waiting for the device to go quiet.
    pub quiescing_s: f64,
    /// Evicting, warming and verifying.
    pub cache_s: f64,
    /// Everything else: starting processes, writing records.
    pub other_s: f64,
}

/// What can be said of one study.
#[derive(Clone, Debug, Serialize)]
pub struct StudyVerdict {
    /// The study's name.
    pub name: String,
    /// Its question.
    pub question: String,
    /// Places among the findings of those that answer the question, the most telling first.
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
    /// Confidence of everything that is claimed of it together: 0.95, less what earlier looks have spent.
    pub confidence: f64,
    /// Worst first.
    pub audits: Vec<Audit>,
    /// A/A noise floor by metric, as a ratio ≥ 1 or the reason why there is none.
    pub noise: BTreeMap<String, Measured<f64>>,
    /// Latency curves from the merged histograms, by metric family and configuration.
    pub curves: Vec<Curve>,
    /// Operations over the time of a trial by configuration, where the trials lasted an interval.
    pub series: Vec<Series>,
    /// Trials by outcome.
    pub trials: TrialCounts,
    /// Failed, killed and unsupported trials: what and why.
    pub failures: Vec<String>,
}

impl StudyVerdict {
    /// The cells by what an acknowledged write survives there, strongest promise last: arms of different class are
    /// tabled apart. One group without a name where all are alike; those without any trial come last.
    pub fn by_durability(&self) -> Vec<Group<'_>> {
        let mut classes: Vec<&str> = self.cells.iter().map(|cell| cell.durability.as_str()).collect();
        let place = |class: &str| ["none", "process", "power", ""].iter().position(|known| *known == class);
        classes.sort_by_key(|class| (place(class), *class));
        classes.dedup();
        if classes.iter().filter(|class| !class.is_empty()).count() < 2 {
            return vec![Group { class: "", standing: "", cells: self.cells.iter().collect() }];
        }
        let group = |class| {
            let promise = self.promises.iter().find(|promise| promise.class == class);
            let cells = self.cells.iter().filter(|cell| cell.durability == class).collect();
            Group { class, standing: promise.map_or("", |promise| promise.standing.as_str()), cells }
        };
        classes.into_iter().map(group).collect()
    }
}

/// Cells whose acknowledged writes survive the same.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// Their durability class; empty where there is one group only, or where no trial ended well.
    pub class: &'a str,
    /// What is known of that promise ([`Promise::standing`]).
    pub standing: &'a str,
    /// They themselves, in plan order.
    pub cells: Vec<&'a Cell>,
}

/// What a durability class promises, and what the trials that declare it say about that.
#[derive(Clone, Debug, Serialize)]
pub struct Promise {
    /// `none`, `process` or `power`.
    pub class: String,
    /// A clause: refuted, not refuted, or only declared, and by what.
    pub standing: String,
}

/// Trials by outcome.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TrialCounts {
    /// Planned, warm-ups included.
    pub planned: usize,
    /// Ended well and analysed.
    pub ok: usize,
    /// Ended well in a warm-up round: not analysed.
    pub warmup: usize,
    /// Failed.
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
    /// Trials analysed.
    pub n: usize,
    /// What an acknowledged write survives, as its trials declare; empty where none has ended well.
    pub durability: String,
    /// By full metric name, where the study asks for a comparison within durability classes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub against_reference: BTreeMap<String, AgainstReference>,
    /// By full name, for each asked metric that has a better direction.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub against_best: BTreeMap<String, AgainstBest>,
    /// By full metric name.
    pub figures: BTreeMap<String, Figure>,
}

/// One metric of one configuration against the reference of its durability class.
#[derive(Clone, Debug, Serialize)]
pub struct AgainstReference {
    /// The reference's level.
    pub reference: String,
    /// Ratio to it, paired within rounds, with a descriptive interval; `None` for the reference itself.
    pub ratio: Option<Estimate>,
}

/// One metric of one configuration against the best configuration of its durability class: the one with the best mean.
#[derive(Clone, Debug, Serialize)]
pub struct AgainstBest {
    /// Index of the best in the study's plan. Of many means the best flatters.
    pub configuration: usize,
    /// Ratio to it, paired within rounds, with a descriptive interval; `None` for the best itself.
    pub ratio: Option<Estimate>,
}

/// One metric of one configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Each analysed trial's value, with its round; `None` where the trial has none.
    pub values: Vec<(u32, Option<f64>)>,
    /// Arithmetic mean over trials with its t interval.
    pub mean: Estimate,
    /// Median over trials with its order-statistic interval.
    pub median: Estimate,
    /// Rounds whose value is marked as an outlier (never dropped).
    pub outliers: Vec<u32>,
    /// Why there are no values, where there are none.
    pub unsupported: Option<String>,
    /// A warning where the data's shape makes the intervals cover less than stated.
    pub shape_warning: Option<String>,
}

/// How an audit ended, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A number cannot be believed; advice that rests on it is withheld.
    Fail,
    /// Read it with care.
    Warn,
    /// The question arises and the evidence for it is missing; says why. No pass: what requires it is not proven.
    NotAssessable,
    /// Nothing found.
    Pass,
    /// The question does not arise here, whatever the evidence; says why.
    NotApplicable,
}

/// A check that a number can be believed.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// Its name in DESIGN's list: `littles-law`.
    pub name: String,
    /// The outcome.
    pub status: Status,
    /// One sentence: what was found.
    pub summary: String,
    /// The figures behind it: sentences.
    pub evidence: Vec<String>,
    /// What to do about it; empty where it passed.
    pub advice: String,
    /// What an outcome that is no pass is about: answers that rest on none of it stand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<Scope>,
    /// Indices in the plan of the configurations that it could not judge, whatever it found of the others: no pass of it is
    /// about these.
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
    /// Its label.
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
    /// Lower bound of the band, µs; the value itself where there are too few trials for a band.
    pub low_us: f64,
    /// Upper bound of the band, µs.
    pub high_us: f64,
}

/// Operations over the time of a trial: one configuration, its trials side by side from the start of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Index of the configuration.
    pub configuration: usize,
    /// Its label.
    pub label: String,
    /// Seconds over which operations were counted: the shortest stall that can be seen.
    pub interval_s: f64,
    /// Trials behind it.
    pub trials: usize,
    /// By time; at most 300, each of one interval or, in a long trial, of several.
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
