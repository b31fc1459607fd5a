//! A run that goes on: opened, and checked against what it began with.

use crate::authorship::{named_place, require_own};
use crate::budget::{budget_left, last_trial_ends};
use crate::failure::Failure;
use crate::output::tell;
use crate::premises::DiskPremises;
use crate::program;
use crate::replicates::{self, Instrument};
use crate::requirements::{
    require_direct, require_place, require_real_time, require_same_disk, require_storage,
};
use crate::servers::{self, IfAbsent, Wanted};
use crate::session::Session;
use lab::run_directory::RunDirectory;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Which run goes on, and how.
pub(crate) struct Resumption<'a> {
    pub(crate) path: &'a Path,
    /// What may differ from when it began.
    pub(crate) allow_different: &'a [String],
    /// A directory on the disk to measure, if it is not the one of before.
    pub(crate) dir: Option<&'a Path>,
    /// Which PostgreSQL server to drive.
    pub(crate) wanted: Wanted<'a>,
    /// A new budget; without, what is left of the old one.
    pub(crate) budget: Option<Duration>,
    /// Raised by a signal.
    pub(crate) interrupted: &'a AtomicBool,
}

impl Resumption<'_> {
    /// Opens it, and checks that the new trials are replicates of the old ones.
    pub(crate) fn open(&self) -> Result<Session, Failure> {
        let directory = RunDirectory::resume(self.path).map_err(Failure::runtime)?;
        let run = directory.run();
        if !run.plan.is_resumable() {
            let path = self.path.display();
            return Err(Failure::Usage(format!(
                "{path} is of a shared run, which is not resumed: start it again"
            )));
        }
        require_own(self.path, named_place(&run.plan.studies).as_deref())?;
        let own = program::identity()?;
        // Runs from before programs were recorded have only the version.
        let (begun_by, this) = match directory.files().program().map_err(Failure::runtime)? {
            Some(begun_by) => (begun_by.to_string(), own.to_string()),
            None => (run.plan.program_version.clone(), own.version),
        };
        let before = Instrument { host: &run.host, program: &begun_by };
        let here = lab::host::facts();
        let now = Instrument { host: &here, program: &this };
        replicates::require_same(before, now, self.allow_different)?;
        let dir = self.dir.unwrap_or(&run.plan.directory);
        servers::require_named(run.plan.server.as_ref(), self.wanted)?;
        let server = servers::find(
            &run.plan.studies,
            self.wanted,
            IfAbsent::RecordUnsupported,
            dir,
            self.interrupted,
        )?;
        servers::require_same(run.plan.server.as_ref(), &server)?;
        require_place(dir)?;
        require_storage(dir, &run.plan.studies)?;
        for study in &run.plan.studies {
            require_real_time(study).map_err(|failure| failure.of_study(&study.name))?;
        }
        let mut premises = DiskPremises::open(dir, &run.plan.studies, 1)?;
        premises.serve(server.source);
        require_same_disk(run, premises.directory())?;
        for study in &run.plan.studies {
            require_direct(premises.directory(), study).map_err(|failure| failure.of_study(&study.name))?;
        }
        let left = self.budget.or_else(|| budget_left(run));
        if left.is_some_and(|left| left.is_zero()) {
            tell("the budget of this run is used up: to continue, add more with --budget");
        }
        Ok(Session { directory, premises, ends: left.map(last_trial_ends) })
    }
}
