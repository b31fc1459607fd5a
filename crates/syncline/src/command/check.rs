//! `syncline check`: half a minute, one screen, no reading needed.

use crate::arguments::CheckArguments;
use crate::command::report;
use crate::command::run::{Ran, Request, interrupted_by_signals};
use crate::failure::Failure;
use crate::reference::{ReferenceDevice, devices};
use crate::servers::Wanted;
use crate::studies;
use lab::plan::Overrides;
use model::host::Placement;
use model::run::Run;
use model::study::Study;
use model::units::format_significant;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;
use verdict::{Estimate, Figure, Status, Verdict};

/// The studies whose profile of this name the check is: commits first.
const STUDIES: [&str; 2] = [COMMITS, READS];
const COMMITS: &str = "commit-modes";
const READS: &str = "depth";
const PROFILE: &str = "check";
/// What it may take: rounds that do not fit are not begun, and fewer than six give no intervals.
const BUDGET: Duration = Duration::from_secs(30);
/// etcd wants a p99 of `wal_fsync_duration_seconds` below this: <https://etcd.io/docs/v3.5/faq/>, "failed to send out
/// heartbeat on time" (etcd-io/website, content/en/docs/v3.5/faq.md).
const ETCD_US: f64 = 10_000.0;
/// Flushes for each commit from which on commits reach the device one by one.
const FLUSHES_MIN: f64 = 0.9;

/// Measures, tells, and writes the report like any run.
pub(crate) fn run(arguments: &CheckArguments) -> Result<ExitCode, Failure> {
    let interrupted = interrupted_by_signals()?;
    let studies: Vec<Study> = STUDIES.into_iter().map(studies::find).collect::<Result<_, _>>()?;
    let overrides =
        Overrides { profile: Some(PROFILE.to_owned()), rounds: arguments.rounds, ..Overrides::default() };
    let ready = Request {
        studies: &studies,
        overrides: &overrides,
        dir: &arguments.dir,
        out: arguments.out.as_deref(),
        seed: arguments.seed,
        wanted: Wanted::default(),
        budget: Some(BUDGET),
        what_is_possible: true,
    }
    .make_ready()?;
    let Ran { directory, closed, account: _ } = ready.conduct(&interrupted)?;
    let code = report::publish_as(directory.path(), directory.run(), screen);
    closed.and(code)
}

/// Everything that is told.
fn screen(run: &Run, verdict: &Verdict) -> String {
    let mut text = format!("{}\n\n", title(run));
    let lines = [
        ("durable commits", commits(verdict)),
        ("commit p99", commit_p99(verdict)),
        ("flushes", flushes(verdict)),
        ("etcd", etcd(verdict)),
        ("random reads", reads(verdict)),
    ];
    for (name, told) in lines {
        let _ = writeln!(text, "  {name:16} {told}");
    }
    let _ = writeln!(text, "  {:16} {}", "", over(verdict));
    if let Ok(figure) = figure(verdict, READS, "iops")
        && let Some(ours) = figure.median.point
    {
        text.push_str(&among(ours, &devices()));
    }
    for skipped in &run.plan.skipped {
        let _ = writeln!(text, "\n  skipped: {}: {}", skipped.study, skipped.why);
    }
    text.push_str(&doubts(verdict));
    text
}

fn title(run: &Run) -> String {
    let measured = run.records.iter().find_map(|record| record.measurement.as_ref());
    let place = measured.map_or_else(String::new, |measurement| device(&measurement.placement));
    format!("{}{place} · Linux {}", run.plan.directory, run.host.kernel)
}

fn device(placement: &Placement) -> String {
    let name = placement.model.value().or(placement.device.value());
    name.map_or_else(String::new, |name| format!(" · {} on {}", placement.filesystem, name.trim()))
}

/// A study's figure at its only configuration, or why there is none. What is told of it is the median over trials with its
/// order-statistic interval: rates and latencies are skewed, and an interval between two trials' own values holds nothing
/// that cannot be, such as a latency below zero (docs/statistics.md, "One configuration").
fn figure<'a>(verdict: &'a Verdict, study: &str, metric: &str) -> Result<&'a Figure, String> {
    let study = verdict.studies.iter().find(|found| found.name == study);
    let study = study.ok_or("not measured here, see below")?;
    let cell = study.cells.first().ok_or("not measured")?;
    let figure = cell
        .figures
        .get(metric)
        .ok_or_else(|| study.failures.first().cloned().unwrap_or_else(|| "not measured".to_owned()))?;
    match &figure.unsupported {
        Some(why) => Err(format!("cannot be told: {why}")),
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
        1 => "medians of 1 trial".to_owned(),
        trials => format!("medians of {trials} trials, from one trial's figure to another's"),
    }
}

/// A figure's median over trials.
fn told(figure: &Figure, unit: &str) -> String {
    estimate(&figure.median, unit)
}

