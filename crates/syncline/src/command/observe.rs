//! `syncline observe`: what a running database asks of its disk.

use crate::analysis::judge;
use crate::appearance::Progress as Drawn;
use crate::arguments::{ObserveArguments, ResultFormat};
use crate::document;
use crate::failure::Failure;
use crate::output::{self, appearance, tell};
use crate::page_file;
use crate::signals;
use indicatif::{ProgressBar, ProgressStyle};
use lab::run_directory::RunFiles;
use model::figure::{counted, round};
use model::printable;
use model::units::format_elapsed;
use observe::{AgainstRun, DiskFigure, Machine, MissingTracepoint, Observation, Observer, Progress, Target};
use ratings::Question;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use trace::now_ns;
use trace::stream::{Stream, StreamLimits};

const WIDTH: usize = 120;
/// How long the end of the time, a signal or the end of the process may wait.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often a bar is drawn, and how often a line comes without a terminal.
const DRAWN_EVERY: Duration = Duration::from_secs(1);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Observes until the time is over, a signal comes or the process ends, and prints what was seen.
pub(crate) fn run(arguments: &ObserveArguments) -> Result<ExitCode, Failure> {
    let interrupted = signals::interrupted_by_signals()?;
    let machine = Machine::default();
    let target = target(arguments, &machine)?;
    if let Some(path) = &arguments.study {
        require_study_file(path)?;
    }
    let against = arguments.run.as_deref().map(disk).transpose()?;
    let stream = Stream::start(StreamLimits::default()).map_err(Failure::runtime)?;
    let spike_ns = arguments.spikes.map(|least| least.as_nanos() as u64);
    let threads = stream.interrupt_threads().clone();
    let mut observer = Observer::new(target.clone(), &machine, threads, now_ns(), spike_ns);
    tell(format!("observing {} for {}", observer.target(), format_elapsed(arguments.duration.as_secs_f64())));
    let mut display = Display::new(arguments.duration);
    while !interrupted.load(Ordering::Relaxed) && !display.is_over() {
        if let Some(batch) = stream.next(LOOK_EVERY) {
            observer.take(&batch);
        }
        display.show(observer.progress());
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
    let observation = Observation { against, ..observer.finish(missing) };
    let printed = match arguments.format {
        ResultFormat::Text => {
            let colour = appearance().colour;
            let text = page::terminal::document(&observation.document(), output::width(WIDTH), colour);
            output::print_rendered(&text)
        }
        ResultFormat::Json => document::print(&observation),
    }?;
    // Last: a load without a study, or a full disk, loses nothing of what was observed.
    if let Some(path) = &arguments.study {
        page_file::write(path, &observation.study().map_err(Failure::runtime)?)?;
        tell(format!("the study is in {0}: syncline run {0}", path.display()));
    }
    Ok(printed)
}

/// What a run measured on its disk.
fn disk(directory: &Path) -> Result<AgainstRun, Failure> {
    let files = RunFiles::open(directory).map_err(Failure::runtime)?;
    let run = files.run().map_err(Failure::runtime)?;
    let ratings = ratings::ratings(&run, &judge(&files, &run));
    let figure = |question: Question| {
        let rating = ratings.iter().find(|rating| rating.question == question)?;
        // A failed audit withholds the figure.
        let estimate = rating.estimate.as_ref().filter(|_| rating.failed.is_empty())?;
        Some(DiskFigure { mean: estimate.point?, interval: estimate.interval })
    };
    let commits_per_s = figure(Question::DurableCommits).ok_or_else(|| {
        let why = "has no commits/s that can be believed; syncline check --dir DIRECTORY measures them";
        Failure::Usage(format!("--run {}: it {why}", directory.display()))
    })?;
    Ok(AgainstRun {
        run: directory.display().to_string(),
        place: run.plan.directory.display().to_string(),
        commits_per_s,
        commit_latency_p99_us: figure(Question::CommitP99),
    })
}

/// A mistake in the name shall not cost the time of the observation.
fn require_study_file(path: &Path) -> Result<(), Failure> {
    let refused = |why: &str| Err(Failure::Usage(format!("--study {}: {why}", path.display())));
    if path.extension().is_none_or(|extension| extension != "toml") {
        return refused("a study's file ends in .toml");
    }
    if path.is_dir() || path.parent().is_some_and(|parent| parent != Path::new("") && !parent.is_dir()) {
        return refused("no such directory, or a directory itself");
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

/// How far it is: a line that is drawn again on a terminal, a line now and then elsewhere.
struct Display {
    bar: ProgressBar,
    begun: Instant,
    duration: Duration,
    shown: Instant,
    last: Progress,
}

impl Display {
    fn new(duration: Duration) -> Self {
        let bar = match appearance().progress {
            Drawn::Bar => ProgressBar::new_spinner(),
            Drawn::Lines | Drawn::Hidden => ProgressBar::hidden(),
        };
        bar.set_style(
            ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        let begun = Instant::now();
        Self { bar, begun, duration, shown: begun, last: Progress::default() }
    }

    fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.duration
    }

    fn show(&mut self, now: Progress) {
        let drawn = appearance().progress;
        let every = match drawn {
            Drawn::Bar => DRAWN_EVERY,
            Drawn::Lines => LINE_EVERY,
            Drawn::Hidden => return,
        };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        let line = self.line(now);
        self.last = now;
        match drawn {
            Drawn::Bar => self.bar.set_message(printable(&line).into_owned()),
            Drawn::Lines => tell(line),
            Drawn::Hidden => {}
        }
    }

    /// Rates since the line before.
    fn line(&self, now: Progress) -> String {
        let seconds = now.duration_s - self.last.duration_s;
        let rate = |class: usize| {
            let operations = now.operations[class].saturating_sub(self.last.operations[class]);
            round(if seconds > 0.0 { operations as f64 / seconds } else { 0.0 })
        };
        let left = self.duration.saturating_sub(self.begun.elapsed()).as_secs_f64();
        let lost = match now.lost_records {
            0 => String::new(),
            lost => format!(", {lost} records lost"),
        };
        format!(
            "{} left: {} reads/s, {} writes/s, {} syncs/s by {}{lost}",
            format_elapsed(left),
            rate(0),
            rate(1),
            rate(2),
            counted(now.processes, "process", "processes")
        )
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
