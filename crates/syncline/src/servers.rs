//! Where the PostgreSQL server of a run comes from: the user's, or Syncline's own. Decided before the first trial.

use crate::failure::Failure;
use crate::input_file;
use crate::output::tell;
use crate::signals::unless_interrupted;
use model::Configuration;
use model::plan::StudyPlan;
use model::server::ServerIdentity;
use model::trial::ServerSource;
use model::units::MIB;
use postgresql::{Cluster, Installation, PostgresqlError, Session, Target, Version};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Bytes of a page of PostgreSQL's.
const PAGE_BYTES: f64 = 8192.0;

/// What the command line says about it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// `--pg-bin`.
    pub(crate) programs: Option<&'a Path>,
    /// `--dsn`.
    pub(crate) dsn: Option<&'a str>,
    /// `--dsn-file`.
    pub(crate) dsn_file: Option<&'a Path>,
}

/// The server of a run.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Where trials get it from.
    pub(crate) source: Option<ServerSource>,
    /// Which one it is.
    pub(crate) identity: Option<ServerIdentity>,
}

/// A connection string is a line.
const DSN_BYTES_MAX: u64 = 64 << 10;

impl Wanted<'_> {
    /// The connection string, wherever it stands.
    fn connection_string(&self) -> Result<Option<String>, Failure> {
        if let Some(dsn) = self.dsn {
            if postgresql::has_password(dsn) {
                tell(
                    "every user of this machine can read the password in --dsn in the process list: use --dsn-file, \
                     a password file (PGPASSFILE, ~/.pgpass) or PGPASSWORD",
                );
            }
            return Ok(Some(dsn.to_owned()));
        }
        let Some(path) = self.dsn_file else { return Ok(None) };
        let refused = |why: String| Failure::Usage(format!("--dsn-file {}: {why}", path.display()));
        let bytes = input_file::read(path, DSN_BYTES_MAX).map_err(|error| refused(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8".to_owned()))?;
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        match (lines.next(), lines.next()) {
            (Some(dsn), None) if text.len() as u64 <= DSN_BYTES_MAX => Ok(Some(dsn.to_owned())),
            _ => Err(refused("it must hold one line with a connection string or URL".to_owned())),
        }
    }
}

/// Finds the server for those configurations that drive one. What the user names must exist; if they name nothing and
/// nothing can be had, those configurations are recorded as unsupported, unless there are no others.
pub(crate) fn find(
    plans: &[StudyPlan],
    wanted: Wanted<'_>,
    directory: &Path,
    interrupted: &AtomicBool,
) -> Result<Found, Failure> {
    let configurations: Vec<&Configuration> = plans.iter().flat_map(|plan| &plan.configurations).collect();
    let driven: Vec<&Configuration> =
        configurations.iter().copied().filter(|values| values.is("subject", "postgres")).collect();
    if driven.is_empty() {
        return if wanted.programs.is_some() || wanted.dsn.is_some() || wanted.dsn_file.is_some() {
            let why = "no configuration has subject = postgres: leave --pg-bin and --dsn out, or add --vary subject=postgres";
            Err(Failure::Usage(why.to_owned()))
        } else {
            Ok(Found::default())
        };
    }
    require_memory(&driven, disk::memory::available_bytes())?;
    if let Some(dsn) = wanted.connection_string()? {
        return named(dsn, &driven, configurations.len(), interrupted);
    }
    let found = match wanted.programs {
        Some(programs) => Installation::at(programs).map_err(Failure::usage)?,
        None => {
            // Fetching may take as long as a network lets it.
            let fetched = || Installation::cached_or_downloaded(|what| tell(what));
            match unless_interrupted(interrupted, fetched)? {
                Ok(installation) => installation,
                Err(why) => return without(&why, driven.len(), configurations.len()),
            }
        }
    };
    if let Err(why) = Cluster::require_place(directory) {
        return without(&why, driven.len(), configurations.len());
    }
    announce(found.version(), &found.programs().display().to_string());
    Ok(Found {
        identity: Some(ServerIdentity::Own { version: found.version().to_string() }),
        source: Some(ServerSource::Programs(found.programs().to_owned())),
    })
}

/// The user's server, which has to be able to run at least one of the configurations.
fn named(
    dsn: String,
    driven: &[&Configuration],
    all: usize,
    interrupted: &AtomicBool,
) -> Result<Found, Failure> {
    let refusals: Vec<&str> = driven.iter().filter_map(|values| beyond_a_session(values)).collect();
    match refusals.first() {
        Some(why) if refusals.len() == driven.len() => return Err(Failure::Usage((*why).to_owned())),
        Some(why) => {
            tell(format!("{why}; {} of {all} configurations are recorded as unsupported", refusals.len()));
        }
        None => {}
    }
    let connection = dsn.clone();
    let identity = unless_interrupted(interrupted, move || {
        let mut session = Session::open(&Target::Dsn(&connection))?;
        Ok::<_, PostgresqlError>((session.version(), session.identity(&connection)?))
    })?;
    let (version, identity) = identity.map_err(Failure::runtime)?;
    announce(version, "the server that --dsn names");
    Ok(Found { source: Some(ServerSource::Dsn(dsn)), identity: Some(ServerIdentity::Named(identity)) })
}

/// What a configuration needs that no session of the user's server can change.
fn beyond_a_session(values: &Configuration) -> Option<&'static str> {
    let parameters = workload::pool::Parameters::read(values).ok()?;
    trial::beyond_a_session(&parameters)
}

