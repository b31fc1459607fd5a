//! On what a rule's figures were measured: on the database itself, or on a disk that stands for it.

use crate::evidence::Used;
use crate::level::{Level, has_all};
use model::run::Run;
use serde::Serialize;

/// On what the figures of an advice were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasuredOn {
    /// The database itself, with the value and without it: what is better there is a change.
    Database,
    /// The disk, by reads and writes that stand for those of the database: what is better there is a prediction.
    Disk,
}

/// Trials that run the database itself: those of a workload at these levels.
pub(crate) struct OfItself {
    pub(crate) workload: &'static str,
    pub(crate) held: fn() -> Vec<Level>,
}

/// Follows from what a rule took from the run: each configuration has to be one that ran the database.
pub(crate) fn measured_on(run: &Run, used: &[Used<'_>], of_itself: &[OfItself]) -> MeasuredOn {
    let is_of_it = |used: &Used<'_>| {
        let plan = run.plan.studies.iter().find(|plan| plan.name == used.study.name);
        plan.is_some_and(|plan| {
            let values = |index: &usize| plan.configurations.get(*index);
            of_itself.iter().filter(|known| known.workload == plan.workload).any(|known| {
                let is_one = |index| values(index).is_some_and(|values| has_all(values, &(known.held)()));
                used.basis.configurations.iter().all(is_one)
            })
        })
    };
    if !used.is_empty() && used.iter().all(is_of_it) { MeasuredOn::Database } else { MeasuredOn::Disk }
}
