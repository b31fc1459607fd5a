//! `syncline report RUN`: everything right of the records, rebuilt from them.

use crate::command::advise;
use crate::failure::{EXIT_AUDIT_FAILED, Failure};
use crate::repeat;
use lab::run_directory;
use model::run::Run;
use model::trial::Outcome;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verdict::{Status, Verdict};

const REPORT: &str = "report.html";
const WIDTH: usize = 100;

/// Reads the run, prints the summary, writes the report beside the records.
pub(crate) fn run(directory: &Path) -> Result<ExitCode, Failure> {
    let run = run_directory::read(directory).map_err(Failure::runtime)?;
    publish(directory, &run)
}

/// Analyses a run and renders it; the exit code says whether an audit failed.
pub(crate) fn publish(directory: &Path, run: &Run) -> Result<ExitCode, Failure> {
    let colour = std::io::stdout().is_terminal();
    publish_as(directory, run, |run, verdict| report::terminal(run, verdict, WIDTH, colour))
}

/// The same, with another text for the terminal.
pub(crate) fn publish_as(
    directory: &Path,
    run: &Run,
    text: impl Fn(&Run, &Verdict) -> String,
) -> Result<ExitCode, Failure> {
    let verdict = analyse(directory, run);
    let path = write_html(directory, run, &verdict)?;
    advise::write(directory, run, &verdict)?;
    crate::print(&text(run, &verdict))?;
    crate::print(&format!(
        "\nReport: {}\nRecords: {}\n",
        path.display(),
        directory.join("trials.jsonl").display()
    ))?;
    match nothing_measured(run, &verdict) {
        Some(why) => Err(Failure::Runtime(format!("no trial measured anything: {why}"))),
        None => Ok(exit_code(&verdict)),
    }
}

/// Why no trial ended well, where none did and some were tried.
fn nothing_measured<'a>(run: &'a Run, verdict: &Verdict) -> Option<&'a str> {
    if verdict.studies.iter().any(|study| study.trials.ok + study.trials.warmup > 0) {
        return None;
    }
    run.records.iter().find_map(|record| match &record.outcome {
        Outcome::Failed(why) | Outcome::Unsupported(why) => Some(why.as_str()),
        Outcome::Killed(_) => Some("every trial was killed at its deadline"),
        Outcome::Ok => None,
    })
}

/// The verdict on a run in a directory.
pub(crate) fn analyse(directory: &Path, run: &Run) -> Verdict {
    verdict::analyse(run, &|key| run_directory::read_sidecar(directory, key))
}

fn write_html(directory: &Path, run: &Run, verdict: &Verdict) -> Result<PathBuf, Failure> {
    let path = directory.join(REPORT);
    fs::write(&path, report::html(run, verdict, &repeat::commands(&run.plan)))
        .map_err(|error| Failure::Runtime(format!("{}: cannot write the report: {error}", path.display())))?;
    Ok(fs::canonicalize(&path).unwrap_or(path))
}

fn exit_code(verdict: &Verdict) -> ExitCode {
    let failed =
        verdict.studies.iter().flat_map(|study| &study.audits).any(|audit| audit.status == Status::Fail);
    if failed { ExitCode::from(EXIT_AUDIT_FAILED) } else { ExitCode::SUCCESS }
}
