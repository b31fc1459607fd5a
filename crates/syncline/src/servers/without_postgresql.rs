//! A build without PostgreSQL: its client and its download are a quarter of the crates of a build that has them.

use super::server::{Driven, Found, Wanted};
use crate::failure::Failure;
use advice::computed::ServerCounters;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Why this build finds no server.
pub(crate) const NEVER_FOUND: Option<&str> = Some(trial::NO_POSTGRESQL);

/// It starts no server, and the trial says so.
#[expect(clippy::unnecessary_wraps, reason = "a build with PostgreSQL asks its programs")]
pub(crate) fn version(_: Wanted<'_>) -> Result<Option<String>, Failure> {
    Ok(None)
}

/// It reads no server.
pub(crate) fn counters(wanted: Wanted<'_>) -> Result<Option<ServerCounters>, Failure> {
    if wanted.is_named() { Err(Failure::Usage(trial::NO_POSTGRESQL.to_owned())) } else { Ok(None) }
}

/// It can start none.
pub(crate) fn require_own(_: Wanted<'_>, _: &Path) -> Result<(), Failure> {
    Err(Failure::Runtime(trial::NO_POSTGRESQL.to_owned()))
}

pub(super) fn find_server(
    driven: &Driven<'_>,
    wanted: Wanted<'_>,
    _: &Path,
    _: &AtomicBool,
) -> Result<Found, Failure> {
    if wanted.is_named() {
        return Err(Failure::Usage(trial::NO_POSTGRESQL.to_owned()));
    }
    driven.without_server(trial::NO_POSTGRESQL)
}
