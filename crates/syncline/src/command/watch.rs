//! `syncline watch`: what the service of the crate `watch` acts through: probes as ordinary runs, clocks, metrics.

use crate::analysis::judge;
use crate::arguments::WatchArguments;
use crate::failure::Failure;
use crate::output::{report_error, tell};
use crate::premises;
use crate::request::{Request, TracedTrials};
use crate::servers::Wanted;
use crate::session::Finished;
use crate::signals::interrupted_by_signals;
use crate::spikes::{self, SpikeTracing};
use crate::standing::by_first_ask;
use crate::studies::{self, WATCH, WATCH_PROFILE};
use disk::counters::process::{resident_bytes, written_bytes_with_children};
use disk::kernel::block_device::BlockDevice;
use disk::kernel::scheduling::run_when_idle;
use jiff::Timestamp;
use lab::open_directory::OpenDirectory;
use lab::plan::Overrides;
use lab::run_directory::RunFiles;
use model::figure::{count, elapsed};
use model::mechanism::Measured;
use model::plan::Turns;
use model::run::Run;
use model::spikes::{SpikesOfRecording, add};
use model::study::Study;
use model::trial::TrialOutcome;
use model::units::format_elapsed;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use watch::WatchError;
use watch::disk_lock;
use watch::endpoint::Endpoint;
use watch::exposition::{self, Shown};
use watch::history_directory::{Ended, HistoryDirectory};
use watch::load::{Look, whole_disk};
use watch::notification::{Notice, Notifier};
use watch::rotation::Keep;
use watch::service::{self, Attempt, Options, World};
use watch::state::{Captured, Outcome};

/// A signal is noticed after this time at the latest.
const NAP: Duration = Duration::from_millis(500);
/// Everybody may read metrics, as node_exporter has to, which runs as another user.
const METRICS_MODE: u32 = 0o644;

