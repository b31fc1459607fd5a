//! Characters that control a terminal or reorder a line appear in no form of the report, whatever text of a run
//! contains them.

use crate::fixture::specimen;
use crate::spoilt::spoil;
use model::mechanism::Measured;
use model::plan::Skipped;
use model::printable::is_printable;
use model::run::Run;
use model::trial::TrialOutcome;
use report::Repeat;
use verdict::{RunRemark, Status, Verdict};

/// Every control character except the line feed, and every mark that changes how the adjacent text is shown.
fn marks() -> String {
    let controls = ('\u{0}'..='\u{9f}').filter(|c| c.is_control() && *c != '\n');
    let marks =
        ('\u{2028}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').chain(['\u{61c}', '\u{200e}', '\u{200f}']);
    format!("a{}z", controls.chain(marks).collect::<String>())
}

fn marked() -> (Run, Verdict) {
    let (mut run, mut verdict) = specimen(6);
    let hostile = marks();
    let text = || hostile.clone();
    run.host.name = text();
    run.host.processor = text();
    run.host.kernel_command_line = text();
    run.plan.created_at = text();
    run.plan.directory = text().into();
    run.plan.studies[0].question = text();
    run.plan.studies[0].excluded.push(text());
    run.plan.skipped.push(Skipped { study: text(), why: text() });
    run.records[0].outcome = TrialOutcome::Failed(text());
    run.records[1].values.0.insert("arm".to_owned(), model::Value::Name(text()));
    for record in &mut run.records {
        if let Some(measurement) = &mut record.measurement {
            measurement.placement.model = Measured::Value(text());
            measurement.placement.device = Measured::Value(text());
            measurement.placement.filesystem = text();
            measurement.placement.mount_options = text();
            measurement.files[0].role = text();
            measurement.notes.push(text());
        }
    }
    let study = &mut verdict.studies[0];
    study.factors[0] = text();
    study.cells[0].label = text();
    study.cells[0].levels[0] = text();
    study.curves[0].family = text();
    spoil(&mut study.findings[0], &text());
    study.audits[0].summary = text();
    study.audits[0].advice = text();
    study.audits[0].status = Status::Fail;
    study.failures.push(text());
    verdict.remarks.push(RunRemark::Read(text()));
    (run, verdict)
}

fn assert_shown(form: &str, text: &str) {
    let hidden: Vec<char> = text.chars().filter(|c| *c != '\n' && !is_printable(*c)).collect();
    assert!(hidden.is_empty(), "{form}: {hidden:?}");
}

#[test]
fn a_mark_that_reorders_a_line_reaches_no_form_of_the_report() {
    let (run, verdict) = marked();
    let repeat = Repeat { lines: vec![marks()], remarks: vec![marks()], ..Repeat::default() };
    assert_shown("terminal", &report::terminal(&run, &verdict, &[], 100, false));
    assert_shown("markdown", &report::markdown(&run, &verdict, &[], &repeat));
    assert_shown("long", &report::csv_long(&run).replace('\t', " "));
    // The page contains other people's scripts, in which such characters are data, but the run adds none. A browser
    // shows a tab as a space.
    let count = |text: &str| text.chars().filter(|c| !matches!(c, '\n' | '\t') && !is_printable(*c)).count();
    let (plain_run, plain_verdict) = specimen(6);
    let plain = count(&report::html(&plain_run, &plain_verdict, &[], &Repeat::default()));
    assert_eq!(count(&report::html(&run, &verdict, &[], &repeat)), plain, "html");
}
