//! The server of a run: what the command line names, which configurations need it, what was found.

use crate::failure::Failure;
use crate::output::tell;
use model::Configuration;
use model::server::ServerIdentity;
use model::trial::ServerSource;
use std::path::Path;

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

/// The configurations of a run that drive a server.
#[derive(Debug)]
pub(super) struct Driven<'a> {
    pub(super) configurations: Vec<&'a Configuration>,
    /// Number of configurations in all.
    pub(super) all: usize,
}

impl Driven<'_> {
    /// Without a server these configurations are recorded as unsupported, unless there are no others.
    pub(super) fn without_server(&self, why: &str) -> Result<Found, Failure> {
        let driven = self.configurations.len();
        if driven == self.all {
            return Err(Failure::Runtime(why.to_owned()));
        }
        tell(format!("{why}; {driven} of {} configurations are recorded as unsupported", self.all));
        Ok(Found { source: Some(ServerSource::Absent(why.to_owned())), identity: None })
    }
}
