//! `syncline preflight`: holds the disk below a directory against the limits of a file, for a pod that decides whether
//! a volume is good enough before a database gets it.
//!
//! Standard output has one line, the event, however the preflight ends; what a person reads goes to standard error. A
//! pod's log has both.

use crate::analysis::judge;
use crate::arguments::PreflightArguments;
use crate::failure::{EXIT_LIMIT_BROKEN, EXIT_LIMIT_UNDECIDED, EXIT_RUNTIME, Failure};
use crate::input_file;
use crate::output::{appearance, print_json, report_error, tell, tell_lines};
use crate::page_file;
use crate::request::{Request, TracedTrials};
use crate::servers::Wanted;
use crate::session::Finished;
use crate::signals::interrupted_by_signals;
use crate::standing::SoFar;
use crate::studies::{self, PREFLIGHT, PREFLIGHT_PROFILE};
use lab::interim::InterimAnswer;
use lab::plan::Overrides;
use model::metric;
use model::plan::{StudyPlan, Turns};
use model::run::Run;
use model::study::Study;
use preflight::{Event, Limit, Limits, MESSAGE_BYTES_MAX, Ruling};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use verdict::StudyVerdict;
use verdict::compare::LimitOutcome;

/// Columns of the text in a file or a pod's log.
const WIDTH: usize = 100;
/// A file of limits is written by hand.
const LIMITS_BYTES_MAX: u64 = 1 << 16;
const SUCCESS: u8 = 0;
/// Whose metrics a limit can be on.
const WHOSE: &str = "the planned studies";

/// Measures, judges, and prints the event.
pub(crate) fn run(arguments: &PreflightArguments) -> Result<ExitCode, Failure> {
    let dir = arguments.dir.as_deref().unwrap_or(Path::new("."));
    let directory = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string();
    let judged = interrupted_by_signals().and_then(|interrupted| measure(arguments, dir, &interrupted));
    let mut event = match judged {
        Ok(judged) => judged.publish(&directory, arguments.junit.as_deref()),
        Err(failure) => {
            report_error(&failure);
            Event::not_measured(directory, failure.reason(), failure.code())
        }
    };
    leave_message(&mut event, arguments.termination_log.as_deref());
    print_json(&(event.line() + "\n"))?;
    Ok(ExitCode::from(event.exit_code))
}

/// A disk that is measured and judged.
struct Judged {
    run: Run,
    /// The run directory.
    place: String,
    rulings: Vec<Ruling>,
}

impl Judged {
    /// Prints the rulings for a person, and writes them as JUnit's XML.
    fn publish(&self, directory: &str, junit: Option<&Path>) -> Event {
        let document = preflight::document(directory, &self.rulings);
        let width = appearance().error_columns.unwrap_or(WIDTH);
        tell_lines(page::terminal::document(&document, width, false).trim_end());
        if lacks_operations(&self.rulings) {
            tell(
                "A percentile needs more operations than these trials had: --fix runtime=10s makes them longer.",
            );
        }
        tell(format!("RUN: {}", self.place));
        let written = junit.map(|file| page_file::write(file, &report::preflight_junit(&self.rulings)));
        let code = match written {
            Some(Err(failure)) => {
                report_error(&failure);
                EXIT_RUNTIME
            }
            Some(Ok(())) | None => exit_code(preflight::over_all(&self.rulings)),
        };
        let measured = self.run.records.iter().find_map(|record| record.measurement.as_ref());
        let placement = measured.map(|measurement| &measurement.placement);
        let mut event = Event::judged(directory.to_owned(), &self.rulings, code);
        event.filesystem = placement.map(|placement| placement.filesystem.clone());
        event.device = placement.and_then(|placement| placement.device.value().cloned());
        event.run = Some(self.place.clone());
        event
    }
}

/// Whether a percentile has no figure: a trial that is too short has none.
fn lacks_operations(rulings: &[Ruling]) -> bool {
    let is_percentile =
        |ruling: &&Ruling| metric::find(&ruling.limit.metric).is_some_and(|m| m.statistic.is_some());
    let rows = rulings.iter().filter(is_percentile).flat_map(|ruling| &ruling.rows);
    rows.into_iter().any(|row| row.outcome == LimitOutcome::NotJudged && row.estimate.is_none())
}

const fn exit_code(outcome: LimitOutcome) -> u8 {
    match outcome {
        LimitOutcome::Kept => SUCCESS,
        LimitOutcome::Broken => EXIT_LIMIT_BROKEN,
        LimitOutcome::Undecided | LimitOutcome::NotJudged => EXIT_LIMIT_UNDECIDED,
    }
}

