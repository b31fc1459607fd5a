//! Holds limits against the figures of a run.

use crate::limit::Limit;
use model::plan::StudyPlan;
use model::run::Run;
use serde::Serialize;
use stats::family::simultaneous_level;
use stats::interval::mean_interval;
use stats::sample;
use verdict::compare::LimitOutcome;
use verdict::{Cell, Estimate, Figure, StudyVerdict, failed_for, unproven};

/// The result of a limit.
#[derive(Clone, Debug, Serialize)]
pub struct Ruling {
    pub limit: Limit,
    /// The outcome over all rows.
    pub outcome: LimitOutcome,
    /// One for each configuration that has the metric.
    pub rows: Vec<JudgedRow>,
    /// Why there is no row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// One configuration, held against a limit.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedRow {
    /// Study and configuration: `commit-modes wal_mode=direct`.
    pub row: String,
    pub outcome: LimitOutcome,
    /// The mean over trials with its simultaneous interval; `None` if there is no figure.
    pub estimate: Option<Estimate>,
    /// Why it is not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How many rows the limits have in a plan whose studies measure these metrics. The intervals of all rows hold
/// together.
pub fn expected<'a>(
    limits: &[Limit],
    studies: &'a [StudyPlan],
    metrics_of: impl Fn(&'a StudyPlan) -> Vec<String>,
) -> usize {
    let of_study = |study: &'a StudyPlan| {
        let metrics = metrics_of(study);
        let own = limits.iter().filter(|limit| metrics.contains(&limit.metric)).count();
        own * study.configurations.len()
    };
    studies.iter().map(of_study).sum()
}

/// Judges every limit by the mean over trials of every configuration that has its metric. `family` is the number of
/// rows that are judged together ([`expected`]).
pub fn judge(limits: &[Limit], run: &Run, studies: &[StudyVerdict], family: usize) -> Vec<Ruling> {
    limits.iter().map(|limit| ruling(limit, run, studies, family)).collect()
}

fn ruling(limit: &Limit, run: &Run, studies: &[StudyVerdict], family: usize) -> Ruling {
    let rows: Vec<JudgedRow> = studies.iter().flat_map(|study| rows(limit, run, study, family)).collect();
    let outcome = LimitOutcome::over_all(rows.iter().map(|row| row.outcome));
    let why = rows.is_empty().then(|| without_rows(run, studies));
    Ruling { limit: limit.clone(), outcome, rows, why }
}

/// The outcome over all limits: a broken one comes first, then one that is not judged, then an undecided one.
pub fn over_all(rulings: &[Ruling]) -> LimitOutcome {
    LimitOutcome::over_all(rulings.iter().map(|ruling| ruling.outcome))
}

/// Why no configuration has the metric: what was skipped, or what failed.
fn without_rows(run: &Run, studies: &[StudyVerdict]) -> String {
    let skipped = run.plan.skipped.iter().map(|skipped| format!("{}: {}", skipped.study, skipped.why));
    let failed = studies.iter().flat_map(|study| study.failures.iter().cloned());
    let found = skipped.chain(failed).next();
    found.unwrap_or_else(|| "no configuration has this metric".to_owned())
}

/// The rows of a limit in one study.
pub fn rows(limit: &Limit, run: &Run, study: &StudyVerdict, family: usize) -> Vec<JudgedRow> {
    let level = simultaneous_level(study.confidence, family);
    let plan = run.plan.studies.iter().find(|plan| plan.name == study.name);
    let of_cell = |cell: &Cell| {
        let figure = cell.figures.get(&limit.metric)?;
        Some(row(limit, study, plan, cell, figure, level))
    };
    study.cells.iter().filter_map(of_cell).collect()
}

fn row(
    limit: &Limit,
    study: &StudyVerdict,
    plan: Option<&StudyPlan>,
    cell: &Cell,
    figure: &Figure,
    level: f64,
) -> JudgedRow {
    let row = format!("{} {}", study.name, cell.label).trim_end().to_owned();
    let not_judged = |estimate, why| JudgedRow {
        row: row.clone(),
        outcome: LimitOutcome::NotJudged,
        estimate,
        why: Some(why),
    };
    if let Some(why) = &figure.unsupported {
        return not_judged(None, why.clone());
    }
    let estimate = estimate(figure, level);
    if let Some(why) = plan.and_then(|plan| withheld(study, plan, cell, &limit.metric)) {
        return not_judged(Some(estimate), why);
    }
    let Some(interval) = estimate.interval else {
        let why = estimate.reason.clone().unwrap_or_else(|| "there is no interval".to_owned());
        return not_judged(Some(estimate), why);
    };
    let outcome = if limit.is_beyond(interval) {
        LimitOutcome::Broken
    } else if limit.is_within(interval) {
        LimitOutcome::Kept
    } else {
        LimitOutcome::Undecided
    };
    JudgedRow { row, outcome, estimate: Some(estimate), why: None }
}

