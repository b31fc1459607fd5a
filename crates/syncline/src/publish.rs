//! Publishes a run: the page and the advice beside the records, a summary on the terminal, an exit code.

use crate::analysis::{analyse, is_redacted};
use crate::arguments::ResultFormat;
use crate::document::{self, Document};
use crate::failure::{EXIT_AUDIT_FAILED, Failure};
use crate::output;
use crate::page_file;
use crate::proofs;
use crate::repeat;
use advice::Advice;
use fleet::scaling::{self, ScalingOf};
use lab::run_directory::RunFiles;
use model::printable;
use model::run::Run;
use model::trial::Outcome;
use proof::Proof;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verdict::{Status, Verdict};

const REPORT: &str = "report.html";
const ADVICE: &str = "advice";
const WIDTH: usize = 100;

/// Analyses a run and renders it; the exit code says whether an audit failed.
pub(crate) fn publish(files: &RunFiles, run: &Run, format: ResultFormat) -> Result<ExitCode, Failure> {
    publish_as(files, run, format, summary)
}

/// The same as [`publish`], with another text for the terminal, in which nothing has to be escaped any more.
///
/// What cannot be written beside the records takes nothing else with it: the summary is printed, and then each file that
/// is missing.
pub(crate) fn publish_as(
    files: &RunFiles,
    run: &Run,
    format: ResultFormat,
    text: impl Fn(&Run, &Verdict, &[Advice]) -> String,
) -> Result<ExitCode, Failure> {
    let verdict = analyse(files, run);
    let beside = Beside::of(files, run)?;
    let advice = beside.settled(advice::advise(run, &verdict));
    let page = write_html(files, (run, &verdict, &advice), &beside).map_err(|failure| {
        let run = files.path().display();
        failure.with(&format!("syncline report {run} --html FILE writes it elsewhere"))
    });
    let fragments = write_advice(files, run, &advice).map(drop).map_err(|failure| {
        let run = files.path().display();
        failure.with(&format!("syncline advise {run} prints it"))
    });
    let printed = match format {
        ResultFormat::Text => {
            print_summary(&beside.below(text(run, &verdict, &advice)), files.path(), page.as_deref().ok())
        }
        ResultFormat::Json => {
            print_document(files.path(), (run, &verdict, &advice), &beside, page.as_deref().ok())
        }
    };
    first_failure([page.map(drop), fragments, printed])?;
    ending(run, &verdict)
}

/// The same as [`publish`], at the end of a session. A rank prints a line, because the screens of all ranks would mix.
pub(crate) fn publish_session(
    files: &RunFiles,
    run: &Run,
    format: ResultFormat,
) -> Result<ExitCode, Failure> {
    publish_session_as(files, run, format, summary)
}

/// The same, with another text for the terminal.
pub(crate) fn publish_session_as(
    files: &RunFiles,
    run: &Run,
    format: ResultFormat,
    text: impl Fn(&Run, &Verdict, &[Advice]) -> String,
) -> Result<ExitCode, Failure> {
    match run.plan.rank {
        None => publish_as(files, run, format, text),
        Some(rank) => publish_as(files, run, format, |run, verdict, _| report::of_rank(rank, run, verdict)),
    }
}

/// Analyses a run and renders it into the file that the user names; it writes nothing beside the records.
pub(crate) fn publish_page(
    files: &RunFiles,
    run: &Run,
    page: &Path,
    format: ResultFormat,
) -> Result<ExitCode, Failure> {
    let verdict = analyse(files, run);
    let beside = Beside::of(files, run)?;
    let advice = beside.settled(advice::advise(run, &verdict));
    let written = page_file::write(page, &html((run, &verdict, &advice), &beside));
    let shown = written.is_ok().then_some(page);
    let printed = match format {
        ResultFormat::Text => {
            print_summary(&beside.below(summary(run, &verdict, &advice)), files.path(), shown)
        }
        ResultFormat::Json => print_document(files.path(), (run, &verdict, &advice), &beside, shown),
    };
    first_failure([written, printed])?;
    ending(run, &verdict)
}

fn summary(run: &Run, verdict: &Verdict, advice: &[Advice]) -> String {
    report::terminal(run, verdict, advice, WIDTH, output::appearance().colour)
}

/// Prints what was found and where it is.
fn print_summary(text: &str, directory: &Path, page: Option<&Path>) -> Result<(), Failure> {
    let shown = |path: &Path| printable(&path.display().to_string()).into_owned();
    let place = page.map_or_else(String::new, |path| format!("Report: {}\n", shown(path)));
    let records = shown(&directory.join("trials.jsonl"));
    output::print_rendered(&format!("{text}\n{place}Records: {records}\n")).map(drop)
}

