//! `syncline compare A B`: two runs, or several of each side, and limits that scripts hold them to.

mod interleave;
mod side;

use crate::arguments::{CompareArguments, ResultFormat};
use crate::document;
use crate::failure::{EXIT_AUDIT_FAILED, EXIT_LIMIT_BROKEN, EXIT_LIMIT_UNDECIDED, Failure};
use crate::output;
use crate::page_file;
use model::printable;
use model::redaction::redacted_pair;
use side::Runs;
use std::path::Path;
use std::process::ExitCode;
use verdict::compare::{Comparison, Gate, LimitOutcome, Ruling, Side, comparable, compare, measured_by_both};
use verdict::{Status, shows_busy_machine};

const WIDTH: usize = 110;

/// Measures if it is to, compares, prints, writes the page; the exit code says whether the limits are kept.
pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    if !arguments.interleave {
        return compared(arguments, [&arguments.a, &arguments.b]);
    }
    let folders = interleave::measure(arguments)?;
    compared(arguments, [&folders[0], &folders[1]])
}

/// Where the runs in turns are, and the command that makes them again if others used the machine.
fn epilogue(arguments: &CompareArguments, comparison: &Comparison, folders: [&Path; 2]) -> String {
    let [a, b] = folders.map(|folder| printable(&folder.display().to_string()).into_owned());
    let audits = comparison.studies.iter().flat_map(|study| &study.audits);
    let is_busy = audits.into_iter().any(|audit| shows_busy_machine(&audit.name, audit.status));
    let again = if is_busy {
        format!("When the machine is quiet: {}\n", printable(&interleave::command(arguments)))
    } else {
        String::new()
    };
    format!("\nRuns: {a} {b}\n{again}")
}

/// Compares the runs in these folders.
fn compared(arguments: &CompareArguments, folders: [&Path; 2]) -> Result<ExitCode, Failure> {
    let [runs_a, runs_b] = [Runs::read(folders[0])?, Runs::read(folders[1])?];
    let (mut a, mut b) = (runs_a.joined.run.clone(), runs_b.joined.run.clone());
    let mut names = [&arguments.a, &arguments.b].map(|path| path.display().to_string());
    if arguments.redact {
        [a, b] = redacted_pair(&a, &b).map_err(Failure::runtime)?;
        names = ["run A", "run B"].map(str::to_owned);
    }
    let comparable = comparable(&a, &b, &arguments.allow_different).map_err(Failure::usage)?;
    let verdicts = [runs_a.judge(&a), runs_b.judge(&b)];
    let measured = measured_by_both(&verdicts[0], &verdicts[1]);
    let gates: Vec<Gate> = arguments
        .fail_if
        .iter()
        .map(|text| Gate::parse(text, &measured, "both runs"))
        .collect::<Result<_, _>>()
        .map_err(|why| Failure::Usage(format!("--fail-if {why}")))?;
    let gated: Vec<String> = gates.iter().map(|gate| gate.metric.clone()).collect();
    let sides = [
        Side { name: &names[0], run: &a, verdict: &verdicts[0], begun: &runs_a.joined.begun },
        Side { name: &names[1], run: &b, verdict: &verdicts[1], begun: &runs_b.joined.begun },
    ];
    let comparison = compare(sides[0], sides[1], comparable, &gated);
    let rulings: Vec<Ruling> = gates.iter().map(|gate| gate.judge(&comparison)).collect();
    print(arguments.format, &comparison, &rulings)?;
    if let Some(path) = &arguments.html {
        write_html(path, &comparison, &rulings)?;
        if arguments.format == ResultFormat::Text {
            output::print(&format!("\nPage: {}\n", printable(&path.display().to_string())))?;
        }
    }
    if arguments.interleave && arguments.format == ResultFormat::Text {
        output::print(&epilogue(arguments, &comparison, folders))?;
    }
    ending(&comparison, &rulings, arguments.allow_undecided)
}

fn print(format: ResultFormat, comparison: &Comparison, rulings: &[Ruling]) -> Result<(), Failure> {
    let printed = match format {
        ResultFormat::Text => {
            let colour = output::appearance().colour;
            output::print_rendered(&report::comparison(comparison, rulings, output::width(WIDTH), colour))
        }
        ResultFormat::Json => {
            let both = serde_json::json!({ "comparison": comparison, "limits": rulings });
            document::print(&both)
        }
    };
    printed.map(|_| ())
}

fn write_html(path: &Path, comparison: &Comparison, rulings: &[Ruling]) -> Result<(), Failure> {
    page_file::write(path, &report::comparison_html(comparison, rulings))
}

/// A broken limit comes first, then one that cannot be judged by every comparison, which `--allow-undecided` does not
/// let pass, then one that is undecided.
fn ending(comparison: &Comparison, rulings: &[Ruling], allow_undecided: bool) -> Result<ExitCode, Failure> {
    let first = |outcome: LimitOutcome| rulings.iter().find(|ruling| ruling.outcome == outcome);
    if first(LimitOutcome::Broken).is_some() {
        return Ok(ExitCode::from(EXIT_LIMIT_BROKEN));
    }
    if let Some(ruling) = first(LimitOutcome::NotJudged) {
        let why = ruling.unjudged.first().map(|first| first.text(&ruling.gate.metric));
        let why = why.unwrap_or_else(|| "no study of both runs has it".to_owned());
        let (judged, unjudged) = (ruling.rows_judged(), ruling.rows_unjudged());
        let part = match judged {
            0 => String::new(),
            _ => format!(" by {unjudged} of {} comparisons", judged + unjudged),
        };
        return Err(Failure::NotJudged(format!("--fail-if '{}' cannot be judged{part}: {why}", ruling.gate)));
    }
    if first(LimitOutcome::Undecided).is_some() && !allow_undecided {
        return Ok(ExitCode::from(EXIT_LIMIT_UNDECIDED));
    }
    let failed =
        comparison.studies.iter().flat_map(|study| &study.audits).any(|audit| audit.status == Status::Fail);
    Ok(if failed { ExitCode::from(EXIT_AUDIT_FAILED) } else { ExitCode::SUCCESS })
}