/// Which audits keep a figure from being judged.
fn withheld(study: &StudyVerdict, plan: &StudyPlan, cell: &Cell, metric: &str) -> Option<String> {
    let basis = study.basis(plan, cell.configuration, metric);
    let failed: Vec<&str> = failed_for(&study.audits, &basis).map(|audit| audit.name.as_str()).collect();
    if !failed.is_empty() {
        return Some(format!("it rests on a failed audit: {}", failed.join(", ")));
    }
    unproven(&study.audits, &basis).next().map(verdict::Audit::open_question)
}

/// The mean over trials at this level.
fn estimate(figure: &Figure, level: f64) -> Estimate {
    let values: Vec<f64> = figure.values.iter().filter_map(|(_, value)| *value).collect();
    let (interval, reason) = match mean_interval(&values, level) {
        Ok(interval) => (Some(interval), None),
        Err(why) => (None, Some(why.to_string())),
    };
    Estimate {
        point: sample::mean(&values),
        interval: interval.map(|interval| (interval.low, interval.high)),
        level: interval.map(|interval| interval.level),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Side;
    use model::mechanism::Measured;
    use synthetic::Synthetic;
    use verdict::analyse;

    fn limit(side: Side, value: f64) -> Limit {
        Limit { text: String::new(), metric: "commits_per_s".to_owned(), side, value }
    }

    /// Four configurations of a study, of which those with direct I/O commit at this rate; the others 1000 times a
    /// second.
    fn judged(synthetic: &Synthetic, limit: &Limit) -> Ruling {
        let run = synthetic.run();
        let verdict = analyse(&run, &|_| None);
        judge(std::slice::from_ref(limit), &run, &verdict.studies, 4).remove(0)
    }

    fn direct(per_s: f64) -> Synthetic {
        Synthetic::commit().rate(
            move |configuration, _| {
                if configuration.is("mode", "direct") { per_s } else { 1000.0 }
            },
        )
    }

    fn outcomes(ruling: &Ruling) -> Vec<LimitOutcome> {
        ruling.rows.iter().map(|row| row.outcome).collect()
    }

    #[test]
    fn every_configuration_has_to_keep_a_limit_by_its_whole_interval() {
        use LimitOutcome::{Broken, Kept, Undecided};
        let kept = judged(&direct(1000.0), &limit(Side::AtLeast, 500.0));
        assert_eq!((kept.outcome, outcomes(&kept)), (Kept, vec![Kept; 4]));
        let one = judged(&direct(200.0), &limit(Side::AtLeast, 500.0));
        assert_eq!((one.outcome, outcomes(&one)), (Broken, vec![Kept, Kept, Broken, Broken]));
        let at = judged(&direct(1000.0), &limit(Side::AtLeast, 1000.0));
        assert_eq!(at.outcome, Undecided, "{at:?}");
        let most = judged(&direct(1000.0), &limit(Side::AtMost, 500.0));
        assert_eq!((most.outcome, outcomes(&most)), (Broken, vec![Broken; 4]));
    }

    #[test]
    fn what_has_no_interval_or_rests_on_a_failed_audit_is_not_judged() {
        let few = judged(&direct(1000.0).rounds(3), &limit(Side::AtLeast, 500.0));
        assert_eq!(few.outcome, LimitOutcome::NotJudged);
        assert!(few.rows.iter().all(|row| row.why.is_some()), "{few:?}");
        let spoilt = direct(1000.0).edit(|record| {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("in_flight_mean".to_owned(), Measured::Value(40.0));
        });
        let spoilt = judged(&spoilt, &limit(Side::AtLeast, 500.0));
        assert_eq!(spoilt.outcome, LimitOutcome::NotJudged);
        assert!(spoilt.rows[0].why.as_deref().unwrap().contains("littles-law"), "{spoilt:?}");
        let absent = Limit { metric: "lost_after_kill".to_owned(), ..limit(Side::AtMost, 0.0) };
        let absent = judged(&direct(1000.0), &absent);
        assert!(absent.rows.is_empty() && absent.why.is_some());
        assert_eq!(absent.outcome, LimitOutcome::NotJudged);
    }

    /// Sixty-four limits, each at 95 %, would break one of twenty that are kept.
    #[test]
    fn more_rows_have_wider_intervals() {
        let synthetic = direct(1000.0);
        let run = synthetic.run();
        let verdict = analyse(&run, &|_| None);
        let width = |family: usize| {
            let limit = limit(Side::AtLeast, 500.0);
            let (low, high) = rows(&limit, &run, &verdict.studies[0], family)[0]
                .estimate
                .as_ref()
                .and_then(|estimate| estimate.interval)
                .unwrap();
            high - low
        };
        assert!(width(64) > 1.3 * width(1), "{} {}", width(64), width(1));
        let studies = &run.plan.studies;
        let limits = [limit(Side::AtLeast, 1.0), limit(Side::AtMost, 1e9)];
        assert_eq!(expected(&limits, studies, |_| vec!["commits_per_s".to_owned()]), 8);
        assert_eq!(expected(&limits, studies, |_| Vec::new()), 0);
    }
}
