//! A limit that a history must not break, for scripts: `commit_latency_p99>+10%`.
//!
//! It is about the present: the last level against the first one. What was mended breaks no limit. Without a change the
//! second half of the runs is held against the first half, which proves that the limit is kept if the runs are enough
//! for that.

use super::gather::{DiskHistory, History};
use super::question::Question;
use super::series::Series;
use crate::compare::{Gate, LimitOutcome};
use crate::estimate::Estimate;
use serde::Serialize;

/// Error that the series of a limit share.
const ERROR: f64 = 0.05;

/// The result of a limit.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryRuling {
    pub gate: Gate,
    /// The outcome over all series.
    pub outcome: LimitOutcome,
    /// Every series of its metric that the latest run has, controls left out.
    pub series: Vec<JudgedSeries>,
}

/// A series that a limit is held against.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedSeries {
    pub question: Question,
    pub outcome: LimitOutcome,
    /// The last level ÷ the first with its simultaneous interval; `None` if there are too few runs.
    pub ratio: Option<Estimate>,
    /// Why it is not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl History {
    /// Holds the limit against every series of its metric.
    pub fn judge(&self, gate: &Gate) -> HistoryRuling {
        let of_disks = self.disks.iter().flat_map(DiskHistory::followed);
        let judged: Vec<&Series> =
            of_disks.filter(|series| series.is_current && series.question.metric == gate.metric).collect();
        let level = 1.0 - ERROR / judged.len().max(1) as f64;
        let series: Vec<JudgedSeries> = judged.into_iter().map(|series| held(gate, series, level)).collect();
        let outcome = LimitOutcome::over_all(series.iter().map(|judged| judged.outcome));
        HistoryRuling { outcome, gate: gate.clone(), series }
    }
}

fn held(gate: &Gate, series: &Series, level: f64) -> JudgedSeries {
    let ratio = series.now_against_first(level);
    let outcome = match ratio.as_ref().and_then(|ratio| ratio.interval) {
        None => LimitOutcome::NotJudged,
        // A difference of halves without a change may be a drift.
        Some(interval) if gate.is_beyond(interval) && !series.changes.is_empty() => LimitOutcome::Broken,
        Some(interval) if gate.is_within(interval) => LimitOutcome::Kept,
        Some(_) => LimitOutcome::Undecided,
    };
    JudgedSeries { question: series.question.clone(), outcome, ratio, why: series.why_not.clone() }
}
