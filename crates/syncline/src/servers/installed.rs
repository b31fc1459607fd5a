//! Servers of other databases: their programs are found on the machine, or in the folder of trees that
//! `scripts/install-servers` makes.

use super::server::{Driven, Found, Installed};
use crate::failure::Failure;
use crate::remedy;
use model::server::ServerIdentity;
use model::trial::{ServerPrograms, ServerSource};
use postgresql::Cluster;
use server::{Home, ServerError, unpacked};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The version of a server's programs, such as `10.11.6`.
pub(crate) fn version_of(name: &str) -> Result<Option<String>, Failure> {
    let programs = programs(name).map_err(|why| absent(&why))?;
    Ok(server::version_number(&programs.version).map(str::to_owned))
}

/// Requires that a server could be started below a directory.
pub(crate) fn require_installed(name: &str, directory: &Path) -> Result<(), Failure> {
    programs(name).map_err(|why| absent(&why))?;
    require_place(&BTreeSet::from([name]), directory).map_err(Failure::Runtime)
}

/// Requires that a directory has the programs of a server.
///
/// # Errors
/// What it lacks, as a clause.
pub(crate) fn require_programs(name: &str, directory: &Path) -> Result<(), String> {
    let server = server::named(name).ok_or_else(|| format!("no server is called {name}"))?;
    server.find_below(directory).map(drop).map_err(|why| why.to_string())
}

/// Requires that the user whom these servers run as reaches a directory, as PostgreSQL's does.
fn require_place(names: &BTreeSet<&str>, directory: &Path) -> Result<(), String> {
    let titles: Vec<&str> =
        names.iter().map(|name| server::named(name).map_or(*name, |server| server.title())).collect();
    Cluster::require_place(directory).map_err(|why| remedy::told(&why.about(&titles.join(" and "))))
}

/// The programs of every server that the configurations drive.
pub(super) fn find_installed(
    installed: &Installed,
    driven: &Driven<'_>,
    directory: &Path,
) -> Result<Found, Failure> {
    // What workers that were killed have left.
    Home::clean_abandoned().map_err(Failure::runtime)?;
    let found = installed.to_find.iter().map(|name| Ok(((*name).to_owned(), programs(name)?)));
    let found: Result<BTreeMap<String, ServerPrograms>, ServerError> = found.collect();
    let found = match found {
        Ok(found) => found,
        Err(why) if why.is_absence() => return driven.without_server(&with_remedy(&why)),
        Err(why) => return Err(Failure::runtime(why)),
    };
    if let Err(why) = require_place(&installed.all, directory) {
        return driven.without_server(&why);
    }
    let versions: Vec<&str> = found.values().map(|programs| programs.version.as_str()).collect();
    Ok(Found {
        identity: (!found.is_empty()).then(|| ServerIdentity::Own { version: versions.join("; ") }),
        source: Some(ServerSource::Servers(found)),
    })
}

fn programs(name: &str) -> Result<ServerPrograms, ServerError> {
    let server =
        server::named(name).ok_or_else(|| ServerError::Unsupported(format!("no server is called {name}")))?;
    let programs = server.find(unpacked().as_deref())?;
    let (main, root) = programs.place();
    Ok(ServerPrograms { main: main.to_owned(), root: root.to_owned(), version: server.version(&programs) })
}

fn absent(why: &ServerError) -> Failure {
    Failure::Runtime(with_remedy(why))
}

/// What the machine lacks, and how to get it.
fn with_remedy(why: &ServerError) -> String {
    match why {
        ServerError::Missing { .. } => {
            format!("{why}, or run scripts/install-servers, which unpacks it into the cache folder")
        }
        ServerError::Unsupported(_)
        | ServerError::Initialise { .. }
        | ServerError::Start { .. }
        | ServerError::NoAnswer { .. }
        | ServerError::Refused { .. }
        | ServerError::NoTable { .. }
        | ServerError::Io { .. } => why.to_string(),
    }
}
