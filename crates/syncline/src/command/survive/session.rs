//! The crashes and prices of every promise that the user requested, until something ends them early.

use super::series_file::SeriesFile;
use crate::arguments::SurviveArguments;
use crate::failure::Failure;
use crate::message::Step;
use crate::output::{tell, tell_step};
use disk::work_directory::WorkDirectory;
use model::figure::count;
use rustix::fs::{Access, access};
use server::{Programs, Promise, Server};
use std::cell::Cell;
use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use survive::{Crash, End, Ended, Limits, Report, Series, Subject, SubjectReport, SurviveError, price};

/// A turn of one promise with one number of clients.
const TURN: Duration = Duration::from_millis(400);
/// Crashes between two lines of progress.
const PROGRESS_EVERY: usize = 20;

/// What ends everything before it is done.
pub(super) enum Stop {
    /// A signal.
    Interrupted,
    /// The disk that forgets, or a place of files: what comes after would fail as well.
    Failed(String),
}

impl Stop {
    fn failed(why: impl Display) -> Self {
        Self::Failed(why.to_string())
    }
}

/// What ends the crashes of one promise early.
enum EndOfSeries {
    /// The other promises are tried.
    OfPromise(SurviveError),
    OfAll(Stop),
}

pub(super) struct Session<'a> {
    pub(super) arguments: &'a SurviveArguments,
    /// Why nothing can be crashed here; prices can be measured nevertheless.
    pub(super) no_crashes: Option<String>,
    pub(super) work: &'a WorkDirectory,
    pub(super) file: Option<&'a SeriesFile>,
    pub(super) seed: u64,
    pub(super) interrupted: &'a AtomicBool,
    pub(super) steps: Steps,
}

/// How far everything is: crashes, and turns in which prices are measured.
#[derive(Debug, Default)]
pub(super) struct Steps {
    done: Cell<usize>,
    total: Cell<usize>,
}

impl Steps {
    fn add(&self, more: usize) {
        self.total.set(self.total.get() + more);
    }

    /// Tells the program that started this one, if it reads messages.
    fn step(&self, now: impl FnOnce() -> String) {
        self.done.set(self.done.get() + 1);
        let (done, total) = (self.done.get() as f64, self.total.get() as f64);
        tell_step(Step { done, total, now: now() });
    }
}

/// A server that this machine has, with the promises that the user requested.
struct Found {
    server: &'static dyn Server,
    programs: Programs,
    version: String,
    promises: Vec<Promise>,
}

