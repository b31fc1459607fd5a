//! The server of a run: what the command line names, which configurations need it, what was found.

use crate::failure::Failure;
use crate::output::tell;
use model::Configuration;
use model::server::ServerIdentity;
use model::trial::ServerSource;
use std::collections::BTreeSet;
use std::path::Path;
use workload::requests;

/// What the command line says about it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// `--pg-bin`.
    pub(crate) programs: Option<&'a Path>,
    /// `--dsn`.
    pub(crate) dsn: Option<&'a str>,
    /// `--dsn-file`.
    pub(crate) dsn_file: Option<&'a Path>,
    /// The undo journal of a proof, which may change that server.
    #[cfg_attr(not(feature = "postgresql"), expect(dead_code, reason = "there is no server to change"))]
    pub(crate) journal: Option<&'a Path>,
    /// Whether others may work on that server meanwhile.
    #[cfg_attr(not(feature = "postgresql"), expect(dead_code, reason = "there is no server to change"))]
    pub(crate) is_shared: bool,
}

impl Wanted<'_> {
    /// Whether it names a server.
    pub(crate) fn is_named(&self) -> bool {
        self.programs.is_some() || self.dsn.is_some() || self.dsn_file.is_some()
    }
}

/// The server of a run.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Where trials get it from.
    pub(crate) source: Option<ServerSource>,
    /// Which one it is.
    pub(crate) identity: Option<ServerIdentity>,
}

/// What becomes of the configurations that drive a server if there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IfAbsent {
    /// The caller leaves them out of the plan.
    LeaveOut,
    /// They are recorded as unsupported, unless there are no others.
    RecordUnsupported,
}

/// The configurations of a run that drive a server.
#[derive(Debug)]
pub(super) struct Driven<'a> {
    pub(super) configurations: Vec<&'a Configuration>,
    /// Number of configurations in all.
    pub(super) all: usize,
    pub(super) if_absent: IfAbsent,
}

impl Driven<'_> {
    /// What a run without a server does, and why it has none.
    pub(super) fn without_server(&self, why: &str) -> Result<Found, Failure> {
        let driven = self.configurations.len();
        match self.if_absent {
            IfAbsent::LeaveOut => {}
            IfAbsent::RecordUnsupported if driven == self.all => {
                return Err(Failure::Runtime(why.to_owned()));
            }
            IfAbsent::RecordUnsupported => {
                tell(format!("{why}; {driven} of {} configurations are recorded as unsupported", self.all));
            }
        }
        Ok(Found { source: Some(ServerSource::Absent(why.to_owned())), identity: None })
    }
}

/// The other servers that configurations drive, by their names.
pub(super) struct Installed {
    pub(super) all: BTreeSet<&'static str>,
    /// Those that some configuration names no programs of.
    #[cfg_attr(not(feature = "survive"), expect(dead_code, reason = "none can be found"))]
    pub(super) to_find: BTreeSet<&'static str>,
}

impl Installed {
    pub(super) fn of(configurations: &[&Configuration]) -> Self {
        let read = || configurations.iter().filter_map(|values| requests::Parameters::read(values).ok());
        Self {
            all: read().map(|p| p.server.name()).collect(),
            to_find: read().filter(|p| p.programs.is_none()).map(|p| p.server.name()).collect(),
        }
    }
}
