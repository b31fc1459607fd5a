//! Publishes a run: the page and the advice beside the records, a summary on the terminal, an exit code.

use crate::analysis::{analyse, explained, is_redacted};
use crate::arguments::ResultFormat;
use crate::document::{self, Document};
use crate::failure::{EXIT_AUDIT_FAILED, Failure};
use crate::fio_results;
use crate::output;
use crate::page_file;
use crate::proofs;
use crate::repeat;
use advice::{Advice, ComputedValues, RunName};
use fleet::scaling::{self, ScalingOf};
use lab::run_directory::RunFiles;
use model::printable;
use model::run::Run;
use model::trial::TrialOutcome;
use proof::Proof;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use verdict::explanation::Explanation;
use verdict::{Status, Verdict, shows_busy_machine};

const REPORT: &str = "report.html";
const ADVICE: &str = "advice";
pub(crate) const WIDTH: usize = 100;

/// Analyses a run and renders it; the exit code says whether an audit failed.
pub(crate) fn publish(files: &RunFiles, run: &Run, format: ResultFormat) -> Result<ExitCode, Failure> {
    Analysed::of(files, run)?.publish(format, summary)
}

/// The same at the end of a session, with this text for the terminal. A rank prints a line, because the screens of all
/// ranks would mix.
pub(crate) fn publish_session(
    files: &RunFiles,
    run: &Run,
    format: ResultFormat,
    text: impl Fn(&Run, &Verdict, &[Advice], &[Explanation]) -> String,
) -> Result<ExitCode, Failure> {
    let analysed = Analysed::of(files, run)?;
    match run.plan.rank {
        None => analysed.publish(format, text),
        Some(rank) => analysed.publish(format, |run, verdict, _, _| report::of_rank(rank, run, verdict)),
    }
}

/// Analyses a run and renders it into the file that the user names; it writes nothing beside the records.
pub(crate) fn publish_page(
    files: &RunFiles,
    run: &Run,
    page: &Path,
    format: ResultFormat,
) -> Result<ExitCode, Failure> {
    let analysed = Analysed::of(files, run)?;
    let written = page_file::write(page, &analysed.html());
    let printed = analysed.print(format, written.is_ok().then_some(page), summary);
    first_failure([written, printed])?;
    ending(run, &analysed.verdict)
}

/// The screen at the end of a run.
pub(crate) fn outcome(
    run: &Run,
    verdict: &Verdict,
    advice: &[Advice],
    explanations: &[Explanation],
) -> String {
    let colour = output::appearance().colour;
    report::outcome(run, verdict, advice, output::width(WIDTH), colour) + &explained_below(explanations)
}

/// The screen of a run that is reported again.
fn summary(run: &Run, verdict: &Verdict, advice: &[Advice], explanations: &[Explanation]) -> String {
    let colour = output::appearance().colour;
    report::terminal(run, verdict, advice, output::width(WIDTH), colour) + &explained_below(explanations)
}

fn explained_below(explanations: &[Explanation]) -> String {
    report::explanation(explanations, output::width(WIDTH), output::appearance().colour)
}

/// What is known about a run: its records, its verdict, what follows from it, and what lies beside the records.
struct Analysed<'a> {
    files: &'a RunFiles,
    run: &'a Run,
    verdict: Verdict,
    advice: Vec<Advice>,
    /// The latest proof of what the run advises.
    proof: Option<Proof>,
    /// What all ranks measured together.
    scaling: Vec<ScalingOf>,
    /// What its traced trials show.
    explanations: Vec<Explanation>,
}

impl<'a> Analysed<'a> {
    fn of(files: &'a RunFiles, run: &'a Run) -> Result<Self, Failure> {
        let mut verdict = analyse(files, run);
        let explanations = explained(files, run, &mut verdict)?;
        // A proof names paths, so a run that is shown without its names has none.
        let proof = if is_redacted(run) { None } else { proofs::latest_in(files.path()) };
        let shared = files.shared().map_err(Failure::runtime)?;
        // A run of a job file is about the disk and no database.
        let advice =
            if fio_results::is_of_job_file(run) { Vec::new() } else { advice::advise(run, &verdict) };
        let advice = match &proof {
            Some(proof) => proof.settled(advice),
            None => advice,
        };
        let scaling = scaling::of_run(run, &shared);
        Ok(Self { files, run, verdict, advice, proof, scaling, explanations })
    }

