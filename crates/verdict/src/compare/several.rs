//! Several runs of one side as one run, so that everything that judges a run judges the side.

use super::pairing;
use super::refusal::Refusal;
use model::plan::StudyPlan;
use model::run::Run;
use model::trial::{TrialKey, TrialRecord};

/// The runs of one side, in order of time: the rounds of each follow those of the run before.
#[derive(Clone, Debug)]
pub struct Joined {
    pub run: Run,
    /// When each run was created.
    pub begun: Vec<String>,
    /// By study: analysed rounds of each run, and its warm-up rounds, which are left out if there are several runs.
    parts: Vec<(String, u32, u32)>,
}

impl Joined {
    /// Joins runs of the same studies. A single run stays as it is.
    ///
    /// # Errors
    /// [`Refusal`] if a run has other studies or configurations than the first one, or if there is none.
    pub fn new(mut runs: Vec<Run>) -> Result<Self, Refusal> {
        runs.sort_by(|one, other| one.plan.created_at.cmp(&other.plan.created_at));
        let begun = runs.iter().map(|run| run.plan.created_at.clone()).collect();
        let mut runs = runs.into_iter();
        let Some(first) = runs.next() else {
            return Err(Refusal::NothingInCommon("a side has no run".to_owned()));
        };
        if runs.len() == 0 {
            return Ok(Self { run: first, begun, parts: Vec::new() });
        }
        let others: Vec<Run> = runs.collect();
        others.iter().try_for_each(|other| are_alike(&first, other))?;
        Ok(Self::of_several(first, others, begun))
    }

    fn of_several(first: Run, others: Vec<Run>, begun: Vec<String>) -> Self {
        let rounds = |study: &StudyPlan| {
            let of_run = |run: &Run| {
                let own = run.plan.studies.iter().find(|own| own.name == study.name)?;
                Some(own.rounds_wanted(own.rounds_begun(run.of_study(own).map(|record| record.key.round))))
            };
            [&first].into_iter().chain(&others).filter_map(of_run).max().unwrap_or(study.rounds)
        };
        let studies = first.plan.studies.iter();
        let parts: Vec<_> =
            studies.map(|study| (study.name.clone(), rounds(study), study.warmup_rounds)).collect();
        let count = u32::try_from(begun.len()).unwrap_or(u32::MAX);
        let mut run = Run { records: Vec::new(), ..first.clone() };
        for (study, (_, rounds, _)) in run.plan.studies.iter_mut().zip(&parts) {
            study.warmup_rounds = 0;
            study.looks = Vec::new();
            study.rounds = rounds.saturating_mul(count);
        }
        let mut joined = Self { run, begun, parts };
        for (place, part) in [first].into_iter().chain(others).enumerate() {
            let records = part.records.into_iter().filter_map(|record| joined.renumbered(place, record));
            let records: Vec<TrialRecord> = records.collect();
            joined.run.records.extend(records);
            if place > 0 {
                joined.run.remarks.extend(part.remarks);
            }
        }
        joined
    }

    /// A record with its round among those of all runs; `None` for a warm-up, or if the plan does not have its round.
    fn renumbered(&self, place: usize, mut record: TrialRecord) -> Option<TrialRecord> {
        let (_, rounds, warmup) = self.part(&record.key)?;
        let own = record.key.round.checked_sub(*warmup).filter(|own| own < rounds)?;
        record.key.round = u32::try_from(place).ok()?.checked_mul(*rounds)?.checked_add(own)?;
        Some(record)
    }

    /// Which run a trial is of, in order of time, and its key there.
    pub fn of_run(&self, key: &TrialKey) -> Option<(usize, TrialKey)> {
        if self.begun.len() < 2 {
            return Some((0, key.clone()));
        }
        let (_, rounds, warmup) = self.part(key)?;
        let place = key.round.checked_div(*rounds)? as usize;
        let round = (key.round % rounds).checked_add(*warmup)?;
        (place < self.begun.len()).then(|| (place, TrialKey { round, ..key.clone() }))
    }

    fn part(&self, key: &TrialKey) -> Option<&(String, u32, u32)> {
        self.parts.iter().find(|(study, ..)| *study == key.study)
    }
}

/// Whether two runs of a side measured the same.
fn are_alike(first: &Run, other: &Run) -> Result<(), Refusal> {
    let (ours, theirs) = (&first.plan.studies, &other.plan.studies);
    for (ours, theirs) in ours.iter().zip(theirs) {
        if ours.name == theirs.name {
            let knobs = pairing::pair(ours, theirs, &[])?.knobs;
            if !knobs.is_empty() {
                return Err(Refusal::UnlikeRuns(knobs));
            }
        }
    }
    let is_same = |(ours, theirs): (&StudyPlan, &StudyPlan)| {
        let facts = |plan: &StudyPlan| {
            (plan.name.clone(), plan.baseline.clone(), plan.duplicate, plan.blocks_per_round())
        };
        facts(ours) == facts(theirs)
            && ours.configurations == theirs.configurations
            && ours.warmup_rounds == theirs.warmup_rounds
    };
    if ours.len() != theirs.len() || !ours.iter().zip(theirs).all(is_same) {
        return Err(Refusal::NothingInCommon(format!(
            "the runs of one side measured different studies or configurations: those begun at {} and {}",
            first.plan.created_at, other.plan.created_at
        )));
    }
    Ok(())
}
