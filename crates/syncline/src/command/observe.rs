//! `syncline observe`: what a running database asks of its disk.

mod display;
mod measured;

use crate::arguments::ObserveArguments;
use crate::document;
use crate::failure::Failure;
use crate::output::tell;
use crate::page_file;
use crate::signals;
use advice::ForLoad;
use display::Display;
use measured::Measured;
use model::units::format_elapsed;
use observe::{Machine, MissingTracepoint, Observation, Observer, Target};
use page::{Document, Text};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use trace::now_ns;
use trace::stream::{Recorded, Stream, StreamLimits};

/// How long the end of the time, a signal or the end of the process may wait.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What is printed as JSON.
#[derive(Serialize)]
struct Seen<'a> {
    #[serde(flatten)]
    observation: &'a Observation,
    /// One for each database that was seen and that the run has advice for.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    advice: &'a [ForLoad],
}

/// Observes until the time is over, a signal comes or the process ends, and prints what was seen.
pub(crate) fn run(arguments: &ObserveArguments) -> Result<ExitCode, Failure> {
    let interrupted = signals::interrupted_by_signals()?;
    let machine = Machine::default();
    let target = target(arguments, &machine)?;
    if let Some(path) = &arguments.study {
        require_study_file(path)?;
    }
    if let Some(path) = &arguments.html {
        require_place_of("--html", path)?;
    }
    let measured = arguments.run.as_deref().map(Measured::of_run).transpose()?;
    // The cause of a spike needs the events of every operation, which a busy server feels.
    let is_every_call = arguments.every_call || arguments.spikes.is_some();
    let recorded = if is_every_call { Recorded::Always } else { Recorded::InWindows };
    let limits = StreamLimits { recorded, ..StreamLimits::default() };
    let stream = Stream::start(limits).map_err(Failure::runtime)?;
    let spike_ns = arguments.spikes.map(|least| least.as_nanos() as u64);
    let threads = stream.kernel_threads().clone();
    let mut observer = Observer::new(target.clone(), &machine, threads, now_ns(), spike_ns);
    tell(format!("observing {} for {}", observer.target(), format_elapsed(arguments.duration.as_secs_f64())));
    let mut display = Display::new(arguments.duration);
    while !interrupted.load(Ordering::Relaxed) && !display.is_over() {
        if let Some(batch) = stream.next(LOOK_EVERY) {
            observer.take(&batch);
        }
        display.show(|| observer.progress());
        if let Target::Process(process) = target
            && !machine.is_there(process)
        {
            display.finish();
            tell(format!("process {process} has ended"));
            break;
        }
    }
    display.finish();
    let missing = stream.missing().iter().filter_map(MissingTracepoint::of).collect();
    stream.stop().iter().for_each(|batch| observer.take(batch));
    let observation = observer.finish(missing);
    let advice = measured.as_ref().map(|run| run.for_load_of(&observation)).unwrap_or_default();
    let observation = Observation { against: measured.map(|run| run.against), ..observation };
    publish(arguments, &observation, &advice)?;
    // Last: a load without a study, or a full disk, loses nothing of what was observed.
    if let Some(path) = &arguments.study {
        page_file::write(path, &observation.study().map_err(Failure::runtime)?)?;
        tell(format!("the study is in {0}: syncline run {0}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn publish(
    arguments: &ObserveArguments,
    observation: &Observation,
    advice: &[ForLoad],
) -> Result<(), Failure> {
    let elsewhere = arguments.html.is_none().then(|| Text::from("--html FILE writes a page with drawings."));
    let document = Document { elsewhere, ..observation.document(advice::for_load(advice)) };
    document::publish(&Seen { observation, advice }, &document, arguments.format, arguments.html.as_deref())
}

/// A mistake in a name shall not cost the time of the observation.
fn require_study_file(path: &Path) -> Result<(), Failure> {
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Failure::Usage(format!("--study {}: a study's file ends in .toml", path.display())));
    }
    require_place_of("--study", path)
}

/// The same for any file that is written at the end.
fn require_place_of(option: &str, path: &Path) -> Result<(), Failure> {
    if path.is_dir() || path.parent().is_some_and(|parent| parent != Path::new("") && !parent.is_dir()) {
        let why = "no such directory, or a directory itself";
        return Err(Failure::Usage(format!("{option} {}: {why}", path.display())));
    }
    Ok(())
}

/// What is typed as what is meant. clap takes exactly one of them.
fn target(arguments: &ObserveArguments, machine: &Machine) -> Result<Target, Failure> {
    machine.require_own_processes().map_err(Failure::usage)?;
    let ObserveArguments { pid, unit, dir, device, .. } = arguments;
    let target = match (pid, unit, dir, device) {
        (Some(process), ..) => machine.process(*process),
        (None, Some(unit), ..) => machine.unit(unit),
        (None, None, Some(path), _) => machine.directory(path),
        (None, None, None, device) => machine.device(device.as_deref().unwrap_or_default()),
    };
    target.map_err(Failure::usage)
}
