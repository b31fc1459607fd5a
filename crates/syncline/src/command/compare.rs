//! `syncline compare A B`: two runs, and limits that scripts hold them to.

use crate::analysis::judge;
use crate::arguments::{CompareArguments, ResultFormat};
use crate::document;
use crate::failure::{EXIT_AUDIT_FAILED, EXIT_LIMIT_BROKEN, EXIT_LIMIT_UNDECIDED, Failure};
use crate::output;
use crate::page_file;
use lab::run_directory::RunFiles;
use model::printable;
use model::redaction::redacted_pair;
use model::run::Run;
use std::path::Path;
use std::process::ExitCode;
use verdict::Status;
use verdict::compare::{Comparison, Gate, LimitOutcome, Ruling, Side, comparable, compare, measured_by_both};

const WIDTH: usize = 110;

/// Compares, prints, writes the page; the exit code says whether the limits are kept.
pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    let [(files_a, mut a), (files_b, mut b)] = [read(&arguments.a)?, read(&arguments.b)?];
    let mut names = [&arguments.a, &arguments.b].map(|path| path.display().to_string());
    if arguments.redact {
        [a, b] = redacted_pair(&a, &b).map_err(Failure::runtime)?;
        names = ["run A", "run B"].map(str::to_owned);
    }
    let comparable = comparable(&a, &b, &arguments.allow_different).map_err(Failure::usage)?;
    let verdicts = [judge(&files_a, &a), judge(&files_b, &b)];
    let measured = measured_by_both(&verdicts[0], &verdicts[1]);
    let gates: Vec<Gate> = arguments
        .fail_if
        .iter()
        .map(|text| Gate::parse(text, &measured))
        .collect::<Result<_, _>>()
        .map_err(|why| Failure::Usage(format!("--fail-if {why}")))?;
    let gated: Vec<String> = gates.iter().map(|gate| gate.metric.clone()).collect();
    let sides = [
        Side { name: &names[0], run: &a, verdict: &verdicts[0] },
        Side { name: &names[1], run: &b, verdict: &verdicts[1] },
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
    ending(&comparison, &rulings, arguments.allow_undecided)
}

fn read(path: &Path) -> Result<(RunFiles, Run), Failure> {
    let files = RunFiles::open(path).map_err(Failure::runtime)?;
    let run = files.run().map_err(Failure::runtime)?;
    Ok((files, run))
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
