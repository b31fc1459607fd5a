//! `syncline survive`: what an acknowledged write survives on each database, and what that costs.

use crate::arguments::{ResultFormat, SurviveArguments};
use crate::document;
use crate::failure::{EXIT_REFUTED, EXIT_UNDECIDED, Failure};
use crate::output::{self, tell};
use crate::request::seed_from_clock;
use crate::requirements::{require_place, require_storage};
use crate::signals;
use disk::work_directory::WorkDirectory;
use model::figure::count;
use serde::Serialize;
use server::{Home, Programs, Promise, Server};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use survive::{
    Base, Crash, End, Limits, Report, Standing, Subject, SubjectReport, SurviveError, price, unsupported,
};

/// A turn of one promise with one number of clients.
const TURN: Duration = Duration::from_millis(400);
const WIDTH: usize = 120;

/// Crashes every promise, measures what each costs, and prints both side by side.
pub(crate) fn run(arguments: &SurviveArguments) -> Result<ExitCode, Failure> {
    let interrupted = signals::interrupted_by_signals()?;
    let folder = arguments.dir.as_deref().unwrap_or(Path::new("."));
    require_place(folder)?;
    if let Some(trees) = arguments.server_trees.as_deref().filter(|trees| !trees.is_dir()) {
        return Err(Failure::Usage(format!("--server-trees {}: no such directory", trees.display())));
    }
    if arguments.rounds > 0 {
        require_storage(folder, &[])?;
    }
    WorkDirectory::clean_abandoned_of_this_host(folder).map_err(Failure::runtime)?;
    Home::clean_abandoned().map_err(Failure::runtime)?;
    let record = arguments.out.as_deref().map(Record::open).transpose()?;
    let work = WorkDirectory::create(folder).map_err(Failure::runtime)?;
    let no_crashes = unsupported(arguments.file_system, &Limits::default()).map(|why| why.to_string());
    if let Some(why) = &no_crashes {
        tell(format!("no crashes: {why}"));
    }
    let session = Session {
        arguments,
        no_crashes,
        work: &work,
        record: record.as_ref(),
        seed: arguments.seed.unwrap_or_else(seed_from_clock),
        interrupted: &interrupted,
    };
    let report = session.report(folder);
    work.remove().map_err(Failure::runtime)?;
    let report = report?;
    match arguments.format {
        ResultFormat::Text => {
            let colour = output::appearance().colour;
            let text = page::terminal::document(&report.document(), output::width(WIDTH), colour);
            output::print_rendered(&text)
        }
        ResultFormat::Json => document::print(&report),
    }?;
    Ok(ending(&report, !arguments.servers.is_empty()))
}

struct Session<'a> {
    arguments: &'a SurviveArguments,
    /// Why nothing can be crashed here; prices can be measured nevertheless.
    no_crashes: Option<String>,
    work: &'a WorkDirectory,
    record: Option<&'a Record>,
    seed: u64,
    interrupted: &'a AtomicBool,
}

