//! A build without PostgreSQL's client.

use super::Rights;
use crate::failure::Failure;
use crate::servers::Wanted;
use proof::{Design, Limits, Server};
use std::convert::Infallible;
use std::path::Path;

/// There is none.
pub(in crate::command::prove) struct UsersServer(Infallible);

pub(in crate::command::prove) struct Lent(Infallible);

pub(in crate::command::prove) fn connect(wanted: Wanted<'_>) -> Result<Option<UsersServer>, Failure> {
    if wanted.dsn.is_none() && wanted.dsn_file.is_none() {
        return Ok(None);
    }
    Err(Failure::Usage(trial::NO_POSTGRESQL.to_owned()))
}

pub(in crate::command::prove) fn undo(_: &Path, _: Wanted<'_>) -> Result<(), Failure> {
    Err(Failure::Usage(trial::NO_POSTGRESQL.to_owned()))
}

impl UsersServer {
    pub(in crate::command::prove) fn current(&mut self) -> Result<Server, Failure> {
        match self.0 {}
    }

    pub(in crate::command::prove) fn version(&mut self) -> String {
        match self.0 {}
    }

    pub(in crate::command::prove) fn limits(&mut self, _: &Design) -> Result<Limits, Failure> {
        match self.0 {}
    }

    pub(in crate::command::prove) fn survey(self, _: &Design, _: &Rights<'_>) -> Result<Lent, Failure> {
        match self.0 {}
    }
}

impl Lent {
    pub(in crate::command::prove) fn require_allowed(&self, _: &Rights<'_>) -> Result<(), Failure> {
        match self.0 {}
    }

    pub(in crate::command::prove) fn during(
        self,
        _: &Path,
        _: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self.0 {}
    }
}
