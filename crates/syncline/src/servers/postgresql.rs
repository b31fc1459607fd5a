//! PostgreSQL's server: of the programs that the user names, of a release that is downloaded once, or one that runs
//! already.

use super::interruptible::unless_interrupted;
use super::server::{Driven, Found, Wanted};
use crate::failure::Failure;
use crate::input_file;
use crate::output::tell;
use crate::remedy;
use advice::computed::{Period, ServerCounters, WalVolume};
use model::Configuration;
use model::server::ServerIdentity;
use model::trial::ServerSource;
use postgresql::{Cluster, Installation, PostgresqlError, Session, Target, Version};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// This build can find a server.
pub(crate) const NEVER_FOUND: Option<&str> = None;
/// A connection string is a line.
const DSN_BYTES_MAX: u64 = 64 << 10;

impl Wanted<'_> {
    /// The connection string, wherever it stands.
    pub(crate) fn connection_string(&self) -> Result<Option<String>, Failure> {
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

/// The version of the programs that a server of Syncline's own is started from; nothing is downloaded for it.
pub(crate) fn version(wanted: Wanted<'_>) -> Result<Option<String>, Failure> {
    let installation = match wanted.programs {
        Some(programs) => Installation::at(programs).map_err(Failure::usage)?,
        None => return Ok(Some(postgresql::RELEASE.version.to_owned())),
    };
    Ok(Some(installation.version().to_string()))
}

/// Counters of the server that `--dsn` names, if it names one. Nothing is written there.
pub(crate) fn counters(wanted: Wanted<'_>) -> Result<Option<ServerCounters>, Failure> {
    let Some(dsn) = wanted.connection_string()? else { return Ok(None) };
    let read = || {
        let mut session = Session::open(&Target::Dsn(&dsn))?;
        session.only_read()?;
        let wal = session.written_wal()?.map(|wal| WalVolume {
            bytes: wal.bytes,
            seconds: wal.seconds,
            period: if wal.is_since_reset { Period::SinceReset } else { Period::BetweenReads },
        });
        Ok::<_, PostgresqlError>(ServerCounters { connections_max: session.connections_max()?, wal })
    };
    read().map(Some).map_err(Failure::runtime)
}

/// Requires that a server of Syncline's own could be started below a directory. Nothing is downloaded: of programs that
/// are not here it only requires that they can be fetched.
pub(crate) fn require_own(wanted: Wanted<'_>, directory: &Path) -> Result<(), Failure> {
    if wanted.dsn.is_some() || wanted.dsn_file.is_some() {
        return Ok(());
    }
    let absent = |why: PostgresqlError| Failure::Runtime(remedy::told(&why));
    match wanted.programs {
        Some(programs) => Installation::at(programs).map(drop).map_err(Failure::usage)?,
        None => Installation::require_fetchable(|what| tell(what)).map_err(absent)?,
    }
    Cluster::require_place(directory).map_err(absent)
}

/// What the user names has to be there. Where they name nothing and nothing can be had, a run does without.
pub(super) fn find_server(
    driven: &Driven<'_>,
    wanted: Wanted<'_>,
    directory: &Path,
    interrupted: &AtomicBool,
) -> Result<Found, Failure> {
    if let Some(dsn) = wanted.connection_string()? {
        return match wanted.journal {
            Some(journal) => lent(dsn, journal, wanted.is_shared, interrupted),
            None => named(dsn, driven, interrupted),
        };
    }
    let found = match wanted.programs {
        Some(programs) => Installation::at(programs).map_err(Failure::usage)?,
        None => {
            // Fetching may take as long as a network lets it.
            let fetched = || Installation::cached_or_downloaded(|what| tell(what));
            match unless_interrupted(interrupted, fetched)? {
                Ok(installation) => installation,
                Err(why) => return driven.without_server(&remedy::told(&why)),
            }
        }
    };
    if let Err(why) = Cluster::require_place(directory) {
        return driven.without_server(&remedy::told(&why));
    }
    announce(found.version(), &found.programs().display().to_string());
    Ok(Found {
        identity: Some(ServerIdentity::Own { version: found.version().to_string() }),
        source: Some(ServerSource::Programs(found.programs().to_owned())),
    })
}

/// The user's server, which a proof may change.
fn lent(dsn: String, journal: &Path, is_shared: bool, interrupted: &AtomicBool) -> Result<Found, Failure> {
    let connection = dsn.clone();
    let identity = unless_interrupted(interrupted, move || {
        Session::open(&Target::Dsn(&connection))?.identity(&connection)
    })?;
    Ok(Found {
        source: Some(ServerSource::Scratch { dsn, journal: journal.to_owned(), is_shared }),
        identity: Some(ServerIdentity::Named(identity.map_err(Failure::runtime)?)),
    })
}

/// The user's server, which has to be able to run at least one of the configurations.
fn named(dsn: String, driven: &Driven<'_>, interrupted: &AtomicBool) -> Result<Found, Failure> {
    let refused = driven.configurations.iter().filter_map(|values| beyond_a_session(values));
    let refusals: Vec<&str> = refused.collect();
    match refusals.first() {
        Some(why) if refusals.len() == driven.configurations.len() => {
            return Err(Failure::Usage((*why).to_owned()));
        }
        Some(why) => {
            let (unsupported, all) = (refusals.len(), driven.all);
            tell(format!("{why}; {unsupported} of {all} configurations are recorded as unsupported"));
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
    if workload::transactions::Parameters::read(values).is_ok() {
        return Some(trial::NEEDS_OWN_SERVERS);
    }
    let parameters = workload::pool::Parameters::read(values).ok()?;
    trial::beyond_a_session(&parameters)
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
