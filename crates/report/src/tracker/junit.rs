//! JUnit's XML, which continuous integration shows as tests: each study is a suite, and its configurations, findings
//! and audits are its cases. A finding is not right or wrong, so only an audit or a trial can fail; what is undecided
//! or could not be done is skipped.

use super::{Mean, Tracked, benchmark, metrics, plan, without_figure};
use crate::records;
use model::printable;
use model::run::Run;
use model::trial::{TrialOutcome, TrialRecord};
use std::fmt::Write;
use verdict::{Answer, Audit, Cell, Status, StudyVerdict, Verdict};

/// How a case ended.
enum Ending {
    Passed,
    Skipped(String),
    Failed(String),
}

struct Case {
    class: String,
    name: String,
    ending: Ending,
    /// What is shown of it, line by line.
    lines: Vec<String>,
}

pub fn junit(run: &Run, verdict: &Verdict) -> String {
    let suites: Vec<(&str, Vec<Case>)> =
        verdict.studies.iter().map(|study| (study.name.as_str(), cases(run, study))).collect();
    let all = || suites.iter().flat_map(|(_, cases)| cases);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "<testsuites name=\"syncline\" {}>", counts(all()));
    for (name, cases) in &suites {
        let _ = writeln!(text, "  <testsuite name=\"{}\" {}>", escaped(name), counts(cases.iter()));
        for case in cases {
            write(&mut text, case);
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
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

fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let (mut tests, mut failures, mut skipped) = (0, 0, 0);
    for case in cases {
        tests += 1;
        match case.ending {
            Ending::Passed => {}
            Ending::Skipped(_) => skipped += 1,
            Ending::Failed(_) => failures += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"")
}

fn write(text: &mut String, case: &Case) {
    let (class, name) = (escaped(&case.class), escaped(&case.name));
    let _ = writeln!(text, "    <testcase classname=\"{class}\" name=\"{name}\">");
    match &case.ending {
        Ending::Passed => {}
        Ending::Skipped(why) => {
            let _ = writeln!(text, "      <skipped message=\"{}\"/>", escaped(why));
        }
        Ending::Failed(why) => {
            let _ = writeln!(text, "      <failure message=\"{}\"/>", escaped(why));
        }
    }
    if !case.lines.is_empty() {
        let lines: Vec<String> = case.lines.iter().map(|line| escaped(line)).collect();
        let _ = writeln!(text, "      <system-out>{}</system-out>", lines.join("\n"));
    }
    text.push_str("    </testcase>\n");
}

/// Text in an element or an attribute; characters that XML cannot hold are escaped as everywhere.
fn escaped(text: &str) -> String {
    let text = printable(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