impl Session<'_> {
    /// What is known at the end, whatever has ended it.
    ///
    /// # Errors
    /// What keeps everything from being tried.
    pub(super) fn report(&self, folder: &Path) -> Result<Report, Failure> {
        let place = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut report = Report {
            place: place.display().to_string(),
            file_system: self.arguments.file_system.name().to_owned(),
            creates: self.arguments.create,
            seed: self.seed,
            no_crashes: self.no_crashes.clone(),
            ended: None,
            subjects: Vec::new(),
            absent: Vec::new(),
        };
        let found = self.find(folder, &mut report)?;
        if let Some(file) = self.file {
            for (of, promise) in
                found.iter().flat_map(|of| of.promises.iter().map(move |promise| (of, promise)))
            {
                let known = file.known(&self.subject(of, promise), &of.version);
                known.map_err(|why| file.refused(&why))?;
            }
        }
        self.plan_steps(&found);
        let promises = found.iter().map(|of| of.promises.len()).sum::<usize>();
        let ended = found.iter().try_for_each(|of| self.server(of, &mut report.subjects));
        report.ended = ended.err().map(|stop| {
            let promises_left = promises - report.subjects.len();
            match stop {
                Stop::Interrupted => {
                    Ended { why: "a signal asked to stop".to_owned(), is_interrupted: true, promises_left }
                }
                Stop::Failed(why) => Ended { why, is_interrupted: false, promises_left },
            }
        });
        Ok(report)
    }

    /// Adds up what is to be done. A file whose crashes cannot be used is reported elsewhere.
    fn plan_steps(&self, found: &[Found]) {
        for of in found {
            if self.no_crashes.is_none() {
                for promise in &of.promises {
                    let known = self.file.map(|file| file.known(&self.subject(of, promise), &of.version));
                    let known = known.and_then(Result::ok).unwrap_or_default();
                    self.steps.add(self.series().missing(&known).len());
                }
            }
            self.steps.add(usize::from(self.arguments.rounds > 0 && !of.promises.is_empty()));
        }
    }

    fn series(&self) -> Series {
        Series { seed: self.seed, seeds: self.arguments.crashes, only: self.arguments.only.map(End::from) }
    }

    /// The servers that this machine has. The report gets those that it lacks.
    fn find(&self, folder: &Path, report: &mut Report) -> Result<Vec<Found>, Failure> {
        let asked = &self.arguments.servers;
        let servers = if asked.is_empty() { server::all() } else { asked };
        if servers.iter().all(|server| self.promises(*server).is_empty()) {
            return Err(Failure::Usage(format!(
                "--promise {}: no promise of these databases has such a setting",
                self.arguments.promise.join(", ")
            )));
        }
        let trees = self.arguments.server_trees.clone().or_else(server::unpacked);
        let mut found = Vec::new();
        for server in servers.iter().copied() {
            let place = if server.is_ours() { Ok(()) } else { server::require_place(server.title(), folder) };
            match place.and_then(|()| server.reachable(trees.as_deref(), self.work.path())) {
                Ok(programs) => {
                    let version = server.version(&programs);
                    found.push(Found { server, programs, version, promises: self.promises(server) });
                }
                Err(why) if why.is_absence() => {
                    report.absent.push((server.name().to_owned(), why.to_string()));
                }
                Err(why) => return Err(Failure::runtime(why)),
            }
        }
        Ok(found)
    }

    /// The promises of a server that the user named.
    fn promises(&self, server: &dyn Server) -> Vec<Promise> {
        let mut promises = server.promises();
        let asked = &self.arguments.promise;
        let without_spaces = |text: &str| text.replace(' ', "");
        promises.retain(|promise| {
            let name = without_spaces(&promise.name());
            asked.is_empty() || asked.iter().any(|text| name.contains(&without_spaces(text)))
        });
        promises
    }

    /// Crashes every promise of a server, and measures what each costs. The reports have what is known if this ends
    /// early.
    fn server(&self, of: &Found, reports: &mut Vec<SubjectReport>) -> Result<(), Stop> {
        let first = reports.len();
        for promise in &of.promises {
            self.require_time()?;
            self.promise(of, promise, reports)?;
        }
        if self.arguments.rounds == 0 || of.promises.is_empty() {
            return Ok(());
        }
        self.require_time()?;
        let name = of.server.name();
        tell(format!("{name}: commits of {} in turns on the disk", count(of.promises.len(), "promise")));
        let folder = self.work.path().join(format!("price-of-{name}"));
        std::fs::create_dir(&folder)
            .map_err(|error| Stop::failed(format_args!("{}: {error}", folder.display())))?;
        let rounds = self.arguments.rounds as usize;
        let go_on = || !self.is_interrupted();
        match price(of.server, &of.programs, &of.promises, &folder, rounds, TURN, &go_on) {
            Ok(prices) => {
                for (report, prices) in reports.iter_mut().skip(first).zip(prices) {
                    report.prices = prices;
                }
            }
            Err(why) => tell(format!("{name}: no prices: {why}")),
        }
        self.steps.step(|| format!("{name}: prices"));
        self.require_time()
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn require_time(&self) -> Result<(), Stop> {
        if self.is_interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn subject<'s>(&'s self, of: &'s Found, promise: &'s Promise) -> Subject<'s> {
        Subject {
            server: of.server,
            programs: &of.programs,
            promise,
            folder: self.work.path(),
            file_system: self.arguments.file_system,
            creates: self.arguments.create,
            limits: Limits::default(),
        }
    }

    fn promise(&self, of: &Found, promise: &Promise, reports: &mut Vec<SubjectReport>) -> Result<(), Stop> {
        let subject = self.subject(of, promise);
        let known = self.file.map_or(Ok(Vec::new()), |file| file.known(&subject, &of.version));
        let mut crashes = known.map_err(Stop::failed)?;
        let series = self.series();
        let is_done = self.no_crashes.is_some() || series.missing(&crashes).is_empty();
        let ended = if is_done { Ok(()) } else { self.crash(&subject, &of.version, &series, &mut crashes) };
        let (not_tried, stop) = match ended {
            Ok(()) => (None, None),
            Err(EndOfSeries::OfPromise(why)) => (Some(why.to_string()), None),
            Err(EndOfSeries::OfAll(Stop::Interrupted)) => {
                (Some("a signal asked to stop".to_owned()), Some(Stop::Interrupted))
            }
            Err(EndOfSeries::OfAll(Stop::Failed(why))) => (Some(why.clone()), Some(Stop::Failed(why))),
        };
        let report = SubjectReport::new(of.server.name(), of.server.title(), promise, crashes);
        reports.push(SubjectReport { not_tried, only: series.only, version: of.version.clone(), ..report });
        stop.map_or(Ok(()), Err)
    }

    /// Makes the crashes of a series that are not known.
    fn crash(
        &self,
        subject: &Subject<'_>,
        version: &str,
        series: &Series,
        crashes: &mut Vec<Crash>,
    ) -> Result<(), EndOfSeries> {
        let name = format!("{}, {}", subject.server.name(), subject.promise.name());
        if !crashes.is_empty() {
            tell(format!("{name}: crashes that are known: {}", crashes.len()));
        }
        let base = subject.base().map_err(|why| self.why(why))?;
        let mut progress = Progress::of(name.clone(), series.missing(crashes).len());
        let mut make = |end, seed| {
            self.require_time().map_err(EndOfSeries::OfAll)?;
            subject.crash(&base, end, seed).map_err(|why| self.why(why))
        };
        let mut note = |crash: &Crash| {
            progress.step();
            self.steps.step(|| format!("{name}: crash of seed {}", crash.seed));
            let appended = self.file.map_or(Ok(()), |file| file.append(subject, version, crash));
            appended.map_err(|why| EndOfSeries::OfAll(Stop::Failed(why)))
        };
        series.conduct(crashes, &mut make, &mut note)
    }

    /// A signal may have ended what a crash needs, and a server fails if the place of its files does.
    fn why(&self, why: SurviveError) -> EndOfSeries {
        let place_fails = || access(self.work.path(), Access::WRITE_OK).is_err();
        match why {
            _ if self.is_interrupted() => EndOfSeries::OfAll(Stop::Interrupted),
            SurviveError::Disk(_) | SurviveError::Flush(_) => EndOfSeries::OfAll(Stop::failed(why)),
            SurviveError::Server(_) | SurviveError::Refused { .. } if place_fails() => {
                EndOfSeries::OfAll(Stop::failed(why))
            }
            SurviveError::Server(_) | SurviveError::Refused { .. } => EndOfSeries::OfPromise(why),
        }
    }
}

/// How much of a series is done.
struct Progress {
    name: String,
    begun: Instant,
    done: usize,
    all: usize,
}

impl Progress {
    fn of(name: String, all: usize) -> Self {
        Self { name, begun: Instant::now(), done: 0, all }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of(PROGRESS_EVERY) || self.done == 2 {
            let left = self.begun.elapsed().mul_f64((self.all - self.done) as f64 / self.done as f64);
            tell(format!("{}: {} of {} crashes, {} s left", self.name, self.done, self.all, left.as_secs()));
        }
    }
}
