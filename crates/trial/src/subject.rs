//! Every workload with the subject that it drives.

use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::store::Store;
use crate::{append, commit, device, kv, pool, scan};
use model::suggestion;
use model::trial::TrialSpec;

/// How a workload is run on a subject.
pub(crate) struct Subject {
    workload: &'static str,
    /// Puts the files, once they are made, into the state that a trial starts from. Nothing measures it.
    pub(crate) condition: fn(&Site, &TrialSpec) -> Result<(), Refusal>,
    /// Runs the workload on what preparation made, and measures.
    pub(crate) measure: fn(&Site, &TrialSpec) -> Result<Outcome, Refusal>,
}

/// Every workload with its subject.
const SUBJECTS: &[Subject] = &[
    Subject { workload: "commit", condition: |_, _| Ok(()), measure: commit::measure },
    Subject { workload: "device", condition: device::condition, measure: device::measure },
    Subject { workload: "append", condition: empty_store, measure: append::measure },
    Subject { workload: "scan", condition: scan::condition, measure: scan::measure },
    Subject { workload: "kv", condition: empty_store, measure: kv::measure },
    Subject { workload: "pool", condition: pool::condition, measure: pool::measure },
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

/// Clears away the store of a worker that was killed: its space is needed, and its removal is not to be measured.
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
        let known: BTreeSet<&str> = workload::SCHEMAS.iter().map(|schema| schema.workload).collect();
        assert_eq!(wired, known);
    }

    /// A workload knows no engine, so its levels are a list of their own: one engine more belongs to both.
    #[test]
    fn engines_and_policies_are_those_that_the_workloads_name() {
        assert_eq!(workload::kv::ENGINES, EngineKind::NAMES);
        assert_eq!(workload::append::ENGINES, [&["file"], EngineKind::NAMES].concat());
        let policies: Vec<&str> = PolicyKind::ALL.iter().map(|policy| policy.name()).collect();
        assert_eq!(workload::pool::POLICIES, policies);
    }
}
