//! Which records a report is of: the trials that its plan has. How many others there are, the verdict remarks.

use model::plan::StudyPlan;
use model::run::Run;
use model::trial::TrialRecord;

/// The records of all studies, in the order in which they were recorded.
pub(crate) fn of_plan(run: &Run) -> impl Iterator<Item = &TrialRecord> {
    let plan = |record: &TrialRecord| run.plan.studies.iter().find(|plan| plan.name == record.key.study);
    run.records.iter().filter(move |record| plan(record).is_some_and(|plan| is_of(plan, record)))
}

/// The records of one study.
pub(crate) fn of_study<'a>(run: &'a Run, plan: &'a StudyPlan) -> impl Iterator<Item = &'a TrialRecord> {
    run.of_study(plan).filter(|record| is_of(plan, record))
}

fn is_of(plan: &StudyPlan, record: &TrialRecord) -> bool {
    let key = &record.key;
    key.round < plan.rounds_total()
        && key.configuration < plan.configurations.len()
        && (!key.duplicate || key.configuration == plan.duplicate)
}
