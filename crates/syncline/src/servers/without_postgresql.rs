//! A build without PostgreSQL: its client and its download are a quarter of the crates of a build that has them.

use super::server::{Driven, Found, Wanted};
use crate::failure::Failure;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// None: the configurations that need a server are recorded as unsupported, unless there are no others.
pub(super) fn find_server(
    driven: &Driven<'_>,
    _: Wanted<'_>,
    _: &Path,
    _: &AtomicBool,
) -> Result<Found, Failure> {
    driven.without_server(trial::NO_POSTGRESQL)
}
