//! `syncline compare A B`: two runs, and limits that scripts hold them to.

use crate::arguments::{CompareArguments, ComparisonFormat};
use crate::command::report::analyse;
use crate::failure::{EXIT_AUDIT_FAILED, EXIT_LIMIT_BROKEN, Failure};
use lab::run_directory;
use std::fs;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use verdict::Status;
use verdict::compare::{Comparison, Gate, Ruling, Side, compare, measured_by_both};

const WIDTH: usize = 110;

/// Compares, prints, writes the page; the exit code says whether a limit is broken.
pub(crate) fn run(arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    let names = [&arguments.a, &arguments.b].map(|path| path.display().to_string());
    let a = run_directory::read(&arguments.a).map_err(Failure::runtime)?;
    let b = run_directory::read(&arguments.b).map_err(Failure::runtime)?;
    let verdicts = [analyse(&arguments.a, &a), analyse(&arguments.b, &b)];
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
    let comparison =
        compare(sides[0], sides[1], &arguments.allow_different, &gated).map_err(Failure::usage)?;
    let rulings: Vec<Ruling> = gates.iter().map(|gate| gate.judge(&comparison)).collect();
    print(arguments.output_format, &comparison, &rulings)?;
    if let Some(path) = &arguments.html {
        write_html(path, &comparison, &rulings)?;
        if arguments.output_format == ComparisonFormat::Normal {
            crate::print(&format!("\nPage: {}\n", path.display()))?;
        }
    }
    ending(&comparison, &rulings)
}

fn print(format: ComparisonFormat, comparison: &Comparison, rulings: &[Ruling]) -> Result<(), Failure> {
    let text = match format {
        ComparisonFormat::Normal => {
            let colour = std::io::stdout().is_terminal();
            report::comparison(comparison, rulings, WIDTH, colour)
        }
        ComparisonFormat::Json => {
            let both = serde_json::json!({ "comparison": comparison, "limits": rulings });
            serde_json::to_string_pretty(&both).map_err(Failure::runtime)? + "\n"
        }
    };
    crate::print(&text).map(|_| ())
}

fn write_html(path: &Path, comparison: &Comparison, rulings: &[Ruling]) -> Result<(), Failure> {
    fs::write(path, report::comparison_html(comparison, rulings))
        .map_err(|error| Failure::Runtime(format!("{}: cannot write the page: {error}", path.display())))
}

/// A broken limit comes first; a limit that nothing can be held to is no limit that is kept.
fn ending(comparison: &Comparison, rulings: &[Ruling]) -> Result<ExitCode, Failure> {
    if rulings.iter().any(Ruling::is_broken) {
        return Ok(ExitCode::from(EXIT_LIMIT_BROKEN));
    }
    if let Some(ruling) = rulings.iter().find(|ruling| ruling.is_empty()) {
        let why = ruling.unjudged.first().map_or("no study in both runs has it", |first| first.why.as_str());
        return Err(Failure::Runtime(format!("--fail-if '{}' cannot be judged: {why}", ruling.gate)));
    }
    let failed =
        comparison.studies.iter().flat_map(|study| &study.audits).any(|audit| audit.status == Status::Fail);
    Ok(if failed { ExitCode::from(EXIT_AUDIT_FAILED) } else { ExitCode::SUCCESS })
}