/// `342 /s (154 to 530, 96.9 %)`.
fn estimate(estimate: &Estimate, unit: &str) -> String {
    let point = estimate.point.map_or_else(|| "–".to_owned(), format_significant);
    let interval = match (estimate.interval, estimate.level, &estimate.reason) {
        (Some((low, high)), Some(level), _) => {
            format!("({} to {}, {:.1} %)", format_significant(low), format_significant(high), 100.0 * level)
        }
        (_, _, Some(why)) => format!("(no interval: {why})"),
        _ => String::new(),
    };
    format!("{point} {unit} {interval}")
}

fn commits(verdict: &Verdict) -> String {
    match figure(verdict, COMMITS, "commits_per_s") {
        Ok(figure) => {
            format!("{}: one after another, 4 KiB each, fdatasync", told(figure, "/s"))
        }
        Err(why) => why,
    }
}

fn commit_p99(verdict: &Verdict) -> String {
    match figure(verdict, COMMITS, "commit_latency_p99_us") {
        Ok(figure) => told(figure, "µs"),
        Err(why) => why + &longer(verdict),
    }
}

/// How to have a p99 on a disk that is too slow for one: it takes a thousand commits a trial, and some to spare.
fn longer(verdict: &Verdict) -> String {
    const COMMITS_WANTED: f64 = 1200.0;
    let rate = figure(verdict, COMMITS, "commits_per_s").ok().and_then(|figure| figure.median.point);
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
    let told = told(figure, "a commit");
    match figure.median.point {
        Some(flushes) if flushes >= FLUSHES_MIN => format!("reach the device: {told}"),
        _ => format!("{told}: {}", audit(verdict, COMMITS, "volatile-cache").unwrap_or_default()),
    }
}

fn etcd(verdict: &Verdict) -> String {
    let figure = match figure(verdict, COMMITS, "sync_latency_p99_us") {
        Ok(figure) => figure,
        Err(why) => return why,
    };
    let told = format!("fdatasync p99 {}, to be below 10 ms", told(figure, "µs"));
    let fit = match figure.median.interval {
        Some((_, high)) if high < ETCD_US => "fit",
        Some((low, _)) if low > ETCD_US => "not fit",
        Some(_) => "undecided",
        None => "no judgement",
    };
    format!("{fit}: {told}")
}

fn reads(verdict: &Verdict) -> String {
    match figure(verdict, READS, "iops") {
        Ok(figure) => format!("{}: 4 KiB, 32 in flight, O_DIRECT", told(figure, "/s")),
        Err(why) => why,
    }
}

/// This disk's place among those that others publish.
fn among(ours: f64, references: &[ReferenceDevice]) -> String {
    let mut text = "\n  Random reads/s among what others publish\n".to_owned();
    let line =
        |mark: &str, figure: f64, name: &str| format!("  {mark} {:>9}  {name}\n", format_significant(figure));
    let place = references.iter().take_while(|device| device.random_reads_per_s > ours).count();
    for (index, device) in references.iter().enumerate() {
        if index == place {
            text.push_str(&line("→", ours, "this disk"));
        }
        text.push_str(&line(" ", device.random_reads_per_s, &format!("{} [{}]", device.name, index + 1)));
    }
    if place == references.len() {
        text.push_str(&line("→", ours, "this disk"));
    }
    for (index, device) in references.iter().enumerate() {
        let _ = writeln!(text, "    [{}] {}", index + 1, device.source);
    }
    text
}

fn audit(verdict: &Verdict, study: &str, name: &str) -> Option<String> {
    let study = verdict.studies.iter().find(|found| found.name == study)?;
    study.audits.iter().find(|audit| audit.name == name).map(|audit| audit.summary.clone())
}

/// What says that a figure cannot be believed.
fn doubts(verdict: &Verdict) -> String {
    let mut text = String::new();
    for study in &verdict.studies {
        for audit in study.audits.iter().filter(|audit| audit.status == Status::Fail) {
            let _ =
                writeln!(text, "\n  Not to be believed: {} ({}): {}", audit.name, study.name, audit.summary);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One trial of six met a stall: the mean's interval reached below zero, where no latency is.
    #[test]
    fn a_skewed_latency_has_no_interval_below_zero() {
        let of = |point: f64, interval: (f64, f64), level: f64| Estimate {
            point: Some(point),
            interval: Some(interval),
            level: Some(level),
            reason: None,
        };
        let skewed = Figure {
            values: Vec::new(),
            mean: of(190.0, (-40.0, 420.0), 0.95),
            median: of(84.0, (81.0, 710.0), 0.969),
            outliers: vec![3],
            unsupported: None,
            shape_warning: None,
        };
        assert_eq!(told(&skewed, "µs"), "84.0 µs (81.0 to 710, 96.9 %)");
    }

    #[test]
    fn this_disk_has_its_place() {
        let device = |reads: f64| ReferenceDevice {
            name: format!("{reads}"),
            random_reads_per_s: reads,
            source: String::new(),
        };
        let references = [device(3000.0), device(20.0)];
        for (ours, place) in [(5000.0, 0), (3000.0, 0), (100.0, 1), (1.0, 2)] {
            let text = among(ours, &references);
            let lines = text.lines().skip(2);
            assert_eq!(lines.into_iter().position(|line| line.contains('→')), Some(place), "{text}");
        }
    }
}
