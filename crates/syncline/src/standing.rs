//! Whether a study's answer is found: what the lab's rule asks of the verdict.

use lab::looks::Standing;
use model::host::HostFacts;
use model::plan::Plan;
use model::run::Run;
use model::trial::TrialRecord;
use verdict::{Answer, Finding, StudyVerdict};

/// The standing of one study of a plan from the records so far.
pub(crate) fn standing(plan: &Plan, host: &HostFacts, records: &[TrialRecord], study: usize) -> Standing {
    let Some(study) = plan.studies.get(study) else { return Standing::Decided };
    let run = Run {
        plan: Plan { studies: vec![study.clone()], skipped: Vec::new(), ..plan.clone() },
        host: host.clone(),
        records: records.iter().filter(|record| record.key.study == study.name).cloned().collect(),
        remarks: Vec::new(),
    };
    // Histograms draw curves; no finding rests on them.
    verdict::analyse(&run, &|_| None).studies.first().map_or(Standing::Decided, of_study)
}

/// An answer begins with the first ask's first metric: it is found when nothing of that is undecided. What cannot be
/// assessed, more rounds do not change.
fn of_study(study: &StudyVerdict) -> Standing {
    let Some(first) = study.findings.first() else { return Standing::Decided };
    let is_headline = |finding: &&Finding| finding.ask == first.ask && finding.metric == first.metric;
    let undecided: Vec<&Finding> = study
        .findings
        .iter()
        .filter(is_headline)
        .filter(|finding| finding.answer == Answer::Undecided)
        .collect();
    if undecided.is_empty() {
        return Standing::Decided;
    }
    // One level that stays open does not keep the others from being decided.
    let needed = undecided.iter().filter_map(|finding| finding.rounds_needed).max();
    Standing::Undecided { rounds_needed: needed.map(|rounds| u32::try_from(rounds).unwrap_or(u32::MAX)) }
}