/// Writes the event where a kubelet looks for it. The file is a mount of its own in a pod, so it is written in place.
fn leave_message(event: &mut Event, file: Option<&Path>) {
    let Some(file) = file else { return };
    if let Err(error) = fs::write(file, event.fitted(MESSAGE_BYTES_MAX)) {
        report_error(format!("syncline: {}: cannot write the event: {error}", file.display()));
        event.exit_code = EXIT_RUNTIME;
    }
}

fn measure(arguments: &PreflightArguments, dir: &Path, interrupted: &AtomicBool) -> Result<Judged, Failure> {
    let limits = limits_file(&arguments.limits)?;
    let studies = planned_studies(arguments)?;
    let metrics = metrics_of_all(&studies)?;
    let limits =
        limits.on(&metrics, WHOSE).map_err(|why| wrong_limits(&arguments.limits, &why.to_string()))?;
    let usual = arguments.studies.is_empty().then(|| PREFLIGHT_PROFILE.to_owned());
    let overrides = Overrides {
        profile: arguments.profile.clone().or(usual),
        fix: arguments.fix.clone(),
        rounds: arguments.rounds,
        turns: Turns::Auto,
        ..Overrides::default()
    };
    let request = Request {
        studies: &studies,
        database: None,
        overrides: &overrides,
        dir,
        out: arguments.out.as_deref(),
        rank: None,
        sharers: 1,
        again: false,
        seed: arguments.seed,
        wanted: Wanted::default(),
        budget: arguments.budget,
        // A profile that somebody named belongs to every study, or is wrong.
        what_is_possible: arguments.studies.is_empty() && arguments.profile.is_none(),
        traced: TracedTrials::None,
        interrupted,
    };
    let session = request.begin()?;
    let family = preflight::expected(&limits, &session.directory.run().plan.studies, metrics_of);
    let of_study = |run: &Run, study: &StudyVerdict, _: &SoFar<'_>| standing(&limits, run, study, family);
    let Finished { directory, closed, account: _ } = session.conduct_until(interrupted, &of_study)?;
    // What was measured does not depend on the clean-up.
    if let Err(left) = closed {
        report_error(left);
    }
    let verdict = judge(directory.files(), directory.run());
    let run = directory.run().clone();
    let rulings = preflight::judge(&limits, &run, &verdict.studies, family);
    Ok(Judged { rulings, place: directory.path().display().to_string(), run })
}

/// Whether the limits on one study are decided. What cannot be judged, more rounds do not change.
fn standing(limits: &[Limit], run: &Run, study: &StudyVerdict, family: usize) -> InterimAnswer {
    let mut rows = limits.iter().flat_map(|limit| preflight::rows(limit, run, study, family));
    if rows.any(|row| row.outcome == LimitOutcome::Undecided) {
        InterimAnswer::Undecided { rounds_needed: None, is_control: false }
    } else {
        InterimAnswer::Decided
    }
}

fn limits_file(file: &Path) -> Result<Limits, Failure> {
    let bytes = input_file::read(file, LIMITS_BYTES_MAX)
        .map_err(|error| Failure::Usage(format!("{}: cannot read the limits: {error}", file.display())))?;
    if bytes.len() as u64 > LIMITS_BYTES_MAX {
        return Err(wrong_limits(file, "it has more than 64 KiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong_limits(file, "it is not UTF-8"))?;
    Limits::parse(&text).map_err(|why| wrong_limits(file, &why.to_string()))
}

fn wrong_limits(file: &Path, why: &str) -> Failure {
    Failure::Usage(format!("{}: {why}", file.display()))
}

fn planned_studies(arguments: &PreflightArguments) -> Result<Vec<Study>, Failure> {
    let names: Vec<&str> = match arguments.studies.as_slice() {
        [] => PREFLIGHT.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    names.into_iter().map(studies::find).collect()
}

/// Full names of the metrics that these studies can measure, each once.
fn metrics_of_all(studies: &[Study]) -> Result<Vec<String>, Failure> {
    let mut metrics: Vec<String> = Vec::new();
    for study in studies {
        // An unknown workload is an error here.
        workload::schema(&study.workload).map_err(Failure::usage)?;
        metrics.extend(metrics_of_workload(&study.workload));
    }
    let mut seen = std::collections::BTreeSet::new();
    metrics.retain(|name| seen.insert(name.clone()));
    Ok(metrics)
}

fn metrics_of(study: &StudyPlan) -> Vec<String> {
    metrics_of_workload(&study.workload)
}

fn metrics_of_workload(workload: &str) -> Vec<String> {
    let Ok(schema) = workload::schema(workload) else { return Vec::new() };
    let families = metric::FAMILIES.iter().filter(|family| schema.metrics.contains(&family.name));
    families.flat_map(metric::of_family).map(|metric| metric.name()).collect()
}