/// The same as one JSON document.
fn print_document(
    directory: &Path,
    (run, verdict, advice): Known<'_>,
    beside: &Beside,
    page: Option<&Path>,
) -> Result<(), Failure> {
    let document = Document::new(run, directory, page, verdict, advice);
    document::print(&document.with_shared(&beside.scaling)).map(drop)
}

/// Fails by the first of several failures, after telling the others.
fn first_failure(results: impl IntoIterator<Item = Result<(), Failure>>) -> Result<(), Failure> {
    let mut failures = results.into_iter().filter_map(Result::err);
    let first = failures.next();
    failures.for_each(output::report_error);
    first.map_or(Ok(()), Err)
}

/// The exit code of a run after its report: whether anything was measured, and whether an audit failed.
fn ending(run: &Run, verdict: &Verdict) -> Result<ExitCode, Failure> {
    match nothing_analysed(run, verdict) {
        Some(why) => Err(Failure::Runtime(why)),
        None => Ok(exit_code(verdict)),
    }
}

/// Why nothing is known about a run if no trial of it can be analysed: a partial run is not a success.
fn nothing_analysed(run: &Run, verdict: &Verdict) -> Option<String> {
    let trials = || verdict.studies.iter().map(|study| &study.trials);
    if trials().any(|counts| counts.ok > 0) {
        return None;
    }
    let planned: usize = trials().map(|counts| counts.planned).sum();
    let warmup: usize = trials().map(|counts| counts.warmup).sum();
    if warmup > 0 {
        return Some(format!(
            "nothing was analysed: of {planned} trials only {warmup} warm-up trials succeeded; continue with \
             syncline run --resume, with more --budget if the run had one"
        ));
    }
    let why = run.records.iter().find_map(|record| match &record.outcome {
        Outcome::Failed(why) | Outcome::Unsupported(why) => Some(why.as_str()),
        Outcome::Killed(_) => Some("every trial was killed at its deadline"),
        Outcome::Ok => None,
    });
    Some(match why {
        Some(why) => format!("no trial succeeded: {why}"),
        None => format!(
            "nothing was analysed: none of {planned} trials has run; continue with syncline run --resume"
        ),
    })
}

/// What is known about a run: its records, its verdict, and what follows from it.
type Known<'a> = (&'a Run, &'a Verdict, &'a [Advice]);

/// What lies beside the records of a run, if anything does.
struct Beside {
    proof: Option<Proof>,
    scaling: Vec<ScalingOf>,
}

impl Beside {
    fn of(files: &RunFiles, run: &Run) -> Result<Self, Failure> {
        // A proof names paths, so a run that is shown without its names has none.
        let proof = if is_redacted(run) { None } else { proofs::latest_in(files.path()) };
        let shared = files.shared().map_err(Failure::runtime)?;
        Ok(Self { proof, scaling: scaling::of_run(run, &shared) })
    }

    /// The advice, with what the proof decided of it.
    fn settled(&self, advice: Vec<Advice>) -> Vec<Advice> {
        match &self.proof {
            Some(proof) => proof.settled(advice),
            None => advice,
        }
    }

    /// A summary, what all ranks measured together, and the proof of what the summary advises.
    fn below(&self, summary: String) -> String {
        let colour = output::appearance().colour;
        let proof = self.proof.as_ref();
        let proof = proof.map_or_else(String::new, |proof| report::proof_beside(proof, WIDTH, colour));
        summary + &report::scaling(&self.scaling, WIDTH, colour) + &proof
    }
}

fn html((run, verdict, advice): Known<'_>, Beside { proof, scaling }: &Beside) -> String {
    let beside = report::Beside { proof: proof.as_ref(), scaling };
    report::html_with(run, verdict, advice, beside, &repeat::commands(&run.plan))
}

fn write_html(files: &RunFiles, known: Known<'_>, beside: &Beside) -> Result<PathBuf, Failure> {
    let run = known.0;
    let path = files.replace(REPORT, html(known, beside).as_bytes()).map_err(Failure::runtime)?;
    // The whole path may hold names that are left out.
    Ok(if is_redacted(run) { path } else { fs::canonicalize(&path).unwrap_or(path) })
}

/// Writes a file for every database that something is advised for, and removes those of an earlier analysis.
pub(crate) fn write_advice(files: &RunFiles, run: &Run, advice: &[Advice]) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for advice in advice {
        match report::fragment(run, advice) {
            Some(text) => {
                let replaced = files.replace_in(ADVICE, &advice.fragment, text.as_bytes());
                written.push(replaced.map_err(Failure::runtime)?);
            }
            None => files.remove_in(ADVICE, &advice.fragment).map_err(Failure::runtime)?,
        }
    }
    Ok(written)
}

fn exit_code(verdict: &Verdict) -> ExitCode {
    let failed =
        verdict.studies.iter().flat_map(|study| &study.audits).any(|audit| audit.status == Status::Fail);
    if failed { ExitCode::from(EXIT_AUDIT_FAILED) } else { ExitCode::SUCCESS }
}
