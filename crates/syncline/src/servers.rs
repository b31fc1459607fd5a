//! Where the server of a run comes from: the user's, or Syncline's own. Decided before the first trial.

#[cfg(feature = "survive")]
mod installed;
#[cfg(feature = "postgresql")]
mod interruptible;
#[cfg(feature = "postgresql")]
mod postgresql;
mod server;
#[cfg(not(feature = "postgresql"))]
mod without_postgresql;
#[cfg(not(feature = "survive"))]
mod without_servers;

#[cfg(feature = "survive")]
use installed::find_installed;
#[cfg(feature = "survive")]
pub(crate) use installed::{require_installed, require_programs, version_of};
#[cfg(not(feature = "survive"))]
use without_servers::find_installed;
#[cfg(not(feature = "survive"))]
pub(crate) use without_servers::{require_installed, require_programs, version_of};

pub(crate) use server::{Found, IfAbsent, Wanted};

use crate::failure::Failure;
use crate::output::tell;
use model::Configuration;
use model::plan::StudyPlan;
use model::server::ServerIdentity;
use model::units::MIB;
#[cfg(feature = "postgresql")]
pub(crate) use postgresql::NEVER_FOUND;
#[cfg(feature = "postgresql")]
use postgresql::find_server;
#[cfg(feature = "postgresql")]
pub(crate) use postgresql::{counters, require_own, version};
use server::{Driven, Installed};
use std::path::Path;
use std::sync::atomic::AtomicBool;
#[cfg(not(feature = "postgresql"))]
pub(crate) use without_postgresql::NEVER_FOUND;
#[cfg(not(feature = "postgresql"))]
use without_postgresql::find_server;
#[cfg(not(feature = "postgresql"))]
pub(crate) use without_postgresql::{counters, require_own, version};
use workload::requests;

/// Bytes of a page of PostgreSQL's.
const PAGE_BYTES: f64 = 8192.0;

/// Whether a configuration drives a PostgreSQL server.
fn is_postgresql(values: &Configuration) -> bool {
    values.is("subject", "postgres")
}

/// Whether a configuration drives a server.
pub(crate) fn is_driven(values: &Configuration) -> bool {
    is_postgresql(values) || requests::Parameters::read(values).is_ok()
}

/// Finds the server for those configurations that drive one. What the user names must exist; if they name nothing and
/// nothing can be had, those configurations are left out or recorded as unsupported.
pub(crate) fn find(
    plans: &[StudyPlan],
    wanted: Wanted<'_>,
    if_absent: IfAbsent,
    directory: &Path,
    interrupted: &AtomicBool,
) -> Result<Found, Failure> {
    let configurations: Vec<&Configuration> = plans.iter().flat_map(|plan| &plan.configurations).collect();
    let installed = Installed::of(&configurations);
    let driven: Vec<&Configuration> =
        configurations.iter().copied().filter(|values| is_postgresql(values)).collect();
    if !installed.all.is_empty() {
        if wanted.is_named() || !driven.is_empty() {
            let why = "one run drives either PostgreSQL or other servers: leave --pg-bin and --dsn out, and run their \
                       studies one after another";
            return Err(Failure::Usage(why.to_owned()));
        }
        let driven = configurations.iter().copied().filter(|values| is_driven(values)).collect();
        let driven = Driven { configurations: driven, all: configurations.len(), if_absent };
        return find_installed(&installed, &driven, directory);
    }
    if driven.is_empty() {
        return if wanted.is_named() {
            let why = "no configuration has subject = postgres: leave --pg-bin and --dsn out, or add --vary \
                subject=postgres";
            Err(Failure::Usage(why.to_owned()))
        } else {
            Ok(Found::default())
        };
    }
    require_memory(&driven, disk::memory::available_bytes())?;
    let driven = Driven { configurations: driven, all: configurations.len(), if_absent };
    find_server(&driven, wanted, directory, interrupted)
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
                "this run began with another server ({what}), and trials of two servers are not replicates: \
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

/// Buffers that do not fit into memory would swap, or end the server in the middle: refused by arithmetic. A page that
/// is not in the pool is in the page cache, which gives way.
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
        insta::assert_snapshot!(why, @"blocks × headroom of subject = postgres need buffers of 1536 MiB, but 1024 MiB of memory are available: lower blocks or headroom");
    }
}
