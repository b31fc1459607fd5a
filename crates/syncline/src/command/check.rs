//! `syncline check`: half a minute, one screen, no reading needed.

use crate::arguments::CheckArguments;
use crate::failure::Failure;
use crate::output;
use crate::publish::publish_as;
use crate::request::Request;
use crate::servers::Wanted;
use crate::session::Finished;
use crate::signals::interrupted_by_signals;
use crate::studies;
use advice::{Advice, Decision};
use lab::plan::Overrides;
use model::host::Placement;
use model::printable;
use model::run::Run;
use model::study::Study;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;
use verdict::{Audit, Figure, Status, Verdict};

/// The studies whose profile of this name the check is: commits first.
const STUDIES: [&str; 2] = [COMMITS, READS];
const COMMITS: &str = "commit-modes";
const READS: &str = "depth";
const PROFILE: &str = "check";
/// Columns of the screen.
const WIDTH: usize = 100;
/// What it may take: rounds that do not fit are not begun, and fewer than six give no intervals.
const BUDGET: Duration = Duration::from_secs(30);

/// Measures, prints one screen, and writes the report like any run.
pub(crate) fn run(arguments: &CheckArguments) -> Result<ExitCode, Failure> {
    let interrupted = interrupted_by_signals()?;
    let studies: Vec<Study> = STUDIES.into_iter().map(studies::find).collect::<Result<_, _>>()?;
    let overrides =
        Overrides { profile: Some(PROFILE.to_owned()), rounds: arguments.rounds, ..Overrides::default() };
    let request = Request {
        studies: &studies,
        overrides: &overrides,
        dir: &arguments.dir,
        out: arguments.out.as_deref(),
        seed: arguments.seed,
        wanted: Wanted::default(),
        budget: Some(BUDGET),
        what_is_possible: true,
        interrupted: &interrupted,
    };
    if arguments.dry_run {
        return request.rehearse()?.print(arguments.format);
    }
    let session = request.begin()?;
    let Finished { directory, closed, account: _ } = session.conduct(&interrupted)?;
    let code = publish_as(directory.files(), directory.run(), arguments.format, screen);
    closed.and(code)
}

/// Everything that is printed.
fn screen(run: &Run, verdict: &Verdict, advice: &[Advice]) -> String {
    let mut text = format!("{}\n\n", printable(&title(run)));
    let lines = [
        (if are_durable(run, verdict) { "durable commits" } else { "commits" }, commits(verdict)),
        ("commit p99", commit_p99(verdict)),
        ("flushes", flushes(verdict)),
        ("etcd", etcd(advice)),
        ("random reads", reads(verdict)),
    ];
    for (name, told) in lines {
        let _ = writeln!(text, "  {name:16} {}", printable(&told));
    }
    let _ = writeln!(text, "  {:16} {}\n", "", over(verdict));
    // What to distrust comes with the figures, before the published ones.
    text.push_str(&report::distrust(verdict, WIDTH, output::appearance().colour));
    text.push_str(&report::among_published(run, verdict));
    for skipped in &run.plan.skipped {
        let why = format!("{}: {}", skipped.study, skipped.why);
        let _ = writeln!(text, "\n  skipped: {}", printable(&why));
    }
    text
}

fn title(run: &Run) -> String {
    let measured = run.records.iter().find_map(|record| record.measurement.as_ref());
    let place = measured.map_or_else(String::new, |measurement| device(&measurement.placement));
    format!("{}{place} · Linux {}", run.plan.directory.display(), run.host.kernel)
}

fn device(placement: &Placement) -> String {
    let name = placement.model.value().or(placement.device.value());
    name.map_or_else(String::new, |name| format!(" · {} on {}", placement.filesystem, name.trim()))
}

/// A study's figure at its only configuration, or why there is none.
fn figure<'a>(verdict: &'a Verdict, study: &str, metric: &str) -> Result<&'a Figure, String> {
    let study = verdict.studies.iter().find(|found| found.name == study);
    let study = study.ok_or("not measured here, see below")?;
    let cell = study.cells.first().ok_or("not measured")?;
    let figure = cell
        .figures
        .get(metric)
        .ok_or_else(|| study.failures.first().cloned().unwrap_or_else(|| "not measured".to_owned()))?;
    match &figure.unsupported {
        Some(why) => Err(format!("unknown: {why}")),
        None => Ok(figure),
    }
}

