//! A build without clients of other databases than PostgreSQL.

use super::server::{Driven, Found, Installed};
use crate::failure::Failure;
use std::path::Path;

/// It starts no server.
pub(crate) fn version_of(_: &str) -> Result<Option<String>, Failure> {
    Err(Failure::Runtime(trial::NO_SERVERS.to_owned()))
}

/// It can start none.
pub(crate) fn require_installed(_: &str, _: &Path) -> Result<(), Failure> {
    Err(Failure::Runtime(trial::NO_SERVERS.to_owned()))
}

/// Nor does a directory have programs that it could start.
pub(crate) fn require_programs(_: &str, _: &Path) -> Result<(), String> {
    Err(trial::NO_SERVERS.to_owned())
}

pub(super) fn find_installed(_: &Installed, driven: &Driven<'_>, _: &Path) -> Result<Found, Failure> {
    driven.without_server(trial::NO_SERVERS)
}