    /// Writes the page and the advice beside the records, and prints a text in which nothing has to be escaped any
    /// more.
    ///
    /// What cannot be written beside the records takes nothing else with it: the text is printed, and then each file
    /// that is missing.
    fn publish(
        &self,
        format: ResultFormat,
        text: impl Fn(&Run, &Verdict, &[Advice], &[Explanation]) -> String,
    ) -> Result<ExitCode, Failure> {
        let directory = self.files.path().display();
        let page = self.write_html().map_err(|failure| {
            failure.with(&format!("syncline report {directory} --html FILE writes it elsewhere"))
        });
        let fragments = write_advice(self.files, self.run, &self.advice, ComputedValues::Comments)
            .map(drop)
            .map_err(|failure| failure.with(&format!("syncline advise {directory} prints it")));
        let printed = self.print(format, page.as_deref().ok(), text);
        first_failure([page.map(drop), fragments, printed])?;
        ending(self.run, &self.verdict)
    }

    /// Prints what was found and where it is.
    fn print(
        &self,
        format: ResultFormat,
        page: Option<&Path>,
        text: impl Fn(&Run, &Verdict, &[Advice], &[Explanation]) -> String,
    ) -> Result<(), Failure> {
        let Self { files, run, verdict, advice, scaling, .. } = self;
        match format {
            ResultFormat::Text => {
                let text = self.below(text(run, verdict, &naming(advice, files, run), &self.explanations));
                let shown = |path: &Path| printable(&path.display().to_string()).into_owned();
                let place = page.map_or_else(String::new, |path| format!("Report: {}\n", shown(path)));
                let records = shown(&files.path().join("trials.jsonl"));
                // Help, documents and advice call it RUN.
                let run = shown(files.path());
                let again = self.again().map_or_else(String::new, |command| {
                    format!("When the machine is quiet: {}\n", printable(&command))
                });
                let text = format!("{text}\n{place}Records: {records}\nRUN: {run}\n{again}");
                output::print_rendered(&text).map(drop)
            }
            ResultFormat::Json => {
                let document = Document::new(run, files.path(), page, verdict, advice);
                let document = document.with_shared(scaling).with_explanations(&self.explanations);
                document::print(&document).map(drop)
            }
        }
    }

    /// The command that makes the run again, if others used the machine. A rank is started by its launcher.
    fn again(&self) -> Option<String> {
        let audits = self.verdict.studies.iter().flat_map(|study| &study.audits);
        let is_busy = audits.into_iter().any(|audit| shows_busy_machine(&audit.name, audit.status));
        (is_busy && self.run.plan.rank.is_none()).then(|| repeat::one_line(&self.run.plan))
    }

    /// A text, what all ranks measured together, and the proof of what the text advises.
    fn below(&self, text: String) -> String {
        let colour = output::appearance().colour;
        let proof = self.proof.as_ref();
        let proof =
            proof.map_or_else(String::new, |proof| report::proof_beside(proof, output::width(WIDTH), colour));
        text + &report::scaling(&self.scaling, output::width(WIDTH), colour) + &proof
    }

    fn html(&self) -> String {
        let beside = report::Beside {
            proof: self.proof.as_ref(),
            scaling: &self.scaling,
            explanations: &self.explanations,
        };
        report::html_with(self.run, &self.verdict, &self.advice, beside, &repeat::commands(&self.run.plan))
    }

    fn write_html(&self) -> Result<PathBuf, Failure> {
        let path = self.files.replace(REPORT, self.html().as_bytes()).map_err(Failure::runtime)?;
        // The whole path may hold names that are left out.
        Ok(if is_redacted(self.run) { path } else { fs::canonicalize(&path).unwrap_or(path) })
    }
}

/// The advice with commands that can be typed as they are. The path may hold names that are left out.
pub(crate) fn naming(advice: &[Advice], files: &RunFiles, run: &Run) -> Vec<Advice> {
    let name = if is_redacted(run) {
        RunName::Placeholder
    } else {
        RunName::Path(repeat::quoted(&files.path().display().to_string()))
    };
    advice.iter().map(|advice| advice.naming(&name)).collect()
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
        TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) => Some(why.as_str()),
        TrialOutcome::Killed(_) => Some("every trial was killed at its deadline"),
        TrialOutcome::Ok => None,
    });
    Some(match why {
        Some(why) => format!("no trial succeeded: {why}"),
        None => format!(
            "nothing was analysed: none of {planned} trials has run; continue with syncline run --resume"
        ),
    })
}

/// Writes a file for every database that something is advised for, and removes those of an earlier analysis.
pub(crate) fn write_advice(
    files: &RunFiles,
    run: &Run,
    advice: &[Advice],
    computed: ComputedValues,
) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for advice in advice {
        match advice::fragment(run, advice, computed) {
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