/// What the figures are.
fn over(verdict: &Verdict) -> String {
    let cells = verdict.studies.iter().filter_map(|study| study.cells.first());
    let counts = cells
        .flat_map(|cell| cell.figures.values())
        .map(|figure| figure.values.iter().filter(|(_, value)| value.is_some()).count());
    match counts.max().unwrap_or(0) {
        1 => "of 1 trial".to_owned(),
        trials => format!("means over {trials} trials with their t intervals, as in the report"),
    }
}

/// A figure as the report has it, and its unit.
fn told(figure: &Figure, metric: &str) -> String {
    report::figure(figure, metric)
}

fn commits(verdict: &Verdict) -> String {
    match figure(verdict, COMMITS, "commits_per_s") {
        Ok(figure) => {
            format!("{}: one after another, 4 KiB each, fdatasync", told(figure, "commits_per_s"))
        }
        Err(why) => why,
    }
}

fn commit_p99(verdict: &Verdict) -> String {
    match figure(verdict, COMMITS, "commit_latency_p99_us") {
        Ok(figure) => told(figure, "commit_latency_p99_us"),
        Err(why) => why + &longer(verdict),
    }
}

/// How to have a p99 on a disk that is too slow for one: it takes a thousand commits a trial, and some to spare.
fn longer(verdict: &Verdict) -> String {
    const COMMITS_WANTED: f64 = 1200.0;
    let rate = figure(verdict, COMMITS, "commits_per_s").ok().and_then(|figure| figure.mean.point);
    rate.filter(|rate| *rate > 0.0).map_or_else(String::new, |rate| {
        let seconds = (COMMITS_WANTED / rate).ceil();
        format!("; syncline run {COMMITS} --profile {PROFILE} --fix runtime={seconds}s has more")
    })
}

/// Whether what was acknowledged had reached the device: its own count of flushes says so.
fn flushes(verdict: &Verdict) -> String {
    let figure = match figure(verdict, COMMITS, "device_flushes_per_commit") {
        Ok(figure) => figure,
        Err(why) => return why,
    };
    let told = format!("{} a commit", told(figure, "device_flushes_per_commit"));
    // One trial without its flushes refutes the promise, whatever the median of all.
    match audit(verdict, COMMITS, "volatile-cache") {
        Some(audit) if audit.status == Status::Pass => format!("reach the device: {told}"),
        Some(audit) => format!("{told}: {}", audit.summary),
        None => told,
    }
}

/// What the advice for etcd says: its rule, its bound and the audits that it requires are one everywhere.
fn etcd(advice: &[Advice]) -> String {
    let advice = advice.iter().find(|advice| advice.database == "etcd");
    match advice.and_then(|advice| advice.settings.first()).map(|setting| &setting.decision) {
        Some(Decision::Advised(found)) => format!("{}: {}", found.value, found.statement),
        Some(Decision::NoAdvice(none)) => format!("no judgement: {}", none.reason),
        None => "not measured".to_owned(),
    }
}

/// Whether commits may be called durable.
fn are_durable(run: &Run, verdict: &Verdict) -> bool {
    let study = verdict.studies.iter().find(|study| study.name == COMMITS);
    let plan = run.plan.studies.iter().find(|plan| plan.name == COMMITS);
    study.zip(plan).is_some_and(|(study, plan)| study.is_durable(plan, 0))
}

fn reads(verdict: &Verdict) -> String {
    match figure(verdict, READS, "iops") {
        Ok(figure) => format!("{}: 4 KiB, 32 in flight, O_DIRECT", told(figure, "iops")),
        Err(why) => why,
    }
}

fn audit<'a>(verdict: &'a Verdict, study: &str, name: &str) -> Option<&'a Audit> {
    let study = verdict.studies.iter().find(|found| found.name == study)?;
    study.audits.iter().find(|audit| audit.name == name)
}
