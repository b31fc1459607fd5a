//! A run as it was recorded: everything a verdict is made from.

use crate::host::HostFacts;
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
}
