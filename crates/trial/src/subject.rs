//! Every workload with the subject that it drives.

use crate::cache::Start;
use crate::line::TurnChannel;
use crate::outcome::SubjectMeasurement;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::store::Store;
use crate::{append, commit, device, kv, object, pool, requests, scan, transactions};
use model::suggestion;
use model::trial::TrialSpec;

/// How to run a workload on its subject.
pub(crate) struct Subject {
    workload: &'static str,
    /// Brings the files, once they exist, into the state from which a trial starts. Not measured.
    pub(crate) condition: fn(&Site, &TrialSpec) -> Result<(), Refusal>,
    /// The pages of the files in the page cache when a trial starts.
    pub(crate) cache: fn(&TrialSpec) -> Result<Start, Refusal>,
    /// Runs the workload on the prepared files, and measures; by turns, if there is a line to the lab that orders them.
    pub(crate) measure: fn(&Site, &TrialSpec, Option<&TurnChannel>) -> Result<SubjectMeasurement, Refusal>,
}

/// Every workload with its subject.
const SUBJECTS: &[Subject] = &[
    Subject { workload: "commit", condition: |_, _| Ok(()), cache: commit::cache, measure: commit::measure },
    Subject {
        workload: "device",
        condition: device::condition,
        cache: device::cache,
        measure: device::measure,
    },
    Subject {
        workload: "append",
        condition: empty_store,
        cache: |_| Ok(Start::Cold),
        measure: append::measure,
    },
    Subject { workload: "scan", condition: scan::condition, cache: scan::cache, measure: scan::measure },
    Subject { workload: "kv", condition: empty_store, cache: |_| Ok(Start::Cold), measure: kv::measure },
    Subject {
        workload: "object",
        condition: object::condition,
        cache: |_| Ok(Start::AsIs),
        measure: object::measure,
    },
    Subject {
        workload: "requests",
        condition: requests::condition,
        cache: |_| Ok(Start::AsIs),
        measure: requests::measure,
    },
    Subject { workload: "pool", condition: pool::condition, cache: pool::cache, measure: pool::measure },
    Subject {
        workload: "transactions",
        condition: transactions::condition,
        cache: |_| Ok(Start::AsIs),
        measure: transactions::measure,
    },
];

impl Subject {
    /// The subject of a workload.
    pub(crate) fn of_workload(workload: &str) -> Result<&'static Self, Refusal> {
        let known = || SUBJECTS.iter().map(|subject| subject.workload);
        SUBJECTS
            .iter()
            .find(|subject| subject.workload == workload)
            .ok_or_else(|| Refusal::Failed(suggestion::unknown("workload", workload, known())))
    }
}

/// Removes the store of a killed worker, because its space is needed and its removal must not be measured.
fn empty_store(site: &Site, _: &TrialSpec) -> Result<(), Refusal> {
    Store::fresh(site).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buffer::PolicyKind;
    use engine::EngineKind;
    use std::collections::BTreeSet;

    #[test]
    fn every_workload_has_a_subject() {
        let wired: BTreeSet<&str> = SUBJECTS.iter().map(|subject| subject.workload).collect();
        let known: BTreeSet<&str> = workload::SCHEMAS.iter().map(|schema| schema.workload()).collect();
        assert_eq!(wired, known);
    }

    /// The workload has its own list of engines, because it depends on none: a new engine belongs in both lists.
    #[test]
    fn engines_and_policies_are_those_that_the_workloads_name() {
        assert_eq!(workload::kv::ENGINES, EngineKind::NAMES);
        assert_eq!(workload::append::ENGINES, [&["file"], EngineKind::NAMES].concat());
        let policies: Vec<&str> = PolicyKind::ALL.iter().map(|policy| policy.name()).collect();
        assert_eq!(workload::pool::POLICIES, policies);
    }
}