/// A run that measures the user's server is resumed only if they name it again: before anything is downloaded instead.
pub(crate) fn require_named(begun: Option<&ServerIdentity>, wanted: Wanted<'_>) -> Result<(), Failure> {
    match begun {
        Some(ServerIdentity::Named(server)) if wanted.dsn.is_none() && wanted.dsn_file.is_none() => {
            Err(Failure::Usage(format!(
                "this run measures the PostgreSQL {} at {} that --dsn named: name it again with --dsn or --dsn-file",
                server.version, server.address
            )))
        }
        Some(ServerIdentity::Named(_) | ServerIdentity::Own { .. }) | None => Ok(()),
    }
}

/// A run continues the server that it was begun with, and no other.
pub(crate) fn require_same(begun: Option<&ServerIdentity>, found: &Found) -> Result<(), Failure> {
    match (begun, &found.identity) {
        (Some(begun), Some(here)) => match begun.difference(here) {
            Some(what) => Err(Failure::Runtime(format!(
                "this run began with another PostgreSQL ({what}), and trials of two servers are not replicates: \
                 start a new run"
            ))),
            None => Ok(()),
        },
        (None, Some(ServerIdentity::Named(_))) => {
            tell("this run did not record its server, so Syncline cannot check that it is the same");
            Ok(())
        }
        (None, Some(ServerIdentity::Own { .. }) | None) | (Some(_), None) => Ok(()),
    }
}

fn without(why: &PostgresqlError, driven: usize, all: usize) -> Result<Found, Failure> {
    if driven == all {
        return Err(Failure::runtime(why));
    }
    tell(format!("{why}; {driven} of {all} configurations are recorded as unsupported"));
    Ok(Found { source: Some(ServerSource::Absent(why.to_string())), identity: None })
}

/// An old server is measured; what it cannot report is printed before the first trial.
fn announce(version: Version, from: &str) {
    if version < Version::LOCAL_IO_TIMING {
        tell(format!(
            "PostgreSQL {version} ({from}) does not time writes of temporary tables: page_write_us and metrics that \
             need it are recorded as unsupported; 17 and later time them"
        ));
    }
}

/// Buffers that do not fit into memory would swap, or end the server in the middle: refused by arithmetic. A page that is not
/// in the pool is in the page cache, which gives way.
fn require_memory(driven: &[&Configuration], available: Option<u64>) -> Result<(), Failure> {
    let pages = |values: &Configuration| {
        let blocks = values.count("blocks").ok()?;
        Some(blocks as f64 * values.number("headroom").unwrap_or(1.0))
    };
    let needed = driven.iter().filter_map(|values| pages(values)).fold(0.0, f64::max) * PAGE_BYTES;
    let Some(available) = available else { return Ok(()) };
    if needed <= available as f64 {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "blocks × headroom of subject = postgres need buffers of {:.0} MiB, but {} MiB of memory are available: \
         lower blocks or headroom",
        needed / MIB as f64,
        available / MIB
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Value;

    #[test]
    fn buffers_that_do_not_fit_into_memory_are_refused_by_arithmetic() {
        let mut values = Configuration::default();
        values.0.insert("blocks".to_owned(), Value::Count(131_072));
        values.0.insert("headroom".to_owned(), Value::Number(1.5));
        assert!(require_memory(&[&values], Some(2 << 30)).is_ok());
        let Err(Failure::Usage(why)) = require_memory(&[&values], Some(1 << 30)) else {
            panic!("it does not fit")
        };
        assert!(
            why.contains("1536 MiB") && why.contains("1024 MiB") && why.contains("lower blocks"),
            "{why}"
        );
    }
}
