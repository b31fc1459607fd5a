//! JUnit's XML of a run: each study is a suite, and its configurations, findings and audits are its cases. A finding is
//! not right or wrong, so only an audit or a trial can fail; what is undecided or could not be done is skipped.

use super::suite::{self, Case, Ending, Suite};
use super::{Mean, Tracked, benchmark, metrics, plan, without_figure};
use crate::records;
use model::run::Run;
use model::trial::{TrialOutcome, TrialRecord};
use verdict::{Answer, Audit, Cell, Status, StudyVerdict, Verdict};

pub fn junit(run: &Run, verdict: &Verdict) -> String {
    let suites: Vec<Suite> = verdict
        .studies
        .iter()
        .map(|study| Suite { name: study.name.clone(), cases: cases(run, study) })
        .collect();
    suite::file(&suites)
}

fn cases(run: &Run, study: &StudyVerdict) -> Vec<Case> {
    let cells = study.cells.iter().map(|cell| configuration(run, study, cell));
    let findings = study.findings.iter().enumerate().map(|(place, finding)| {
        let said = finding.statement();
        let ending = match finding.answer() {
            Answer::Undecided => Ending::Skipped("undecided".to_owned()),
            Answer::NotAssessable => Ending::Skipped("not assessable".to_owned()),
            Answer::Different | Answer::Equivalent if study.failed_for(finding).next().is_some() => {
                Ending::Skipped("it rests on a failed audit".to_owned())
            }
            Answer::Different | Answer::Equivalent => Ending::Passed,
        };
        let class = format!("{}.findings", study.name);
        Case { class, name: format!("{} {}", place + 1, finding.metric), ending, lines: vec![said] }
    });
    let audits = study.audits.iter().map(|audit| checked(study, audit));
    cells.chain(findings).chain(audits).collect()
}

fn configuration(run: &Run, study: &StudyVerdict, cell: &Cell) -> Case {
    let plan = plan(run, study);
    let tracked: Vec<Tracked<'_>> =
        metrics(study).map(|metric| Tracked::of(plan, study, cell, metric)).collect();
    let ending = match unmeasured(run, study, cell) {
        Some(Ending::Failed(why)) => Ending::Failed(why),
        _ if cell.n > 0 => without_figure(&tracked).map_or(Ending::Passed, Ending::Skipped),
        Some(other) => other,
        None => Ending::Skipped("no trial of it has run".to_owned()),
    };
    let lines = tracked.iter().map(|tracked| line(tracked, cell.n)).collect();
    Case { class: study.name.clone(), name: benchmark("", cell), ending, lines }
}

/// A metric's figure, or why there is none.
fn line(tracked: &Tracked<'_>, trials: usize) -> String {
    let name = tracked.metric.name();
    match &tracked.mean {
        Ok(Mean { value, interval }) => {
            let interval = interval.map(|(low, high)| format!(", interval {low} to {high}"));
            let unit = tracked.metric.family.unit.symbol();
            format!("{name}: {value} {unit}, mean of {trials} trials{}", interval.unwrap_or_default())
        }
        Err(why) => format!("{name}: no figure: {why}"),
    }
}

/// How the last trial of a configuration that did not measure ended, if there is one.
fn unmeasured(run: &Run, study: &StudyVerdict, cell: &Cell) -> Option<Ending> {
    let key = |record: &&TrialRecord| {
        record.key.study == study.name && record.key.configuration == cell.configuration
    };
    let endings = records::of_plan(run).filter(key).filter_map(|record| match &record.outcome {
        TrialOutcome::Ok => None,
        TrialOutcome::Unsupported(why) => Some(Ending::Skipped(why.clone())),
        TrialOutcome::Failed(why) => Some(Ending::Failed(why.clone())),
        TrialOutcome::Killed(seconds) => {
            Some(Ending::Failed(format!("killed at its deadline after {seconds:.1} s")))
        }
    });
    endings.last()
}

fn checked(study: &StudyVerdict, audit: &Audit) -> Case {
    let ending = match audit.status {
        Status::Fail => Ending::Failed(audit.summary.clone()),
        Status::NotAssessable | Status::NotApplicable => Ending::Skipped(audit.summary.clone()),
        Status::Warn | Status::Pass => Ending::Passed,
    };
    let warning = (audit.status == Status::Warn).then(|| format!("warning: {}", audit.summary));
    let lines = warning.into_iter().chain(audit.evidence.iter().cloned()).collect();
    Case { class: format!("{}.audits", study.name), name: audit.name.clone(), ending, lines }
}
