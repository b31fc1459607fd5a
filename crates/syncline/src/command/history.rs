//! `syncline history RUN|FOLDER…`: many runs of one disk, and where the level of a figure changed.

mod redaction;

use super::fleet::directories;
use crate::analysis::{judge, shown};
use crate::arguments::{DocumentFormat, HistoryArguments};
use crate::document;
use crate::failure::{EXIT_LIMIT_BROKEN, EXIT_LIMIT_UNDECIDED, Failure};
use crate::output;
use crate::page_file;
use fleet::Unused as NotRead;
use lab::run_directory::RunFiles;
use model::printable;
use page::{Document, Text};
use redaction::Read;
use serde::Serialize;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use verdict::compare::{Gate, LimitOutcome};
use verdict::history::{Disk, History, HistoryRuling, Probe, Unfit, Unused};

/// The result as JSON.
#[derive(Serialize)]
struct Seen<'a> {
    #[serde(flatten)]
    history: &'a History,
    limits: &'a [HistoryRuling],
}

/// Reads the runs, prints the history, writes the page; the exit code says whether the limits are kept.
pub(crate) fn run(arguments: &HistoryArguments) -> Result<ExitCode, Failure> {
    // A mistake in a limit shall not cost the time of reading a thousand runs.
    require_limits(&arguments.fail_if)?;
    let found = directories::below_all(&arguments.runs)?;
    let mut unused: Vec<Unused> =
        found.unread.into_iter().filter_map(|unread| not_read(unread.run, unread.why)).collect();
    let mut used = Vec::new();
    for read in read(&found.runs, arguments.redact) {
        match read {
            Ok(read) => used.push(read),
            Err(one) => unused.push(one),
        }
    }
    let probes = if arguments.redact {
        unused = unused.into_iter().map(redaction::unnamed).collect();
        redaction::numbered(used)
    } else {
        used.into_iter().map(|read| read.probe).collect()
    };
    let is_read = |one: &Unused| !matches!(one.why, Unfit::Unreadable { .. });
    let (unread, runs) = (unused.iter().filter(|one| !is_read(one)).count(), probes.len() + unused.len());
    let history = History::new(probes, unused);
    let measured = history.metrics();
    let limits = arguments.fail_if.iter().map(|text| Gate::parse(text, &measured, "the latest run"));
    let limits: Vec<Gate> =
        limits.collect::<Result<_, _>>().map_err(|why| Failure::Usage(format!("--fail-if {why}")))?;
    let limits: Vec<HistoryRuling> = limits.iter().map(|gate| history.judge(gate)).collect();
    let elsewhere =
        arguments.html.is_none().then(|| Text::from("--html FILE writes a page with every series drawn."));
    let document = Document { elsewhere, ..report::history(&history, &limits) };
    let seen = Seen { history: &history, limits: &limits };
    document::publish(&seen, &document, arguments.format, arguments.html.as_deref())?;
    if let Some(path) = &arguments.csv {
        page_file::write(path, &report::csv_history(&history))?;
        if arguments.format == DocumentFormat::Text {
            output::print(&format!("CSV: {}\n", printable(&path.display().to_string())))?;
        }
    }
    if history.disks.is_empty() || unread > 0 {
        return Err(Failure::Runtime(match unread {
            0 => "no run can be used".to_owned(),
            _ => format!("{unread} of {runs} run directories cannot be read"),
        }));
    }
    ending(&limits, arguments.allow_undecided)
}

/// A broken limit comes first, then one that cannot be judged, which `--allow-undecided` does not let pass.
fn ending(limits: &[HistoryRuling], allow_undecided: bool) -> Result<ExitCode, Failure> {
    let first = |outcome: LimitOutcome| limits.iter().find(|ruling| ruling.outcome == outcome);
    if first(LimitOutcome::Broken).is_some() {
        return Ok(ExitCode::from(EXIT_LIMIT_BROKEN));
    }
    if let Some(ruling) = first(LimitOutcome::NotJudged) {
        let why = ruling.series.iter().find_map(|series| series.why.clone());
        let why = why.unwrap_or_else(|| "no series has it".to_owned());
        return Err(Failure::NotJudged(format!("--fail-if '{}' cannot be judged: {why}", ruling.gate)));
    }
    let is_open = first(LimitOutcome::Undecided).is_some() && !allow_undecided;
    Ok(if is_open { ExitCode::from(EXIT_LIMIT_UNDECIDED) } else { ExitCode::SUCCESS })
}

/// What is typed as a limit can be one.
fn require_limits(typed: &[String]) -> Result<(), Failure> {
    let refused = |why| Failure::Usage(format!("--fail-if {why}"));
    typed.iter().try_for_each(|text| Gate::require_possible(text).map_err(refused))
}

/// Every run, reduced to what a history needs, if wanted without its names; every CPU takes a part.
fn read(runs: &[PathBuf], redact: bool) -> Vec<Result<Read, Unused>> {
    let of_part = |part: &[PathBuf]| -> Vec<Result<Read, Unused>> {
        part.iter().map(|path| probe(path, redact)).collect()
    };
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let mut parts = runs.chunks(runs.len().div_ceil(cpus).max(1));
    let Some(first) = parts.next() else { return Vec::new() };
    thread::scope(|scope| {
        // A part whose thread cannot be started is read here.
        let start = |part| (part, thread::Builder::new().spawn_scoped(scope, move || of_part(part)));
        let others: Vec<_> = parts.map(start).collect();
        let mut read = of_part(first);
        for (part, other) in others {
            read.extend(match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => of_part(part),
            });
        }
        read
    })
}

fn probe(path: &Path, redact: bool) -> Result<Read, Unused> {
    let name = path.display().to_string();
    let unused = |why| Unused { run: name.clone(), why };
    let unreadable = |error: String| unused(Unfit::Unreadable { error });
    let opened = RunFiles::open(path).and_then(|files| {
        let (run, spikes) = (files.run()?, files.spikes()?);
        Ok((files, run, spikes))
    });
    let (files, run, spikes) = opened.map_err(|error| unreadable(error.to_string()))?;
    let shown = shown(&run, redact).map_err(|failure| unreadable(failure.reason()))?;
    let probe = Probe::of(name.clone(), &shown, &judge(&files, &shown)).map_err(&unused)?;
    // A run that was used has a disk.
    let disk = Disk::of(&run).unwrap_or_else(|| probe.disk.clone());
    Ok(Read { probe: probe.with_spikes(&spikes), disk })
}

fn not_read(run: String, why: NotRead) -> Option<Unused> {
    match why {
        NotRead::Unreadable { error } => Some(Unused { run, why: Unfit::Unreadable { error } }),
        NotRead::Shared | NotRead::MeasuredNothing { .. } => None,
    }
}