/// Probes until a signal ends it, or all probes are through.
pub(crate) fn run(arguments: &WatchArguments) -> Result<ExitCode, Failure> {
    let interrupted = interrupted_by_signals()?;
    let notifier = Notifier::from_environment().map_err(|error| {
        Failure::Runtime(format!("cannot reach the service manager that NOTIFY_SOCKET names: {error}"))
    })?;
    let mut watching = Watching::new(arguments, &interrupted, notifier)?;
    // What is wrong with the studies, the directory or the disk is an error now, and not in every probe.
    watching.request(None).rehearse()?;
    let options = watching.options.clone();
    if let (Some(_), Some(why)) = (options.busy_share_max, watching.disk.reason()) {
        return Err(Failure::Runtime(format!(
            "cannot see how busy the disk below {} is: {why}; --busy-limit 100% probes whatever others do",
            watching.dir.display()
        )));
    }
    let _held = disk_lock::hold(&watching.disk).map_err(Failure::runtime)?;
    let mut history =
        HistoryDirectory::open(&arguments.history, Timestamp::now()).map_err(Failure::runtime)?;
    premises::clear(watching.dir, true)?;
    if let Err(error) = run_when_idle() {
        tell(format!("{error}; probes have the priority of this process"));
    }
    watching.show_latest(&history);
    if let Some(endpoint) = &watching.endpoint {
        tell(format!("metrics at http://{}/metrics", endpoint.address()));
    }
    watching.notifier.send(&Notice::Ready);
    let last = service::run(&options, &mut history, &mut watching);
    watching.notifier.send(&Notice::Stopping);
    match last {
        Some(Attempt::Failed { why } | Attempt::NotRecorded { why }) => Err(Failure::Runtime(why)),
        Some(Attempt::Finished { .. } | Attempt::Skipped { .. } | Attempt::Interrupted) | None => {
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn options(arguments: &WatchArguments) -> Options {
    Options {
        interval: arguments.interval,
        attempts_max: arguments.probes.or(arguments.once.then_some(1)),
        waits_first: !arguments.once,
        busy_share_max: Some(arguments.busy_limit).filter(|share| *share < 1.0),
        written_bytes_per_day_max: arguments.write_budget,
        keep: Keep { runs: arguments.keep as usize, time: arguments.keep_for },
        spike_threshold: None,
    }
}

/// The service on this machine.
struct Watching<'a> {
    arguments: &'a WatchArguments,
    options: Options,
    studies: Vec<Study>,
    /// Which spikes are captured; `None` if none are, or if the kernel permits no trace.
    spikes: Option<spikes::Wanted>,
    /// Those of the last probe.
    captured: Option<Captured>,
    overrides: Overrides,
    dir: &'a Path,
    /// The label of every sample: where the disk is, whatever the current directory is.
    label: String,
    disk: Measured<BlockDevice>,
    busy_share: Option<f64>,
    /// The figures of the last probe, for Prometheus.
    figures: String,
    endpoint: Option<Endpoint>,
    notifier: Notifier,
    started: Instant,
    alive_at: Instant,
    interrupted: &'a AtomicBool,
}

impl<'a> Watching<'a> {
    fn new(
        arguments: &'a WatchArguments,
        interrupted: &'a AtomicBool,
        notifier: Notifier,
    ) -> Result<Self, Failure> {
        if let Some(file) = arguments.textfile.as_ref().filter(|file| !is_textfile(file)) {
            return Err(Failure::Usage(format!(
                "--textfile {}: node_exporter reads files that end in .prom only",
                file.display()
            )));
        }
        let names: Vec<&str> = match arguments.studies.as_slice() {
            [] => WATCH.to_vec(),
            named => named.iter().map(String::as_str).collect(),
        };
        let usual = arguments.studies.is_empty().then(|| WATCH_PROFILE.to_owned());
        let overrides = Overrides {
            profile: arguments.profile.clone().or(usual),
            rounds: arguments.rounds,
            turns: Turns::Auto,
            ..Overrides::default()
        };
        let dir = arguments.dir.as_deref().unwrap_or(Path::new("."));
        let disk = whole_disk(dir);
        let spikes = arguments.spikes.and_then(|threshold| captured_on(&disk, dir, threshold));
        let spike_threshold = spikes.as_ref().map(|wanted| wanted.threshold);
        Ok(Self {
            arguments,
            options: Options { spike_threshold, ..options(arguments) },
            spikes,
            captured: None,
            studies: names.into_iter().map(studies::find).collect::<Result<_, _>>()?,
            overrides,
            dir,
            label: fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string(),
            disk,
            busy_share: None,
            figures: String::new(),
            endpoint: arguments.listen.map(listen).transpose()?,
            notifier,
            started: Instant::now(),
            alive_at: Instant::now(),
            interrupted,
        })
    }

    fn request<'b>(&'b self, out: Option<&'b Path>) -> Request<'b> {
        Request {
            studies: &self.studies,
            database: None,
            overrides: &self.overrides,
            dir: self.dir,
            out,
            rank: None,
            sharers: 1,
            again: false,
            seed: None,
            wanted: Wanted::default(),
            budget: self.arguments.budget,
            // A profile that somebody named belongs to every study, or is wrong.
            what_is_possible: self.arguments.studies.is_empty() && self.arguments.profile.is_none(),
            traced: if self.spikes.is_some() { TracedTrials::OfEach(1) } else { TracedTrials::None },
            interrupted: self.interrupted,
        }
    }

    /// Measures; the run and its figures are there afterwards.
    fn measure(&mut self, run: &Path) -> Result<(), Failure> {
        let session = self.request(Some(run)).begin()?;
        let mut tracing = self.spikes.clone().map(SpikeTracing::new);
        let finished = match &mut tracing {
            Some(tracing) => session.conduct_traced(self.interrupted, &by_first_ask, tracing),
            None => session.conduct(self.interrupted),
        };
        let Finished { directory, closed, account: _ } = finished?;
        // What was measured does not depend on the clean-up.
        if let Err(left) = closed {
            report_error(left);
        }
        if let Some(why) = nothing_measured(directory.run()) {
            return Err(Failure::Runtime(why));
        }
        if let Some(tracing) = tracing {
            let recorded = tracing.into_recorded();
            recorded
                .iter()
                .try_for_each(|spikes| directory.append_spikes(spikes))
                .map_err(Failure::runtime)?;
            self.captured = Some(captured(&recorded));
        }
        self.figures = self.figures_of(directory.files(), directory.run());
        Ok(())
    }

    fn figures_of(&self, files: &RunFiles, run: &Run) -> String {
        report::prometheus_labelled(run, &judge(files, run), &[("directory", &self.label)])
    }

    /// Shows the figures of the last probe before a service that starts has made its first one.
    fn show_latest(&mut self, history: &HistoryDirectory) {
        let Some(path) = history.latest_run() else { return };
        let read = RunFiles::open(&path).and_then(|files| files.run().map(|run| (files, run)));
        match read {
            Ok((files, run)) => self.figures = self.figures_of(&files, &run),
            Err(error) => tell(format!("the last probe cannot be read: {error}")),
        }
    }

    /// Replaces the textfile as a whole: a reader sees the old one or the new one.
    fn write_textfile(&self, page: &str) {
        let Some(file) = &self.arguments.textfile else { return };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let written = OpenDirectory::open(folder)
            .and_then(|folder| folder.replace_with_mode(&name, page.as_bytes(), Some(METRICS_MODE)));
        if let Err(error) = written {
            report_error(format!("syncline: {}: cannot write the metrics: {error}", file.display()));
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn show_alive(&mut self) {
        if self.notifier.alive_every().is_some_and(|every| self.alive_at.elapsed() >= every) {
            self.alive_at = Instant::now();
            self.notifier.send(&Notice::Alive);
        }
    }
}

impl World for Watching<'_> {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn wait_until(&mut self, time: Duration) -> bool {
        loop {
            self.show_alive();
            let left = time.saturating_sub(self.elapsed());
            if self.is_interrupted() || left.is_zero() {
                return !self.is_interrupted();
            }
            thread::sleep(left.min(NAP));
        }
    }

    fn busy_share(&mut self) -> Option<Measured<f64>> {
        let before = Look::take(&self.disk);
        let until = self.elapsed() + self.arguments.busy_for;
        if !self.wait_until(until) {
            return None;
        }
        let share = before.busy_share_until(&Look::take(&self.disk));
        self.busy_share = share.value().copied();
        Some(share)
    }

    fn probe(&mut self, run: &Path) -> Ended {
        self.notifier.send(&Notice::Status("a probe is under way".to_owned()));
        let (began, before) = (Instant::now(), written_bytes_with_children());
        self.captured = None;
        let measured = self.measure(run);
        let (outcome, why) = match measured {
            Ok(()) => (Outcome::Finished, None),
            Err(_) if self.is_interrupted() => (Outcome::Interrupted, None),
            Err(failure) => (Outcome::Failed, Some(failure.reason())),
        };
        let written = written_bytes_with_children().saturating_sub(before);
        Ended {
            outcome,
            why,
            written_bytes: (written > 0).then_some(written),
            seconds: began.elapsed().as_secs_f64(),
            captured: self.captured.clone(),
        }
    }

    fn publish(&mut self, history: &HistoryDirectory, last: Option<&Attempt>) {
        let shown = Shown {
            state: history.state(),
            options: &self.options,
            directory: &self.label,
            now: self.now(),
            busy_share: self.busy_share,
            resident_bytes: resident_bytes(),
        };
        let page = exposition::page(&shown, &self.figures);
        self.write_textfile(&page);
        if let Some(endpoint) = &self.endpoint {
            endpoint.publish(&page);
        }
        if let (Some(Attempt::Finished { .. }), Some(captured)) = (last, &self.captured)
            && let Some(wanted) = &self.spikes
        {
            tell(told_spikes(captured, wanted.threshold));
        }
        if let Some(line) = last.map(|attempt| told(attempt, history)) {
            tell(&line);
            self.notifier.send(&Notice::Status(line));
        }
    }
}

fn listen(address: SocketAddr) -> Result<Endpoint, Failure> {
    Endpoint::open(address).map_err(|error| match error {
        refused @ WatchError::NotLoopback { .. } => Failure::usage(refused),
        other => Failure::runtime(other),
    })
}

/// The name of a textfile, which node_exporter chooses by its end.
fn is_textfile(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "prom")
}

/// What the last attempt was, as a line.
fn told(attempt: &Attempt, history: &HistoryDirectory) -> String {
    match attempt {
        Attempt::Finished { seconds } => {
            let run: PathBuf = history.latest_run().unwrap_or_default();
            format!("probe finished in {}: {}", format_elapsed(*seconds), run.display())
        }
        Attempt::Failed { why } => format!("probe failed: {why}"),
        Attempt::Skipped { reason } => format!("probe skipped: {reason}"),
        Attempt::NotRecorded { why } => format!("no probe, because it could not be recorded: {why}"),
        Attempt::Interrupted => "probe stopped by a signal".to_owned(),
    }
}

/// The spikes of a probe as a line: `3 spikes of 50 ms or longer in 8.1 s: flush in the device 2, waiting to run 1`.
fn told_spikes(captured: &Captured, threshold: Duration) -> String {
    let spikes = captured.by_cause.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
    let threshold = elapsed(threshold.as_secs_f64() * 1e6);
    let time = format_elapsed(captured.recorded_s);
    let mut causes: Vec<(String, u64)> =
        captured.by_cause.iter().map(|(cause, count)| (cause.name(), *count)).collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let causes: Vec<String> = causes.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let which = if causes.is_empty() { String::new() } else { format!(": {}", causes.join(", ")) };
    format!("{} of {threshold} or longer in {time}{which}", count(spikes as usize, "spike"))
}

/// The spikes to capture; `None`, with the reason printed, if the kernel permits no trace. The probes go on without.
fn captured_on(
    disk: &Measured<BlockDevice>,
    directory: &Path,
    threshold: Duration,
) -> Option<spikes::Wanted> {
    let wanted = spikes::Wanted::on(disk, directory, threshold);
    wanted.map_err(|why| tell(format!("no spikes are captured: {why}"))).ok()
}

/// The sums of some recordings.
fn captured(recorded: &[SpikesOfRecording]) -> Captured {
    let mut sums = Captured::default();
    for recording in recorded {
        sums.recorded_s += recording.recorded_s;
        add(&mut sums.by_cause, &recording.by_cause());
    }
    sums
}

/// Why no trial of a run measured anything, if none did.
fn nothing_measured(run: &Run) -> Option<String> {
    if run.records.iter().any(|record| record.measurement.is_some()) {
        return None;
    }
    let why = run.records.iter().find_map(|record| match &record.outcome {
        TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) => Some(why.clone()),
        TrialOutcome::Killed(seconds) => Some(format!("killed after {}", format_elapsed(*seconds))),
        TrialOutcome::Ok => None,
    });
    Some(format!("no trial measured anything: {}", why.unwrap_or_else(|| "there was none".to_owned())))
}
