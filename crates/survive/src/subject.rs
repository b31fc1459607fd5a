//! A server with one of its promises, crashed again and again.

use crate::crash::{Course, Crash, End, kept};
use crate::error::SurviveError;
use crate::fate::{Fate, Found, acknowledged, after_repeats, fate, last_acknowledged, without_table};
use crate::load::{Checkpoints, Load, Mixed, Work, Written, connect, fill};
use disk::filesystem::FileSystemKind;
use forget::{Cut, ForgetError, ForgettingDisk, Image, Moment, Snapshot};
use server::{Client, Home, Programs, Promise, Row, Running, Server, ServerError};
use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How large and how long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size of the disk that forgets, in bytes. It takes as much memory as is written.
    pub disk_bytes: u64,
    /// Connections that write rows at the same time.
    pub writers: u32,
    /// Rows of each writer that are there before the load, and are updated by it.
    pub loaded: u64,
    /// Between two requests for a checkpoint.
    pub checkpoints: Duration,
    /// A server that does not answer for so long does not start.
    pub start: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            disk_bytes: 1 << 30,
            writers: 4,
            loaded: 5000,
            checkpoints: Duration::from_millis(150),
            start: Duration::from_mins(1),
        }
    }
}

/// A server with one of its promises.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub server: &'a dyn Server,
    pub programs: &'a Programs,
    pub promise: &'a Promise,
    /// Where mounts are made.
    pub folder: &'a Path,
    /// What the database is on.
    pub file_system: FileSystemKind,
    /// Whether the table is created after the start and not before the disk was flushed, so that crashes test that too.
    pub creates: bool,
    pub limits: Limits,
}

/// What a disk holds before every crash: a database with the rows that are updated, flushed. If crashes create the
/// table, it is empty.
#[derive(Debug)]
pub struct Base(Snapshot);

const DATA: &str = "data";
/// For a moment at which much is not flushed.
const UNFLUSHED_LIMIT: Duration = Duration::from_millis(500);
/// Lines of a log that a record has.
const COMPLAINTS_MAX: usize = 3;

/// Why no server can be crashed on this machine, if none can.
pub fn unsupported(file_system: FileSystemKind, limits: &Limits) -> Option<SurviveError> {
    let why = forget::unsupported(file_system, limits.disk_bytes)?;
    Some(SurviveError::Disk(why.into()))
}

