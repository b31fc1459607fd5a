//! The records of a report: the trials that its plan has. The verdict remarks how many others there are.

use model::run::Run;
use model::trial::TrialRecord;

/// The records of all studies, in the order in which they were recorded.
pub(crate) fn of_plan(run: &Run) -> impl Iterator<Item = &TrialRecord> {
    run.records.iter().filter(|record| run.plan.studies.iter().any(|plan| plan.has(&record.key)))
}
