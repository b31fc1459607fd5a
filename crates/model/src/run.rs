//! A run as it was recorded: everything a verdict is made from.

use crate::FileSystem;
use crate::host::{HostFacts, Placement};
use crate::medium::Medium;
use crate::plan::{Plan, StudyPlan};
use crate::trial::TrialRecord;

/// Plan, machine and records of a run directory, read back. Sidecars are read one at a time, by trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What was to be run.
    pub plan: Plan,
    /// Where it was run.
    pub host: HostFacts,
    /// What was recorded, in the order it was recorded.
    pub records: Vec<TrialRecord>,
    /// What was wrong with the files, such as a torn last line: sentences.
    pub remarks: Vec<String>,
}

impl Run {
    /// The records of one study.
    pub fn of_study<'a>(&'a self, study: &'a StudyPlan) -> impl Iterator<Item = &'a TrialRecord> {
        self.records.iter().filter(move |record| record.key.study == study.name)
    }

    /// What held the files of a study's trials: of several, the worst. `None` if no trial says.
    pub fn medium(&self, study: &StudyPlan) -> Option<Medium> {
        let placements =
            self.of_study(study).filter_map(|record| Some(&record.measurement.as_ref()?.placement));
        placements.map(Placement::medium).reduce(Medium::or_worse)
    }

    /// The placement of the run's files: the directory's own file system if a trial ran there, otherwise the first one
    /// recorded.
    pub fn placement(&self) -> Option<&Placement> {
        let on_host = |record: &&TrialRecord| {
            let description = self.plan.description(&record.key);
            description.is_none_or(|description| description.filesystem == FileSystem::Host)
        };
        let is_planned = |record: &&TrialRecord| self.plan.studies.iter().any(|study| study.has(&record.key));
        let measured =
            || self.records.iter().filter(|record| record.measurement.is_some()).filter(is_planned);
        let record = measured().find(on_host).or_else(|| measured().next())?;
        record.measurement.as_ref().map(|measurement| &measurement.placement)
    }
}