impl Subject<'_> {
    /// Makes a database on a disk that forgets, writes the rows that are updated, and flushes it.
    pub fn base(&self) -> Result<Base, SurviveError> {
        let disk = ForgettingDisk::new(self.limits.disk_bytes, self.folder, self.file_system)?;
        let home = Home::new(&disk.path().join(DATA))?;
        self.server.initialise(self.programs, &home)?;
        let running = self.start(&home)?;
        if !self.creates {
            let mut client = running.connect()?;
            client.prepare()?;
            fill(client.as_mut(), self.limits.writers, self.limits.loaded, self.server.rows_at_once())?;
        }
        running.shut_down()?;
        let root = File::open(disk.path()).map_err(SurviveError::Flush)?;
        rustix::fs::syncfs(&root).map_err(|errno| SurviveError::Flush(errno.into()))?;
        drop(root);
        let base = disk.cut(Cut::FlushedOnly);
        disk.close()?;
        Ok(Base(base))
    }

    /// Crashes the server once, and looks for what it had acknowledged.
    pub fn crash(&self, base: &Base, end: End, seed: u64) -> Result<Crash, SurviveError> {
        let course = Course::of(seed);
        let disk = ForgettingDisk::after(&base.0, self.folder, self.file_system)?;
        let mut home = Home::new(&disk.path().join(DATA))?;
        let mut running = self.start(&home)?;
        if self.creates {
            running.connect()?.prepare()?;
        }
        let at_once = self.server.rows_at_once();
        let loaded = if self.creates { 0 } else { self.limits.loaded };
        let clients = connect(self.server, &home, self.limits.writers)?;
        let checkpoints = Checkpoints::start(self.server.connect(&home)?, self.limits.checkpoints);
        let load = Load::start(clients, 0, Work::Mixed(Mixed { loaded, at_once, seed }));
        let is_acknowledging = load.await_first(self.limits.start);
        let begun = Instant::now();
        if is_acknowledging {
            thread::sleep(course.moment);
        }
        let (before, image) = match end {
            End::PowerLoss => {
                let Moment { at, image } = disk.moment(course.unflushed_bytes, UNFLUSHED_LIMIT);
                (at, Some(image))
            }
            End::Kill => (Instant::now(), None),
        };
        running.kill();
        drop(running);
        let mut written = load.stop();
        let refused = written.iter_mut().filter_map(|of| of.refused.take()).chain(checkpoints.stop());
        if let Some((_, why)) = refused.into_iter().find(|(at, _)| *at < before) {
            return Err(SurviveError::Refused { server: self.server.title(), why: why.to_string() });
        }
        if !is_acknowledging {
            let why = "it acknowledged nothing".to_owned();
            return Err(SurviveError::Refused { server: self.server.title(), why });
        }
        // A killed server has sent every answer that a writer got, however late.
        let moment = if image.is_some() { before } else { Instant::now() };
        let mut crash = Crash {
            end,
            seed,
            moment_ms: (before - begun).as_secs_f64() * 1e3,
            kept: None,
            unflushed_bytes: image.as_ref().map(Image::pending_bytes),
            crashes_in_recovery: 0,
            acknowledged_commits: written.iter().map(|of| acknowledged(of, moment)).sum(),
            fate: Fate::Kept,
            recovery_ms: None,
            complaints: Vec::new(),
        };
        match image {
            None => {
                self.look(&home, &written, moment, &mut crash)?;
                disk.close()?;
            }
            Some(image) => {
                disk.close()?;
                crash.kept = Some(kept(course.cut).to_owned());
                let snapshot = image.cut(course.cut);
                self.recover(snapshot, &course, &mut home, &written, moment, &mut crash)?;
            }
        }
        Ok(crash)
    }

    fn start<'h>(&'h self, home: &'h Home) -> Result<Running<'h>, ServerError> {
        Running::start(self.server, self.programs, home, &self.promise.settings, self.limits.start)
    }

    /// Switches the disk on again, lets the power fail during recovery as often as the course says, and looks.
    fn recover(
        &self,
        mut snapshot: Snapshot,
        course: &Course,
        home: &mut Home,
        written: &[Written],
        moment: Instant,
        crash: &mut Crash,
    ) -> Result<(), SurviveError> {
        for (pause, cut) in &course.in_recovery {
            let Some(disk) = self.switched_on(&snapshot, crash)? else { return Ok(()) };
            home.moved(&disk.path().join(DATA));
            let mut running = Running::begin(self.server, self.programs, home, &self.promise.settings)?;
            thread::sleep(*pause);
            let image = disk.image();
            running.kill();
            drop(running);
            disk.close()?;
            snapshot = image.cut(*cut);
            crash.crashes_in_recovery += 1;
        }
        let Some(disk) = self.switched_on(&snapshot, crash)? else { return Ok(()) };
        home.moved(&disk.path().join(DATA));
        self.look(home, written, moment, crash)?;
        disk.close()?;
        Ok(())
    }

    /// A file system that cannot be mounted is a result.
    fn switched_on(
        &self,
        snapshot: &Snapshot,
        crash: &mut Crash,
    ) -> Result<Option<ForgettingDisk>, SurviveError> {
        match ForgettingDisk::after(snapshot, self.folder, self.file_system) {
            Ok(disk) => Ok(Some(disk)),
            Err(ForgetError::FileSystem(why)) => {
                crash.fate = Fate::DoesNotMount { why: why.to_string() };
                Ok(None)
            }
            Err(why) => Err(why.into()),
        }
    }

    /// Starts the server on what is there and compares its rows with what was acknowledged.
    fn look(
        &self,
        home: &Home,
        written: &[Written],
        moment: Instant,
        crash: &mut Crash,
    ) -> Result<(), SurviveError> {
        let begun = Instant::now();
        let running = match self.start(home) {
            Ok(running) => running,
            Err(ServerError::Start { why, .. }) => {
                crash.fate = Fate::DoesNotStart { why };
                return Ok(());
            }
            Err(why) => return Err(why.into()),
        };
        crash.recovery_ms = Some(begun.elapsed().as_secs_f64() * 1e3);
        let compared =
            running.connect().and_then(|mut client| self.compare(client.as_mut(), written, moment));
        crash.fate = match compared {
            Ok(fate) => fate,
            Err(ServerError::NoTable { .. }) if self.creates => without_table(written, moment),
            Err(why) => Fate::Unreadable { why: why.to_string() },
        };
        crash.complaints = running.complaints().into_iter().take(COMPLAINTS_MAX).collect();
        Ok(())
    }

    /// Compares the rows of a running server with what was acknowledged. If it promises that a repeated transaction is
    /// there once, the last one of each writer is repeated.
    fn compare(
        &self,
        client: &mut dyn Client,
        written: &[Written],
        moment: Instant,
    ) -> Result<Fate, ServerError> {
        let fate = fate(written, moment, &found(client)?);
        if fate != Fate::Kept || !self.promise.deduplicates {
            return Ok(fate);
        }
        let repeated = last_acknowledged(written, moment);
        repeated.iter().try_for_each(|writes| client.write(writes))?;
        Ok(after_repeats(&repeated, &found(client)?))
    }
}

/// The rows that a server has.
fn found(client: &mut dyn Client) -> Result<Found, ServerError> {
    let mut found = Found::new();
    client.rows(&mut |row: Row, text: &[u8]| {
        let version = row.version_of(text);
        // A row that is there twice is whole in none of its versions.
        found.entry(row).and_modify(|version| *version = None).or_insert(version);
    })?;
    Ok(found)
}