impl Session<'_> {
    fn report(&self, folder: &Path) -> Result<Report, Failure> {
        let place = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut report = Report {
            place: place.display().to_string(),
            file_system: self.arguments.file_system.name().to_owned(),
            creates: self.arguments.create,
            seed: self.seed,
            no_crashes: self.no_crashes.clone(),
            subjects: Vec::new(),
            absent: Vec::new(),
        };
        let asked = &self.arguments.servers;
        let servers = if asked.is_empty() { server::all() } else { asked };
        for server in servers {
            let trees = self.arguments.server_trees.clone().or_else(server::unpacked);
            let place = if server.is_ours() { Ok(()) } else { server::require_place(server.title(), folder) };
            match place.and_then(|()| server.reachable(trees.as_deref(), self.work.path())) {
                Ok(programs) => report.subjects.extend(self.server(*server, &programs)?),
                Err(why) if why.is_absence() => {
                    report.absent.push((server.name().to_owned(), why.to_string()));
                }
                Err(why) => return Err(Failure::runtime(why)),
            }
        }
        if report.subjects.is_empty() && report.absent.is_empty() {
            return Err(Failure::Usage(format!(
                "--promise {}: no promise of these databases has such a setting",
                self.arguments.promise.join(", ")
            )));
        }
        Ok(report)
    }

    /// Every promise of a server that the user named.
    fn server(&self, server: &dyn Server, programs: &Programs) -> Result<Vec<SubjectReport>, Failure> {
        let mut promises = server.promises();
        let asked = &self.arguments.promise;
        let without_spaces = |text: &str| text.replace(' ', "");
        promises.retain(|promise| {
            let name = without_spaces(&promise.name());
            asked.is_empty() || asked.iter().any(|text| name.contains(&without_spaces(text)))
        });
        let mut reports = Vec::new();
        for promise in &promises {
            reports.push(self.promise(server, programs, promise)?);
        }
        if self.arguments.rounds > 0 && !promises.is_empty() {
            let promises_of = count(promises.len(), "promise");
            tell(format!("{}: commits of {promises_of} in turns on the disk", server.name()));
            let folder = self.work.path().join(format!("price-of-{}", server.name()));
            std::fs::create_dir(&folder).map_err(Failure::runtime)?;
            let rounds = self.arguments.rounds as usize;
            match price(server, programs, &promises, &folder, rounds, TURN, &|| !self.is_interrupted()) {
                Ok(prices) => {
                    for (report, prices) in reports.iter_mut().zip(prices) {
                        report.prices = prices;
                    }
                }
                Err(why) => tell(format!("{}: no prices: {why}", server.name())),
            }
            self.require_time()?;
        }
        Ok(reports)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn require_time(&self) -> Result<(), Failure> {
        if self.is_interrupted() {
            return Err(Failure::Interrupted("interrupted; nothing is left behind".to_owned()));
        }
        Ok(())
    }

    fn promise(
        &self,
        server: &dyn Server,
        programs: &Programs,
        promise: &Promise,
    ) -> Result<SubjectReport, Failure> {
        let subject = Subject {
            server,
            programs,
            promise,
            folder: self.work.path(),
            file_system: self.arguments.file_system,
            creates: self.arguments.create,
            limits: Limits::default(),
        };
        let mut crashes = Vec::new();
        let not_tried = match self.no_crashes.is_none().then(|| subject.base()) {
            Some(Ok(base)) => self.crash(&subject, &base, &mut crashes)?,
            Some(Err(why)) => Some(why.to_string()),
            None => None,
        };
        let version = server.version(programs);
        let report = SubjectReport::new(server.name(), server.title(), promise, crashes);
        Ok(SubjectReport { not_tried, version, ..report })
    }

    /// Why it ended early, if it did.
    fn crash(
        &self,
        subject: &Subject<'_>,
        base: &Base,
        crashes: &mut Vec<Crash>,
    ) -> Result<Option<String>, Failure> {
        let begun = Instant::now();
        let all = self.arguments.crashes * 2;
        for place in 0..self.arguments.crashes {
            for end in [End::PowerLoss, End::Kill] {
                self.require_time()?;
                match subject.crash(base, end, self.seed.wrapping_add(u64::from(place))) {
                    Ok(crash) => {
                        self.record.map_or(Ok(()), |record| record.append(subject, &crash))?;
                        crashes.push(crash);
                    }
                    Err(why @ SurviveError::Disk(_)) => return Err(Failure::runtime(why)),
                    Err(why) => return Ok(Some(why.to_string())),
                }
            }
            let done = (place + 1) * 2;
            let left = begun.elapsed().mul_f64(f64::from(all - done) / f64::from(done));
            if done % 20 == 0 || done == 2 {
                let name = format!("{}, {}", subject.server.name(), subject.promise.name());
                tell(format!("{name}: {done} of {all} crashes, {} s left", left.as_secs()));
            }
        }
        Ok(None)
    }
}

/// The file that crashes are appended to.
struct Record(File);

/// A line of it.
#[derive(Serialize)]
struct Line<'a> {
    server: &'static str,
    settings: &'a [(&'static str, &'static str)],
    #[serde(flatten)]
    crash: &'a Crash,
}

impl Record {
    fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::options().create(true).append(true).open(path);
        file.map(Self).map_err(|error| Failure::Runtime(format!("cannot open {}: {error}", path.display())))
    }

    fn append(&self, of: &Subject<'_>, crash: &Crash) -> Result<(), Failure> {
        let line = Line { server: of.server.name(), settings: &of.promise.settings, crash };
        let line = serde_json::to_string(&line).map_err(Failure::runtime)? + "\n";
        let mut file = &self.0;
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(Failure::runtime)
    }
}

/// A broken promise comes first, then what was not checked.
fn ending(report: &Report, are_named: bool) -> ExitCode {
    let is_any = |standing| report.subjects.iter().any(|of| of.standing() == standing);
    if is_any(Standing::Broken) {
        ExitCode::from(EXIT_REFUTED)
    } else if is_any(Standing::NotChecked)
        || report.subjects.is_empty()
        || are_named && !report.absent.is_empty()
    {
        ExitCode::from(EXIT_UNDECIDED)
    } else {
        ExitCode::SUCCESS
    }
}
